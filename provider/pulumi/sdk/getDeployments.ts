// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getDeployments`. */
export interface GetDeploymentsArgs {

}

/** The arguments of `getDeploymentsOutput`. */
export interface GetDeploymentsOutputArgs {

}

/** The result of `getDeployments`. */
export interface GetDeploymentsResult {
    /** All objects of the collection. */
    items: outputs.DeploymentItem[];
}

/** Lists deployments. An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export function getDeployments(_args?: GetDeploymentsArgs, opts?: pulumi.InvokeOptions): Promise<GetDeploymentsResult> {
    return pulumi.runtime.invoke("svc:index:getDeployments", {  }, utilities.optionsOf(opts)) as Promise<GetDeploymentsResult>;
}

/** Lists deployments. An analytics deployment: its region, the source of its data model, and its platform version. Deleting it deletes everything in it. */
export function getDeploymentsOutput(_args?: GetDeploymentsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetDeploymentsResult> {
    return pulumi.runtime.invokeOutput<GetDeploymentsResult>("svc:index:getDeployments", {  }, utilities.optionsOf(opts));
}
