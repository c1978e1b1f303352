// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getEmbedUserAttribute`. */
export interface GetEmbedUserAttributeArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: string;
    /** Name, unique in the embed tenant. */
    name: string;
}

/** The arguments of `getEmbedUserAttributeOutput`. */
export interface GetEmbedUserAttributeOutputArgs {
    /** Embed tenant that the object belongs to. */
    embedTenant: pulumi.Input<string>;
    /** Name, unique in the embed tenant. */
    name: pulumi.Input<string>;
}

/** The result of `getEmbedUserAttribute`. */
export interface GetEmbedUserAttributeResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Embed tenant that the object belongs to. Refers to a EmbedTenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (5 to 36 characters). */
    embedTenant: string;
    /** Name, unique in the embed tenant. A change forces replacement: svc deletes the object and creates a new one. Allowed: string (1 to 255 characters). */
    name: string;
    /** Type of the attribute's values. The API cannot change it: a change replaces the attribute and deletes all its values. A change forces replacement: svc deletes the object and creates a new one. Allowed: "string", "number", "string_array", "number_array". */
    type: string;
    /** Display name. The API cannot clear the value once it is set. Allowed: string (1 to 255 characters). */
    displayName?: string | undefined;
    /** Default value, as text, for users without a value. The API cannot clear the value once it is set. The format depends on type: for number, a number, such as 2.5; for boolean, true or false; for string_array, strings separated by commas, or a JSON list such as ["a", "b"]; for number_array, numbers separated by commas, or a JSON list such as [1, 2]. Allowed: string (1 to 10000 characters). */
    defaultValue?: string | undefined;
    /** Description. The API cannot clear the value once it is set. Allowed: string (1 to 500 characters). */
    description?: string | undefined;
    /** Numeric ID, unique in the account. */
    embedUserAttributeId: number;
}

/** Finds one object by its key. An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export function getEmbedUserAttribute(args: GetEmbedUserAttributeArgs, opts?: pulumi.InvokeOptions): Promise<GetEmbedUserAttributeResult> {
    return pulumi.runtime.invoke("svc:index:getEmbedUserAttribute", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts)) as Promise<GetEmbedUserAttributeResult>;
}

/** Finds one object by its key. An attribute of the external users of an embed tenant. It is written through a creator-mode session, so the account's `useCreatorMode` setting must be on. */
export function getEmbedUserAttributeOutput(args: GetEmbedUserAttributeOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetEmbedUserAttributeResult> {
    return pulumi.runtime.invokeOutput<GetEmbedUserAttributeResult>("svc:index:getEmbedUserAttribute", { "embedTenant": args.embedTenant, "name": args.name }, utilities.optionsOf(opts));
}
