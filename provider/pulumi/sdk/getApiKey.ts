// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getApiKey`. */
export interface GetApiKeyArgs {
    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
    name: string;
}

/** The arguments of `getApiKeyOutput`. */
export interface GetApiKeyOutputArgs {
    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. */
    name: pulumi.Input<string>;
}

/** The result of `getApiKey`. */
export interface GetApiKeyResult {
    /** ID for `pulumi import`. */
    id: string;
    /** Name of the key. The API allows duplicate names, but the names of managed keys must be unique. Allowed: string (1 to 255 characters). */
    name: string;
    /** Email of the user whose permissions the key has. Defaults to the user who creates the key. Refers to a User. A change forces replacement: svc deletes the object and creates a new one. If omitted, the service chooses the value. Allowed: string (1 to 254 characters). */
    owner?: string | undefined;
    /** Deployments that the key can access. `null` means all deployments. Refers to a Deployment. A set: order does not matter and duplicates are removed. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    deployments?: string[] | undefined;
    /** Numeric ID, unique in the account. */
    apiKeyId: number;
    /** First characters of the secret, to identify the key. */
    prefix: string;
    /** Time of creation, in UTC. */
    createdAt: string;
}

/** Finds one object by its key. An API credential. The secret is returned once, when the key is created. */
export function getApiKey(args: GetApiKeyArgs, opts?: pulumi.InvokeOptions): Promise<GetApiKeyResult> {
    return pulumi.runtime.invoke("svc:index:getApiKey", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetApiKeyResult>;
}

/** Finds one object by its key. An API credential. The secret is returned once, when the key is created. */
export function getApiKeyOutput(args: GetApiKeyOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetApiKeyResult> {
    return pulumi.runtime.invokeOutput<GetApiKeyResult>("svc:index:getApiKey", { "name": args.name }, utilities.optionsOf(opts));
}
