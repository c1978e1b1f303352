// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** Connection to the server. */
export class Provider extends pulumi.ProviderResource {
    /** @internal */
    public static readonly __pulumiType = "svc";

    /** Returns true if the object is a Provider, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is Provider {
        return utilities.isOfType(obj, `pulumi:providers:${Provider.__pulumiType}`);
    }

    /**
     * Declares a provider.
     *
     * @param name The name of the resource in the program.
     * @param args Which server, and how to talk to it.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args?: ProviderArgs, opts?: pulumi.ResourceOptions) {
        const resourceInputs: pulumi.Inputs = {};
        resourceInputs["url"] = args?.url;
        resourceInputs["apiKey"] = args?.apiKey === undefined ? undefined : pulumi.secret(args?.apiKey);
        resourceInputs["authScheme"] = args?.authScheme;
        resourceInputs["requestsPerSecond"] = utilities.asText(args?.requestsPerSecond);
        resourceInputs["retries"] = utilities.asText(args?.retries);
        resourceInputs["ca"] = args?.ca;
        super(Provider.__pulumiType, name, resourceInputs, utilities.optionsOf(opts, ["apiKey"]));
    }
}

/** The arguments of Provider. */
export interface ProviderArgs {
    /** URL of the server. Defaults to the environment variable `SVC_API_URL`. */
    url?: pulumi.Input<string | undefined> | undefined;
    /** API key. Defaults to the environment variable `SVC_API_KEY`. */
    apiKey?: pulumi.Input<string | undefined> | undefined;
    /** How the key is sent: `bearer` or `api-key`. By default, the form of the key decides. Defaults to the environment variable `SVC_AUTH_SCHEME`. */
    authScheme?: pulumi.Input<string | undefined> | undefined;
    /** Maximum number of requests per second. By default, the server's rate limit applies. */
    requestsPerSecond?: pulumi.Input<number | undefined> | undefined;
    /** Maximum number of retries of a request that failed temporarily. */
    retries?: pulumi.Input<number | undefined> | undefined;
    /** Certificate authorities to trust, as PEM or as the path of a PEM file. Defaults to the environment variable `SVC_CA_FILE`. */
    ca?: pulumi.Input<string | undefined> | undefined;
}
