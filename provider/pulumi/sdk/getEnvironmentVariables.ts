// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEnvironmentVariables`. */
export interface GetEnvironmentVariablesArgs {
    /** Deployment that the object belongs to. */
    deployment: string;
}

/** The arguments of `getEnvironmentVariablesOutput`. */
export interface GetEnvironmentVariablesOutputArgs {
    /** Deployment that the object belongs to. */
    deployment: pulumi.Input<string>;
}

/** The result of `getEnvironmentVariables`. */
export interface GetEnvironmentVariablesResult {
    /** All objects of the collection. */
    items: outputs.EnvironmentVariableItem[];
}

/** Lists environment variables of one collection. An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export function getEnvironmentVariables(args: GetEnvironmentVariablesArgs, opts?: pulumi.InvokeOptions): Promise<GetEnvironmentVariablesResult> {
    return pulumi.runtime.invoke("svc:index:getEnvironmentVariables", { "deployment": args.deployment }, utilities.optionsOf(opts)) as Promise<GetEnvironmentVariablesResult>;
}

/** Lists environment variables of one collection. An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected. */
export function getEnvironmentVariablesOutput(args: GetEnvironmentVariablesOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEnvironmentVariablesResult> {
    return pulumi.runtime.invokeOutput<GetEnvironmentVariablesResult>("svc:index:getEnvironmentVariables", { "deployment": args.deployment }, utilities.optionsOf(opts));
}
