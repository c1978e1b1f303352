// Generated from the kinds by `npm run generate`. Do not edit.
import * as pulumi from "@pulumi/pulumi";

/** Returns the version of the package, which is also the version of its plugin. */
export const version = "0.1.0";

/** Adds the version of this package and the secret outputs to the options of a resource or a call. */
export function optionsOf<Options extends object>(opts: Options | undefined, secrets?: string[]): Options {
    const ours = secrets === undefined ? { version } : { version, additionalSecretOutputs: secrets };
    return pulumi.mergeOptions(ours, opts) as Options;
}

/** Returns true if the object has this type, even from another copy of this package. */
export function isOfType(obj: unknown, type: string): boolean {
    return typeof obj === "object" && obj !== null && "__pulumiType" in obj && obj.__pulumiType === type;
}

/** Throws if a required property is missing. */
export function require(value: unknown, property: string, opts: pulumi.ResourceOptions | undefined): void {
    if (value === undefined && !opts?.urn) throw new Error(`Missing required property '${property}'`);
}

/** Encodes a provider setting that is not a string. */
export function asText(value: pulumi.Input<number | undefined> | undefined): pulumi.Output<string | undefined> {
    return pulumi.output(value).apply((known: number | undefined) => (known === undefined ? undefined : JSON.stringify(known)));
}
