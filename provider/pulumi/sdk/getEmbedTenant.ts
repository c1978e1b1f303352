// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedTenant`. */
export interface GetEmbedTenantArgs {
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. */
    name: string;
}

/** The arguments of `getEmbedTenantOutput`. */
export interface GetEmbedTenantOutputArgs {
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedTenant`. */
export interface GetEmbedTenantResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that sessions refer to: 5 to 36 lowercase letters, digits and hyphens. Starts with a letter and does not end with a hyphen. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    name: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedTenantId: number;
    /** Number of users it contains. */
    userCount: number;
    /** Time of creation, in UTC. */
    createdAt?: string | undefined;
}

/** Finds one object by its key. A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export function getEmbedTenant(args: GetEmbedTenantArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedTenantResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedTenant", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedTenantResult>;
}

/** Finds one object by its key. A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export function getEmbedTenantOutput(args: GetEmbedTenantOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedTenantResult> {
    return pulumi.runtime.invokeOutput<GetEmbedTenantResult>("svc:index:getEmbedTenant", { "name": args.name }, utilities.optionsOf(opts));
}
