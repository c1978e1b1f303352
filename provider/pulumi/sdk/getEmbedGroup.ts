// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedGroup`. */
export interface GetEmbedGroupArgs {
    /** The tenant it belongs to. */
    embedTenant: string;
    /** Name, unique in the tenant. */
    name: string;
}

/** The arguments of `getEmbedGroupOutput`. */
export interface GetEmbedGroupOutputArgs {
    /** The tenant it belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the tenant. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedGroup`. */
export interface GetEmbedGroupResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 100 characters). */
    name: string;
    /** Who belongs to it. A server without direct group operations updates it and never clears it. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric id, unique in its account. */
    embedGroupId: number;
    /** How many users are in it. */
    userCount?: number | undefined;
}

/** Finds one object by its key. A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
export function getEmbedGroup(args: GetEmbedGroupArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedGroupResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedGroup", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedGroupResult>;
}

/** Finds one object by its key. A group in an embed tenant: what creator-mode sessions and provisioned users name in their groups. */
export function getEmbedGroupOutput(args: GetEmbedGroupOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedGroupResult> {
    return pulumi.runtime.invokeOutput<GetEmbedGroupResult>("svc:index:getEmbedGroup", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts));
}
