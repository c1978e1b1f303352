// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getUsers`. */
export interface GetUsersArgs {

}

/** The arguments of `getUsersOutput`. */
export interface GetUsersOutputArgs {

}

/** The result of `getUsers`. */
export interface GetUsersResult {
    /** All objects of the collection. */
    items: outputs.UserItem[];
}

/** Lists users. A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export function getUsers(_args?: GetUsersArgs, opts?: pulumi.InvokeOptions): Promise<GetUsersResult> {
    return pulumi.runtime.invoke("svc:index:getUsers", {  }, utilities.optionsOf(opts)) as Promise<GetUsersResult>;
}

/** Lists users. A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export function getUsersOutput(_args?: GetUsersOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUsersResult> {
    return pulumi.runtime.invokeOutput<GetUsersResult>("svc:index:getUsers", {  }, utilities.optionsOf(opts));
}
