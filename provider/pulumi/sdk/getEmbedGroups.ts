// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedGroups`. */
export interface GetEmbedGroupsArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
}

/** The arguments of `getEmbedGroupsOutput`. */
export interface GetEmbedGroupsOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
}

/** The result of `getEmbedGroups`. */
export interface GetEmbedGroupsResult {
    /** All objects of the collection. */
    items: outputs.EmbedGroupItem[];
}

/** Lists embed groups of one collection. A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export function getEmbedGroups(args: GetEmbedGroupsArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedGroupsResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedGroups", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts)) as Promise<GetEmbedGroupsResult>;
}

/** Lists embed groups of one collection. A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export function getEmbedGroupsOutput(args: GetEmbedGroupsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedGroupsResult> {
    return pulumi.runtime.invokeOutput<GetEmbedGroupsResult>("svc:index:getEmbedGroups", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts));
}
