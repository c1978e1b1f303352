// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as enums from "./types/enums.ts";
import * as utilities from "./utilities.ts";

/**
 * An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on.
 *
 * ## Example Usage
 *
 * ### The store that a viewer works in
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const acmeStore = new svc.EmbedUserAttribute("acme-store", {
 *     embedTenant: "acme-stores",
 *     name: "store",
 *     type: "string",
 *     displayName: "Store",
 *     defaultValue: "none",
 *     description: "Store that a viewer works in.",
 * });
 * ```
 */
export class EmbedUserAttribute extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): EmbedUserAttribute {
        return new EmbedUserAttribute(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:EmbedUserAttribute";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EmbedUserAttribute {
        return utilities.isOfType(obj, EmbedUserAttribute.__pulumiType);
    }

    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    public declare readonly embedTenant: pulumi.Output<string>;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    public declare readonly type: pulumi.Output<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly displayName: pulumi.Output<string | undefined>;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    public declare readonly defaultValue: pulumi.Output<string | undefined>;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    public declare readonly description: pulumi.Output<string | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly embedUserAttributeId: pulumi.Output<number>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EmbedUserAttributeArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.embedTenant, "embedTenant", opts);
            utilities.require(args?.name, "name", opts);
            utilities.require(args?.type, "type", opts);
            resourceInputs["embedTenant"] = args?.embedTenant;
            resourceInputs["name"] = args?.name;
            resourceInputs["type"] = args?.type;
            resourceInputs["displayName"] = args?.displayName;
            resourceInputs["defaultValue"] = args?.defaultValue;
            resourceInputs["description"] = args?.description;
            resourceInputs["embedUserAttributeId"] = undefined /*out*/;
        } else {
            resourceInputs["embedTenant"] = undefined /*out*/;
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["type"] = undefined /*out*/;
            resourceInputs["displayName"] = undefined /*out*/;
            resourceInputs["defaultValue"] = undefined /*out*/;
            resourceInputs["description"] = undefined /*out*/;
            resourceInputs["embedUserAttributeId"] = undefined /*out*/;
        }
        super(EmbedUserAttribute.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of EmbedUserAttribute. */
export interface EmbedUserAttributeArgs {
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    type: pulumi.Input<enums.EmbedUserAttributeType | (string & {})>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: pulumi.Input<string | undefined> | undefined;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}
