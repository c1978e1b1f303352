// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getUser`. */
export interface GetUserArgs {
    /** Email, in lower case, unique in the account. */
    email: string;
}

/** The arguments of `getUserOutput`. */
export interface GetUserOutputArgs {
    /** Email, in lower case, unique in the account. */
    email: pulumi.Input<string>;
}

/** The result of `getUser`. */
export interface GetUserResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Email, in lower case, unique in the account. A change deletes the object and creates it anew. Allowed: string (email, at most 254 characters). */
    email: string;
    /** Name to sign in with, unique in the account. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    username: string;
    /** Name as others see it. Allowed: string (1 to 255 characters). */
    firstName?: string | undefined;
    /** What the user does. Allowed: string (1 to 255 characters). */
    title?: string | undefined;
    /** Absolute http(s) address of the avatar. Allowed: string (iri, at most 2048 characters). */
    picture?: string | undefined;
    /** Administrators may do everything; others read. The account's last active one stays. The API cannot clear it once it is set. */
    isAdmin?: boolean | undefined;
    /** Keys and sessions of the user are refused. Nobody deactivates themselves. The API cannot clear it once it is set. */
    isDeactivated?: boolean | undefined;
    /** The account's groups that the user is in, and no others; an empty list leaves all. Refers to a UserGroup. Order does not matter, and duplicates count once. The API cannot clear it once it is set. Allowed: list (at most 1000 items) of string (1 to 255 characters). */
    groups?: string[] | undefined;
    /** Values of the account's attributes, and no others; an empty list clears all. Order does not matter, and duplicates count once. The API cannot clear it once it is set. */
    userAttributes?: outputs.AttributeValue[] | undefined;
    /** Numeric id, unique in its account. */
    userId: number;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
    /** When the user was let in last, in UTC. */
    lastLogin?: string | undefined;
}

/** Finds one object by its key. One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
export function getUser(args: GetUserArgs, opts?: pulumi.InvokeOptions): Promise<GetUserResult> {
    return pulumi.runtime.invoke("svc:index:getUser", { "email": args.email }, utilities.optionsOf(opts)) as Promise<GetUserResult>;
}

/** Finds one object by its key. One of the account's own users. Who is an administrator, who is let in at all, and which groups and attributes access policies see. Deleting a user deletes its API keys. */
export function getUserOutput(args: GetUserOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserResult> {
    return pulumi.runtime.invokeOutput<GetUserResult>("svc:index:getUser", { "email": args.email }, utilities.optionsOf(opts));
}
