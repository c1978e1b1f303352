// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/**
 * An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected.
 *
 * ## Example Usage
 *
 * ### A setting of the data model
 *
 * ```typescript
 * import * as svc from "svc-as-code/pulumi";
 *
 * const defaultCurrency = new svc.EnvironmentVariable("default-currency", {
 *     deployment: "production",
 *     name: "DEFAULT_CURRENCY",
 *     value: "EUR",
 * });
 * ```
 */
export class EnvironmentVariable extends pulumi.CustomResource {
    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): EnvironmentVariable {
        return new EnvironmentVariable(name, undefined as never, { ...opts, id });
    }

    /** @internal */
    public static readonly __pulumiType = "svc:index:EnvironmentVariable";

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is EnvironmentVariable {
        return utilities.isOfType(obj, EnvironmentVariable.__pulumiType);
    }

    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    public declare readonly deployment: pulumi.Output<string>;
    /** Name: letters, digits and underscores. Does not start with a digit. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (at most 255 characters). */
    public declare readonly name: pulumi.Output<string>;
    /** Value. It is never shown, regardless of the name. The API may mask the value, depending on name. svc cannot detect drift of a masked value. Allowed: string (at most 65536 characters). */
    public declare readonly value: pulumi.Output<string>;
    /** ID of a deployment. */
    public declare /*out*/ readonly deploymentId: pulumi.Output<number>;

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: EnvironmentVariableArgs, opts?: pulumi.CustomResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.id) {
            utilities.require(args?.deployment, "deployment", opts);
            utilities.require(args?.name, "name", opts);
            utilities.require(args?.value, "value", opts);
            resourceInputs["deployment"] = args?.deployment;
            resourceInputs["name"] = args?.name;
            resourceInputs["value"] = args?.value === undefined ? undefined : pulumi.secret(args?.value);
            resourceInputs["deploymentId"] = undefined /*out*/;
        } else {
            resourceInputs["deployment"] = undefined /*out*/;
            resourceInputs["name"] = undefined /*out*/;
            resourceInputs["value"] = undefined /*out*/;
            resourceInputs["deploymentId"] = undefined /*out*/;
        }
        super(EnvironmentVariable.__pulumiType, name, resourceInputs, utilities.optionsOf(opts, ["value"]));
    }
}

/** The arguments of EnvironmentVariable. */
export interface EnvironmentVariableArgs {
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: pulumi.Input<string>;
    /** Name: letters, digits and underscores. Does not start with a digit. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (at most 255 characters). */
    name: pulumi.Input<string>;
    /** Value. It is never shown, regardless of the name. The API may mask the value, depending on name. svc cannot detect drift of a masked value. Allowed: string (at most 65536 characters). */
    value: pulumi.Input<string>;
}
