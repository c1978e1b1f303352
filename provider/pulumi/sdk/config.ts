// Generated from the kinds by `npm run generate`: change those, not this.
import * as pulumi from "@pulumi/pulumi";

const stack = new pulumi.Config("svc");

/** The stack's own configuration of the provider. */
export const config = {
    /** Address of the server. Left out, `SVC_API_URL` of the plugin's environment says it. */
    get url(): string | undefined {
        return stack.get("url");
    },
    /** API key. Left out, `SVC_API_KEY` of the plugin's environment says it. */
    get apiKey(): string | undefined {
        return stack.get("apiKey");
    },
    /** How the key is sent: `bearer` or `api-key`; left out, by what it looks like. Left out, `SVC_AUTH_SCHEME` of the plugin's environment says it. */
    get authScheme(): string | undefined {
        return stack.get("authScheme");
    },
    /** Most requests a second; left out, as fast as the server allows. */
    get requestsPerSecond(): number | undefined {
        return stack.getNumber("requestsPerSecond");
    },
    /** Times that a request which may succeed later is sent again. */
    get retries(): number | undefined {
        return stack.getNumber("retries");
    },
    /** Certificate authorities to trust: PEM, or the path of a file that holds it. Left out, `SVC_CA_FILE` of the plugin's environment says it. */
    get ca(): string | undefined {
        return stack.get("ca");
    },
};
