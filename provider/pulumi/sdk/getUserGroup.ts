// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getUserGroup`. */
export interface GetUserGroupArgs {
    /** Name, unique in the account. A change renames the group and keeps its members. */
    name: string;
}

/** The arguments of `getUserGroupOutput`. */
export interface GetUserGroupOutputArgs {
    /** Name, unique in the account. A change renames the group and keeps its members. */
    name: pulumi.Input<string>;
}

/** The result of `getUserGroup`. */
export interface GetUserGroupResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name, unique in the account. A change renames the group and keeps its members. Allowed: string (1 to 100 characters). */
    name: string;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    userGroupId: number;
    /** Number of users it contains. */
    userCount?: number | undefined;
}

/** Finds one object by its key. An account-wide group of users. Access policies and dashboards refer to it by name. */
export function getUserGroup(args: GetUserGroupArgs, opts?: pulumi.InvokeOptions): Promise<GetUserGroupResult> {
    return pulumi.runtime.invoke("svc:index:getUserGroup", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetUserGroupResult>;
}

/** Finds one object by its key. An account-wide group of users. Access policies and dashboards refer to it by name. */
export function getUserGroupOutput(args: GetUserGroupOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserGroupResult> {
    return pulumi.runtime.invokeOutput<GetUserGroupResult>("svc:index:getUserGroup", { "name": args.name }, utilities.optionsOf(opts));
}
