// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getApiKeys`. */
export interface GetApiKeysArgs {

}

/** The arguments of `getApiKeysOutput`. */
export interface GetApiKeysOutputArgs {

}

/** The result of `getApiKeys`. */
export interface GetApiKeysResult {
    /** All objects of the collection. */
    items: outputs.ApiKeyItem[];
}

/** Lists api keys. An API credential. The secret is returned once, when the key is created. */
export function getApiKeys(_args?: GetApiKeysArgs, opts?: pulumi.InvokeOptions): Promise<GetApiKeysResult> {
    return pulumi.runtime.invoke("svc:index:getApiKeys", {  }, utilities.optionsOf(opts)) as Promise<GetApiKeysResult>;
}

/** Lists api keys. An API credential. The secret is returned once, when the key is created. */
export function getApiKeysOutput(_args?: GetApiKeysOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetApiKeysResult> {
    return pulumi.runtime.invokeOutput<GetApiKeysResult>("svc:index:getApiKeys", {  }, utilities.optionsOf(opts));
}
