// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as enums from "./types/enums.ts";
import * as utilities from "./utilities.ts";

/**
 * An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`.
 *
 * ## Example Usage
 *
 * ### A region that row-level security filters by
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const region = new svc.UserAttribute("region", {
 *     name: "region",
 *     type: "string",
 *     displayName: "Region",
 *     description: "Sales region that a viewer may see.",
 *     defaultValue: "EMEA",
 * });
 * ```
 */
export class UserAttribute extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): UserAttribute {
        return new UserAttribute(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:UserAttribute";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is UserAttribute {
        return utilities.isOfType(obj, UserAttribute.__pulumiType);
    }

    /** Name that data models and sessions refer to. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    public declare readonly type: pulumi.Output<string>;
    /** Display name. Allowed: string (1 to 255 characters). */
    public declare readonly displayName: pulumi.Output<string | undefined>;
    /** Description. Allowed: string (1 to 500 characters). */
    public declare readonly description: pulumi.Output<string | undefined>;
    /** Default value, as text, for users without a value. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    public declare readonly defaultValue: pulumi.Output<string | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly userAttributeId: pulumi.Output<number>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: UserAttributeArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.name, "name", opts);
            utilities.require(args?.type, "type", opts);
            resourceInputs["name"] = args?.name;
            resourceInputs["type"] = args?.type;
            resourceInputs["displayName"] = args?.displayName;
            resourceInputs["description"] = args?.description;
            resourceInputs["defaultValue"] = args?.defaultValue;
            resourceInputs["userAttributeId"] = undefined /*out*/;
        } else {
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["type"] = undefined /*out*/;
            resourceInputs["displayName"] = undefined /*out*/;
            resourceInputs["description"] = undefined /*out*/;
            resourceInputs["defaultValue"] = undefined /*out*/;
            resourceInputs["userAttributeId"] = undefined /*out*/;
        }
        super(UserAttribute.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of UserAttribute. */
export interface UserAttributeArgs {
    /** Name that data models and sessions refer to. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    type: pulumi.Input<enums.UserAttributeType | (string & {})>;
    /** Display name. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
    /** Default value, as text, for users without a value. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: pulumi.Input<string | undefined> | undefined;
}
