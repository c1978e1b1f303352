// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedTenant`. */
export interface GetEmbedTenantArgs {
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. */
    name: string;
}

/** The arguments of `getEmbedTenantOutput`. */
export interface GetEmbedTenantOutputArgs {
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedTenant`. */
export interface GetEmbedTenantResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that sessions give: 5 to 36 lowercase letters, digits and hyphens, a letter first, no hyphen last. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    name: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Numeric id, unique in its account. */
    embedTenantId: number;
    /** How many users are in it. */
    userCount: number;
    /** When it was made, in UTC. */
    createdAt?: string | undefined;
}

/** Finds one object by its key. A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
export function getEmbedTenant(args: GetEmbedTenantArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedTenantResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedTenant", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedTenantResult>;
}

/** Finds one object by its key. A tenant of signed embedding: one customer, with groups, attributes and external users of its own. It comes to life with a reserved external user, `svc-provisioner`, and deleting it deletes everything inside. */
export function getEmbedTenantOutput(args: GetEmbedTenantOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedTenantResult> {
    return pulumi.runtime.invokeOutput<GetEmbedTenantResult>("svc:index:getEmbedTenant", { "name": args.name }, utilities.optionsOf(opts));
}
