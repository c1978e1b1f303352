// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedTenants`. */
export interface GetEmbedTenantsArgs {

}

/** The arguments of `getEmbedTenantsOutput`. */
export interface GetEmbedTenantsOutputArgs {

}

/** The result of `getEmbedTenants`. */
export interface GetEmbedTenantsResult {
    /** All objects of the collection. */
    items: outputs.EmbedTenantItem[];
}

/** Lists embed tenants. A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export function getEmbedTenants(_args?: GetEmbedTenantsArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedTenantsResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedTenants", {  }, utilities.optionsOf(opts)) as Promise<GetEmbedTenantsResult>;
}

/** Lists embed tenants. A tenant of signed embedding: one customer, with its own groups, attributes and external users. It is created together with a reserved external user, `svc-provisioner`. Deleting it deletes everything in it. */
export function getEmbedTenantsOutput(_args?: GetEmbedTenantsOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedTenantsResult> {
    return pulumi.runtime.invokeOutput<GetEmbedTenantsResult>("svc:index:getEmbedTenants", {  }, utilities.optionsOf(opts));
}
