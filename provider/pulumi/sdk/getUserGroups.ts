// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getUserGroups`. */
export interface GetUserGroupsArgs {

}

/** The arguments of `getUserGroupsOutput`. */
export interface GetUserGroupsOutputArgs {

}

/** The result of `getUserGroups`. */
export interface GetUserGroupsResult {
    /** All objects of the collection. */
    items: outputs.UserGroupItem[];
}

/** Lists user groups. An account-wide group of users. Access policies and dashboards refer to it by name. */
export function getUserGroups(_args?: GetUserGroupsArgs, opts?: pulumi.InvokeOptions): Promise<GetUserGroupsResult> {
    return pulumi.runtime.invoke("svc:index:getUserGroups", {  }, utilities.optionsOf(opts)) as Promise<GetUserGroupsResult>;
}

/** Lists user groups. An account-wide group of users. Access policies and dashboards refer to it by name. */
export function getUserGroupsOutput(_args?: GetUserGroupsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserGroupsResult> {
    return pulumi.runtime.invokeOutput<GetUserGroupsResult>("svc:index:getUserGroups", {  }, utilities.optionsOf(opts));
}
