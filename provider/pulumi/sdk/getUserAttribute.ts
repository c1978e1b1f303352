// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getUserAttribute`. */
export interface GetUserAttributeArgs {
    /** Name that data models and sessions refer to. */
    name: string;
}

/** The arguments of `getUserAttributeOutput`. */
export interface GetUserAttributeOutputArgs {
    /** Name that data models and sessions refer to. */
    name: pulumi.Input<string>;
}

/** The result of `getUserAttribute`. */
export interface GetUserAttributeResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name that data models and sessions refer to. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    type: string;
    /** Display name. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Description. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Default value, as text, for users without a value. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Numeric ID, unique in the account. */
    userAttributeId: number;
}

/** Finds one object by its key. An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttribute(args: GetUserAttributeArgs, opts?: pulumi.InvokeOptions): Promise<GetUserAttributeResult> {
    return pulumi.runtime.invoke("svc:index:getUserAttribute", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetUserAttributeResult>;
}

/** Finds one object by its key. An attribute of the account's users. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributeOutput(args: GetUserAttributeOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserAttributeResult> {
    return pulumi.runtime.invokeOutput<GetUserAttributeResult>("svc:index:getUserAttribute", { "name": args.name }, utilities.optionsOf(opts));
}
