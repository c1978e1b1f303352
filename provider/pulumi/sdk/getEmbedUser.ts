// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUser`. */
export interface GetEmbedUserArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. */
    externalId: string;
}

/** The arguments of `getEmbedUserOutput`. */
export interface GetEmbedUserOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. */
    externalId: pulumi.Input<string>;
}

/** The result of `getEmbedUser`. */
export interface GetEmbedUserResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Stable ID in your own system: lowercase, without surrounding white space. `svc-provisioner` is reserved. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    externalId: string;
    /** Email address that notifications are sent to. The API cannot clear the value once it is set. Allowed: string (email, at most 254 characters). */
    email?: string | undefined;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** HTTP or HTTPS URL of the avatar. The viewer's browser loads it. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Account-wide groups of the user. An empty list removes all memberships. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Groups of the embed tenant that the user is in. An empty list removes all memberships. Refers to a EmbedGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    tenantGroups?: string[] | undefined;
    /** Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. The API does not return this value, so drift is not detected. Changes in the program are applied. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Numeric ID, unique in the account. */
    embedUserId: number;
    /** Name that the user signs in with. For an external user, the external ID. */
    username: string;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
    /** Time of the user's last sign-in, in UTC. */
    lastLogin?: string | undefined;
}

/** Finds one object by its key. An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export function getEmbedUser(args: GetEmbedUserArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUserResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUser", { "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts)) as Promise<GetEmbedUserResult>;
}

/** Finds one object by its key. An external user of an embed tenant, identified by its ID in your own system. Declare it to assign groups and attributes before the user's first session. */
export function getEmbedUserOutput(args: GetEmbedUserOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUserResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUserResult>("svc:index:getEmbedUser", { "embedTenant": args.embedTenant, "externalId": args.externalId }, utilities.optionsOf(opts));
}
