// Generated from the kinds by `npm run generate`: change those, not this.
import * as pulumi from "@pulumi/pulumi";

/** The version of the package, and of the plugin that it needs. */
export const version = "0.1.0";

/** The options of a resource or a call, with the version of this package and the outputs that are secret. */
export function optionsOf<Options extends object>(opts: Options | undefined, secrets?: string[]): Options {
    const ours = secrets === undefined ? { version } : { version, additionalSecretOutputs: secrets };
    return pulumi.mergeOptions(ours, opts) as Options;
}

/** True for an object of this type, whichever copy of this package made it. */
export function isOfType(obj: unknown, type: string): boolean {
    return typeof obj === "object" && obj !== null && "__pulumiType" in obj && obj.__pulumiType === type;
}

/** Throws where a property that a new resource needs is not given. */
export function require(value: unknown, property: string, opts: pulumi.ResourceOptions | undefined): void {
    if (value === undefined && !opts?.urn) throw new Error(`Missing required property '${property}'`);
}

/** A setting as providers take those that are no texts. */
export function asText(value: pulumi.Input<number | undefined> | undefined): pulumi.Output<string | undefined> {
    return pulumi.output(value).apply((known: number | undefined) => (known === undefined ? undefined : JSON.stringify(known)));
}
