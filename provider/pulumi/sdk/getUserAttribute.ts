// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getUserAttribute`. */
export interface GetUserAttributeArgs {
    /** Name by which data models and sessions call it. */
    name: string;
}

/** The arguments of `getUserAttributeOutput`. */
export interface GetUserAttributeOutputArgs {
    /** Name by which data models and sessions call it. */
    name: pulumi.Input<string>;
}

/** The result of `getUserAttribute`. */
export interface GetUserAttributeResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name by which data models and sessions call it. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "boolean", "string_array", "number_array". */
    type: string;
    /** Name that people see. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** What it is for. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Value, written as text, of users who have none. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Numeric id, unique in its account. */
    userAttributeId: number;
}

/** Finds one object by its key. An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttribute(args: GetUserAttributeArgs, opts?: pulumi.InvokeOptions): Promise<GetUserAttributeResult> {
    return pulumi.runtime.invoke("svc:index:getUserAttribute", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetUserAttributeResult>;
}

/** Finds one object by its key. An attribute that every user of the account can have a value of. Access policies in the data model read it as `userAttributes.<name>`. */
export function getUserAttributeOutput(args: GetUserAttributeOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetUserAttributeResult> {
    return pulumi.runtime.invokeOutput<GetUserAttributeResult>("svc:index:getUserAttribute", { "name": args.name }, utilities.optionsOf(opts));
}
