// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name.
 *
 * ## Example Usage
 *
 * ### Viewers of a customer
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const acmeViewers = new svc.EmbedGroup("acme-viewers", {
 *     embedTenant: "acme-stores",
 *     name: "viewers",
 *     description: "May read every published dashboard.",
 * });
 * ```
 */
export class EmbedGroup extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): EmbedGroup {
        return new EmbedGroup(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:EmbedGroup";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EmbedGroup {
        return utilities.isOfType(obj, EmbedGroup.__pulumiType);
    }

    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    public declare readonly embedTenant: pulumi.Output<string>;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 100 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    public declare readonly description: pulumi.Output<string | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly embedGroupId: pulumi.Output<number>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EmbedGroupArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.embedTenant, "embedTenant", opts);
            utilities.require(args?.name, "name", opts);
            resourceInputs["embedTenant"] = args?.embedTenant;
            resourceInputs["name"] = args?.name;
            resourceInputs["description"] = args?.description;
            resourceInputs["embedGroupId"] = undefined /*out*/;
        } else {
            resourceInputs["embedTenant"] = undefined /*out*/;
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["description"] = undefined /*out*/;
            resourceInputs["embedGroupId"] = undefined /*out*/;
        }
        super(EmbedGroup.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of EmbedGroup. */
export interface EmbedGroupArgs {
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 100 characters). */
    name: pulumi.Input<string>;
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    description?: pulumi.Input<string | undefined> | undefined;
}
