// Generated from the kinds by `npm run generate`: change those, not this.
import * as pulumi from "@pulumi/pulumi";
import type * as outputs from "./types/output.ts";
import * as utilities from "./utilities.ts";

/** What `getUserAttributes` looks for. */
export interface GetUserAttributesArgs {

}

/** What `getUserAttributesOutput` looks for. */
export interface GetUserAttributesOutputArgs {

}

/** What `getUserAttributes` finds. */
export interface GetUserAttributesResult {
    /** All objects of the collection. */
    items: outputs.UserAttributeItem[];
}

/** Lists user attributes. An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributes(_args?: GetUserAttributesArgs, opts?: pulumi.InvokeOptions): Promise<GetUserAttributesResult> {
    return pulumi.runtime.invoke("svc:index:getUserAttributes", {  }, utilities.optionsOf(opts)) as Promise<GetUserAttributesResult>;
}

/** Lists user attributes. An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributesOutput(_args?: GetUserAttributesOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserAttributesResult> {
    return pulumi.runtime.invokeOutput<GetUserAttributesResult>("svc:index:getUserAttributes", {  }, utilities.optionsOf(opts));
}
