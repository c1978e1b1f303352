// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";

const stack = new pulumi.Config("svc");

/** The stack's configuration of the provider. */
export const config = {
    /** URL of the server. Defaults to the environment variable `SVC_API_URL`. */
    get url(): string | undefined {
        return stack.get("url");
    },
    /** API key. Defaults to the environment variable `SVC_API_KEY`. */
    get apiKey(): string | undefined {
        return stack.get("apiKey");
    },
    /** How the key is sent: `bearer` or `api-key`. By default, the form of the key decides. Defaults to the environment variable `SVC_AUTH_SCHEME`. */
    get authScheme(): string | undefined {
        return stack.get("authScheme");
    },
    /** Maximum number of requests per second. By default, the server's rate limit applies. */
    get requestsPerSecond(): number | undefined {
        return stack.getNumber("requestsPerSecond");
    },
    /** Maximum number of retries of a request that failed temporarily. */
    get retries(): number | undefined {
        return stack.getNumber("retries");
    },
    /** Certificate authorities to trust, as PEM or as the path of a PEM file. Defaults to the environment variable `SVC_CA_FILE`. */
    get ca(): string | undefined {
        return stack.get("ca");
    },
};
