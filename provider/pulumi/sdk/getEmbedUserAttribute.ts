// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUserAttribute`. */
export interface GetEmbedUserAttributeArgs {
    /** The tenant it belongs to. */
    embedTenant: string;
    /** Name, unique in the tenant. */
    name: string;
}

/** The arguments of `getEmbedUserAttributeOutput`. */
export interface GetEmbedUserAttributeOutputArgs {
    /** The tenant it belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the tenant. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedUserAttribute`. */
export interface GetEmbedUserAttributeResult {
    /** ID for `pulumi import`. */
    id: string;
    /** The tenant it belongs to. Refers to a EmbedTenant. A change deletes the object and creates it anew. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the tenant. A change deletes the object and creates it anew. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of its values. The API cannot change it: a change deletes the attribute with all its values and makes a new one. A change deletes the object and creates it anew. Allowed: "string", "number", "string_array", "number_array". */
    type: string;
    /** Name that people see. The API cannot clear it once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Value, written as text, of users who have none. The API cannot clear it once it is set. Its form goes by type: of number, a number, such as 2.5; of boolean, true or false; of string_array, texts with commas between, or a JSON list such as ["a", "b"]; of number_array, numbers with commas between, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** What it is for. The API cannot clear it once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric id, unique in its account. */
    embedUserAttributeId: number;
}

/** Finds one object by its key. An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
export function getEmbedUserAttribute(args: GetEmbedUserAttributeArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUserAttributeResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUserAttribute", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedUserAttributeResult>;
}

/** Finds one object by its key. An attribute that external users of one embed tenant can have a value of. It is written through a creator-mode session, so the account's `useCreatorMode` flag must be on. */
export function getEmbedUserAttributeOutput(args: GetEmbedUserAttributeOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUserAttributeResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUserAttributeResult>("svc:index:getEmbedUserAttribute", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts));
}
