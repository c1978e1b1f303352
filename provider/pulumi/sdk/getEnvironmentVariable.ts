// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEnvironmentVariable`. */
export interface GetEnvironmentVariableArgs {
    /** The deployment that it belongs to. */
    deployment: string;
    /** Name: letters, digits and underscores, no digit first. */
    name: string;
}

/** The arguments of `getEnvironmentVariableOutput`. */
export interface GetEnvironmentVariableOutputArgs {
    /** The deployment that it belongs to. */
    deployment: pulumi.Input<string>;
    /** Name: letters, digits and underscores, no digit first. */
    name: pulumi.Input<string>;
}

/** The result of `getEnvironmentVariable`. */
export interface GetEnvironmentVariableResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The deployment that it belongs to. Refers to a Deployment. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    deployment: string;
    /** Name: letters, digits and underscores, no digit first. A change deletes the object and creates it anew. Allowed: string (at most 255 characters). */
    name: string;
    /** Value. It is never shown, whatever the name. The API may mask it, depending on name; then drift cannot be seen. Allowed: string (at most 65536 characters). */
    value: string;
    /** Id of a deployment. */
    deploymentId: number;
}

/** Finds one object by its key. An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
export function getEnvironmentVariable(args: GetEnvironmentVariableArgs, opts?: pulumi.InvokeOptions): Promise<GetEnvironmentVariableResult> {
    return pulumi.runtime.invoke("svc:index:getEnvironmentVariable", { "deployment": args.deployment, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEnvironmentVariableResult>;
}

/** Finds one object by its key. An environment variable of a deployment. The API masks the value where the name holds PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of such a value cannot be seen. */
export function getEnvironmentVariableOutput(args: GetEnvironmentVariableOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEnvironmentVariableResult> {
    return pulumi.runtime.invokeOutput<GetEnvironmentVariableResult>("svc:index:getEnvironmentVariable", { "deployment": args.deployment, "name": args.name }, utilities.optionsOf(opts));
}
