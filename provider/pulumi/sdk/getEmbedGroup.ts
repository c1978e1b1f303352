// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedGroup`. */
export interface GetEmbedGroupArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
    /** Name, unique in the embed tenant. */
    name: string;
}

/** The arguments of `getEmbedGroupOutput`. */
export interface GetEmbedGroupOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the embed tenant. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedGroup`. */
export interface GetEmbedGroupResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 100 characters). */
    name: string;
    /** Description. A server without direct group operations can update it but cannot clear it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedGroupId: number;
    /** Number of users it contains. */
    userCount?: number | undefined;
}

/** Finds one object by its key. A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export function getEmbedGroup(args: GetEmbedGroupArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedGroupResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedGroup", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedGroupResult>;
}

/** Finds one object by its key. A group in an embed tenant. Creator-mode sessions and provisioned users refer to it by name. */
export function getEmbedGroupOutput(args: GetEmbedGroupOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedGroupResult> {
    return pulumi.runtime.invokeOutput<GetEmbedGroupResult>("svc:index:getEmbedGroup", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts));
}
