// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * An API credential. The secret is returned once, when the key is created.
 *
 * ## Example Usage
 *
 * ### A key for a CI pipeline, scoped to one deployment
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const ci = new svc.ApiKey("ci", {
 *     name: "ci",
 *     owner: "robot@corp.example",
 *     deployments: ["production"],
 * });
 * ```
 */
export class ApiKey extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): ApiKey {
        return new ApiKey(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:ApiKey";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is ApiKey {
        return utilities.isOfType(obj, ApiKey.__pulumiType);
    }

    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. Allowed: string (1 to 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Email of the user whose permissions the key has. Defaults to the user who creates the key. Refers to a User. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: string (1 to 254 characters). */
    public declare readonly owner: pulumi.Output<string | undefined>;
    /** Deployments that the key can access. `null` means all deployments. Refers to a Deployment. A set: order does not matter and duplicates are removed. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    public declare readonly deployments: pulumi.Output<string[] | undefined>;
    /** Numeric ID, unique in the account. */
    public declare /*out*/ readonly apiKeyId: pulumi.Output<number>;
    /** First characters of the secret, to identify the key. */
    public declare /*out*/ readonly prefix: pulumi.Output<string>;
    /** Time of creation, in UTC. */
    public declare /*out*/ readonly createdAt: pulumi.Output<string>;
    /** The key: `sk-` followed by 43 characters. Available if this resource created the object; absent after an import. */
    public declare /*out*/ readonly token: pulumi.Output<string>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: ApiKeyArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.name, "name", opts);
            resourceInputs["name"] = args?.name;
            resourceInputs["owner"] = args?.owner;
            resourceInputs["deployments"] = args?.deployments;
            resourceInputs["apiKeyId"] = undefined /*out*/;
            resourceInputs["prefix"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
            resourceInputs["token"] = undefined /*out*/;
        } else {
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["owner"] = undefined /*out*/;
            resourceInputs["deployments"] = undefined /*out*/;
            resourceInputs["apiKeyId"] = undefined /*out*/;
            resourceInputs["prefix"] = undefined /*out*/;
            resourceInputs["createdAt"] = undefined /*out*/;
            resourceInputs["token"] = undefined /*out*/;
        }
        super(ApiKey.__pulumiType, name, resourceInputs, utilities.optionsOf(opts, ["token"]));
    }
}

/** The arguments of ApiKey. */
export interface ApiKeyArgs {
    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. Allowed: string (1 to 255 characters). */
    name: pulumi.Input<string>;
    /** Email of the user whose permissions the key has. Defaults to the user who creates the key. Refers to a User. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: string (1 to 254 characters). */
    owner?: pulumi.Input<string | undefined> | undefined;
    /** Deployments that the key can access. `null` means all deployments. Refers to a Deployment. A set: order does not matter and duplicates are removed. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    deployments?: pulumi.Input<pulumi.Input<string>[] | undefined> | undefined;
}
