// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** The arguments of `getUserAttributes`. */
export interface GetUserAttributesArgs {

}

/** The arguments of `getUserAttributesOutput`. */
export interface GetUserAttributesOutputArgs {

}

/** The result of `getUserAttributes`. */
export interface GetUserAttributesResult {
    /** All objects of the collection. */
    items: outputs.UserAttributeItem[];
}

/** Lists user attributes. An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributes(_args?: GetUserAttributesArgs, opts?: pulumi.InvokeOptions): Promise<GetUserAttributesResult> {
    return pulumi.runtime.invoke("svc:index:getUserAttributes", {  }, utilities.optionsOf(opts)) as Promise<GetUserAttributesResult>;
}

/** Lists user attributes. An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributesOutput(_args?: GetUserAttributesOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserAttributesResult> {
    return pulumi.runtime.invokeOutput<GetUserAttributesResult>("svc:index:getUserAttributes", {  }, utilities.optionsOf(opts));
}
