// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it.
 *
 * ## Example Usage
 *
 * ### A customer
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const acme = new svc.EmbedTenant("acme", {
 *     name: "acme-stores",
 *     displayName: "Acme Stores",
 * });
 * ```
 */
export class EmbedTenant extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): EmbedTenant {
        return new EmbedTenant(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:EmbedTenant";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EmbedTenant {
        return utilities.isOfType(obj, EmbedTenant.__pulumiType);
    }

    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    public declare readonly displayName: pulumi.Output<string | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly embedTenantId: pulumi.Output<number>;
    /** Time of creation, in UTC. */
    public declare /*out*/ readonly createdAt: pulumi.Output<string | undefined>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EmbedTenantArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.name, "name", opts);
            resourceInputs["name"] = args?.name;
            resourceInputs["displayName"] = args?.displayName;
            resourceInputs["embedTenantId"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        } else {
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["displayName"] = undefined /*out*/;
            resourceInputs["embedTenantId"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
        }
        super(EmbedTenant.__pulumiType, name, resourceInputs, utilities.optionsOf(opts));
    }
}

/** The arguments of EmbedTenant. */
export interface EmbedTenantArgs {
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    name: pulumi.Input<string>;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: pulumi.Input<string | undefined> | undefined;
}
