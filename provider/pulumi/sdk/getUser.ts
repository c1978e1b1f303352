// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getUser`. */
export interface GetUserArgs {
    /** Email, in lowercase, unique in the account. */
    email: string;
}

/** The arguments of `getUserOutput`. */
export interface GetUserOutputArgs {
    /** Email, in lowercase, unique in the account. */
    email: pulumi.Input<string>;
}

/** The result of `getUser`. */
export interface GetUserResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Email, in lowercase, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (email, at most 254 characters). */
    email: string;
    /** Username for sign-in, unique in the account. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    username: string;
    /** Display name. Allowed: string (1 to 255 characters). */
    firstName?: string | undefined;
    /** Job title. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** HTTP or HTTPS URL of the avatar. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Whether the user is an administrator. Administrators have all permissions; other users can only read. The last active administrator of an account cannot be demoted. The API cannot clear the value once it is set. */
    isAdmin?: boolean | undefined;
    /** Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves. The API cannot clear the value once it is set. */
    isDeactivated?: boolean | undefined;
    /** Account-wide groups of the user. The list replaces all memberships; an empty list removes them. Refers to a UserGroup. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Values of account-wide attributes. The list replaces all values; an empty list clears them. A set: order does not matter and duplicates are removed. The API cannot clear the value once it is set. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Numeric ID, unique in the account. */
    userId: number;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
    /** Time of the user's last sign-in, in UTC. */
    lastLogin?: string | undefined;
}

/** Finds one object by its key. A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export function getUser(args: GetUserArgs, opts?: pulumi.InvokeOptions): Promise<GetUserResult> {
    return pulumi.runtime.invoke("svc:index:getUser", { "email": args.email }, utilities.optionsOf(opts)) as Promise<GetUserResult>;
}

/** Finds one object by its key. A user of the account, with role, groups and attribute values. Deleting a user deletes the user's API keys. */
export function getUserOutput(args: GetUserOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserResult> {
    return pulumi.runtime.invokeOutput<GetUserResult>("svc:index:getUser", { "email": args.email }, utilities.optionsOf(opts));
}
