// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on.
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

    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    public declare readonly embedTenant: pulumi.Output<string>;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    public declare readonly type: pulumi.Output<string>;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly displayName: pulumi.Output<string | undefined>;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    public declare readonly defaultValue: pulumi.Output<string | undefined>;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    public declare readonly description: pulumi.Output<string | undefined>;
    /** Numeric id, unique in its account. */
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
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    type: pulumi.Input<string>;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: pulumi.Input<string | undefined> | undefined;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}
