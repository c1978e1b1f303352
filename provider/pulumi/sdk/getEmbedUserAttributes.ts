// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUserAttributes`. */
export interface GetEmbedUserAttributesArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
}

/** The arguments of `getEmbedUserAttributesOutput`. */
export interface GetEmbedUserAttributesOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
}

/** The result of `getEmbedUserAttributes`. */
export interface GetEmbedUserAttributesResult {
    /** All objects of the collection. */
    items: outputs.EmbedUserAttributeItem[];
}

/** Lists embed user attributes of one collection. An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export function getEmbedUserAttributes(args: GetEmbedUserAttributesArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUserAttributesResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUserAttributes", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts)) as Promise<GetEmbedUserAttributesResult>;
}

/** Lists embed user attributes of one collection. An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export function getEmbedUserAttributesOutput(args: GetEmbedUserAttributesOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUserAttributesResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUserAttributesResult>("svc:index:getEmbedUserAttributes", { "embedTenant": args.embedTenant }, utilities.optionsOf(opts));
}
