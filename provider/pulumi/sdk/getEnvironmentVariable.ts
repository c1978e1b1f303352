// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEnvironmentVariable`. */
export interface GetEnvironmentVariableArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
    /** Name: letters, digits and underscores. Does not start with a digit. */
    name: string;
}

/** The arguments of `getEnvironmentVariableOutput`. */
export interface GetEnvironmentVariableOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
    /** Name: letters, digits and underscores. Does not start with a digit. */
    name: pulumi.Input<string>;
}

/** The result of `getEnvironmentVariable`. */
export interface GetEnvironmentVariableResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Deployment that the object belongs to. Refers to a Deployment. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name: letters, digits and underscores. Does not start with a digit. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (at most 255 characters). */
    name: string;
    /** Value. It is never shown, regardless of the name. The API may mask the value, depending on name. svc cannot detect drift of a masked value. Allowed: string (at most 65536 characters). */
    value: string;
    /** ID of a deployment. */
    deploymentId: number;
}

/** Finds one object by its key. An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export function getEnvironmentVariable(args: GetEnvironmentVariableArgs, opts?: pulumi.InvokeOptions): Promise<GetEnvironmentVariableResult> {
    return pulumi.runtime.invoke("svc:index:getEnvironmentVariable", { "deployment": args.deployment, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEnvironmentVariableResult>;
}

/** Finds one object by its key. An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export function getEnvironmentVariableOutput(args: GetEnvironmentVariableOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEnvironmentVariableResult> {
    return pulumi.runtime.invokeOutput<GetEnvironmentVariableResult>("svc:index:getEnvironmentVariable", { "deployment": args.deployment, "name": args.name }, utilities.optionsOf(opts));
}
