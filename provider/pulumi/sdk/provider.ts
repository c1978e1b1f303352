// Generated from the kinds by `npm run generate`: change those, not this.
import * as pulumi from "@pulumi/pulumi";
import * as utilities from "./utilities.ts";

/** The server that resources live on, and how to talk to it. */
export class Provider extends pulumi.ProviderResource {
    /** @internal */
    public static readonly __pulumiType = "svc";

    /** True for a Provider, also for one that another copy of this package made. */
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

/** How a provider is configured. */
export interface ProviderArgs {
    /** Address of the server. Left out, `SVC_API_URL` of the plugin's environment says it. */
    url?: pulumi.Input<string | undefined> | undefined;
    /** API key. Left out, `SVC_API_KEY` of the plugin's environment says it. */
    apiKey?: pulumi.Input<string | undefined> | undefined;
    /** How the key is sent: `bearer` or `api-key`; left out, by what it looks like. Left out, `SVC_AUTH_SCHEME` of the plugin's environment says it. */
    authScheme?: pulumi.Input<string | undefined> | undefined;
    /** Most requests a second; left out, as fast as the server allows. */
    requestsPerSecond?: pulumi.Input<number | undefined> | undefined;
    /** Times that a request which may succeed later is sent again. */
    retries?: pulumi.Input<number | undefined> | undefined;
    /** Certificate authorities to trust: PEM, or the path of a file that holds it. Left out, `SVC_CA_FILE` of the plugin's environment says it. */
    ca?: pulumi.Input<string | undefined> | undefined;
}
