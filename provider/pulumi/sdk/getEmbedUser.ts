// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUser`. */
export interface GetEmbedUserArgs {
    /** The tenant it belongs to. */
    embedTenant: string;
    /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. */
    externalId: string;
}

/** The arguments of `getEmbedUserOutput`. */
export interface GetEmbedUserOutputArgs {
    /** The tenant it belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. */
    externalId: pulumi.Input<string>;
}

/** The result of `getEmbedUser`. */
export interface GetEmbedUserResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Stable id in your own system: lowercase, trimmed. `svc-provisioner` is reserved. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Where notifications go. The API cannot clear it once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Name beside the avatar. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Absolute http(s) address of the avatar; the viewer's browser loads it. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Account-wide groups it is in; an empty list leaves all. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of its tenant it is in; an empty list leaves all. Refers to a EmbedGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes; `null` clears one, one left out is kept. Order does not matter, and duplicates count once. The API cannot clear it once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Numeric id, unique in its account. */
    embedUserId: number;
    /** Name that the user signs in with; an external user's is its external id. */
    username: string;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
    /** When the user was let in last, in UTC. */
    lastLogin?: string | undefined;
}

/** Finds one object by its key. An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
export function getEmbedUser(args: GetEmbedUserArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUserResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUser", { "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts)) as Promise<GetEmbedUserResult>;
}

/** Finds one object by its key. An external user of an embed tenant, known by the id it has in your own system. Provisioning it ahead of its first session gives it groups and attributes from the start. */
export function getEmbedUserOutput(args: GetEmbedUserOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUserResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUserResult>("svc:index:getEmbedUser", { "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts));
}
