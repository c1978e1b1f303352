// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The arguments of `getApiKey`. */
export interface GetApiKeyArgs {
    /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
    name: string;
}

/** The arguments of `getApiKeyOutput`. */
export interface GetApiKeyOutputArgs {
    /** What it is for. The API lets several keys have one name; of those that are managed each has its own. */
    name: pulumi.Input<string>;
}

/** The result of `getApiKey`. */
export interface GetApiKeyResult {
    /** ID for `pulumi import`. */
    id: string;
    /** What it is for. The API lets several keys have one name; of those that are managed each has its own. Allowed: string (1 to 255 characters). */
    name: string;
    /** Email of the user whose rights it carries; left out, the user whose key is used to make it. Refers to a User. A change deletes the object and creates it anew. Left out, the service chooses it. Allowed: string (1 to 254 characters). */
    owner?: string | undefined;
    /** The only deployments that it reaches; `null` is all of them. Refers to a Deployment. Order does not matter, and duplicates count once. Allowed: list (1 to 1000 items) of string (1 to 255 characters). */
    deployments?: string[] | undefined;
    /** Numeric id, unique in its account. */
    apiKeyId: number;
    /** The first characters of the secret, to tell keys apart. */
    prefix: string;
    /** When it was made, in UTC. */
    createdAt: string;
}

/** Finds one object by its key. A credential for the API. Its secret is shown once, when the key is made. */
export function getApiKey(args: GetApiKeyArgs, opts?: pulumi.InvokeOptions): Promise<GetApiKeyResult> {
    return pulumi.runtime.invoke("svc:index:getApiKey", { "name": args.name }, utilities.optionsOf(opts)) as Promise<GetApiKeyResult>;
}

/** Finds one object by its key. A credential for the API. Its secret is shown once, when the key is made. */
export function getApiKeyOutput(args: GetApiKeyOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetApiKeyResult> {
    return pulumi.runtime.invokeOutput<GetApiKeyResult>("svc:index:getApiKey", { "name": args.name }, utilities.optionsOf(opts));
}
