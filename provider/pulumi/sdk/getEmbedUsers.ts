// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUsers`. */
export interface GetEmbedUsersArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
}

/** The arguments of `getEmbedUsersOutput`. */
export interface GetEmbedUsersOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
}

/** The result of `getEmbedUsers`. */
export interface GetEmbedUsersResult {
    /** All objects of the collection. */
    items: outputs.EmbedUserItem[];
}

/** Lists embed users of one collection. An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export function getEmbedUsers(args: GetEmbedUsersArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUsersResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUsers", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts)) as Promise<GetEmbedUsersResult>;
}

/** Lists embed users of one collection. An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export function getEmbedUsersOutput(args: GetEmbedUsersOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUsersResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUsersResult>("svc:index:getEmbedUsers", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts));
}
