// Generates the TypeScript SDK from the Pulumi package schema, in the form of Pulumi's own SDKs.
import { camelCase, upperFirst } from "../core/text/naming.ts";
import type { JsonObject } from "../core/json.ts";
import {
  doc,
  entriesOf,
  members,
  nameOf,
  objectIn,
  type ObjectShape,
  objectShape,
  textOf,
  typeOf,
} from "./pulumi-types.ts";

const header = "// Generated from the kinds by `npm run generate`. Do not edit.";

/** Returns every file of the SDK by its path in the SDK's folder. */
export function sdkFiles(schema: JsonObject): ReadonlyMap<string, string> {
  const resources = entriesOf(schema["resources"]).map(([token, one]): [string, string] => [
    `${camelCase(nameOf(token))}.ts`,
    resourceFile(token, one),
  ]);
  const functions = entriesOf(schema["functions"]).map(([token, one]): [string, string] => [
    `${nameOf(token)}.ts`,
    functionFile(token, one),
  ]);
  const types = entriesOf(schema["types"]);
  return new Map([
    ...resources,
    ...functions,
    ["provider.ts", providerFile(schema)],
    ["config.ts", configFile(schema)],
    ["types/enums.ts", enumsFile(types.filter(([, { enum: values }]) => values !== undefined))],
    ["types/input.ts", typesFile(types, "input")],
    ["types/output.ts", typesFile(types, "output")],
    ["utilities.ts", utilitiesFile(schema)],
    ["index.ts", indexFile(schema)],
  ]);
}

function resourceFile(token: string, spec: JsonObject): string {
  const name = nameOf(token);
  const inputs = objectShape(spec, ["inputProperties", "requiredInputs"]);
  const outputs = objectShape(spec);
  const fields = entriesOf(outputs.properties).map(([property, one]) => {
    const type = `${typeOf(one, "output")}${outputs.required.includes(property) ? "" : " | undefined"}`;
    const out = property in inputs.properties ? "" : "/*out*/ ";
    return `${doc(one, 1)}    public declare ${out}readonly ${property}: pulumi.Output<${type}>;`;
  });
  const isComponent = spec["isComponent"] === true;
  const [base, options] = isComponent
    ? ["ComponentResource", "ComponentResourceOptions"]
    : ["CustomResource", "CustomResourceOptions"];
  const known = entriesOf(outputs.properties)
    .map(([property]) => `            resourceInputs["${property}"] = undefined /*out*/;`)
    .join("\n");
  const end = isComponent ? ", true /*remote*/" : "";
  const body = `${doc(spec, 0)}export class ${name} extends pulumi.${base} {
${isComponent ? "" : getMethod(name)}    /** @internal */
    public static readonly __pulumiType = ${JSON.stringify(token)};

    /** Returns true if the object is a resource of this type, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is ${name} {
        return utilities.isOfType(obj, ${name}.__pulumiType);
    }

${fields.join("\n")}

    /**
     * Declares a resource of this type.
     *
     * @param name The name of the resource in the program; it is no property.
     * @param args What the resource is to be like.
     * @param opts How Pulumi handles it.
     */
    constructor(name: string, args: ${name}Args, opts?: pulumi.${options}) {
        const resourceInputs: pulumi.Inputs = {};
        if (!opts?.${isComponent ? "urn" : "id"}) {
${constructorText(inputs, outputs)}
        } else {
${known}
        }
        super(${name}.__pulumiType, name, resourceInputs, ${resourceOptionsText(outputs)}${end});
    }
}

/** The arguments of ${name}. */
export interface ${name}Args {
${members(inputs, { side: "input" })}
}
`;
  return withImports(body);
}

/** Returns the static `get` method. Components have none. */
function getMethod(name: string): string {
  return `    /** Gets an existing object by its id, as a resource that this program reads and does not manage. */
    public static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): ${name} {
        return new ${name}(name, undefined as never, { ...opts, id });
    }

`;
}

function constructorText(inputs: ObjectShape, outputs: ObjectShape): string {
  const missing = inputs.required.map(
    (property) => `            utilities.require(args?.${property}, "${property}", opts);`,
  );
  const given = entriesOf(inputs.properties).map(
    ([property, one]) =>
      `            resourceInputs["${property}"] = ${propertyValueText(property, one)};`,
  );
  const out = Object.keys(outputs.properties)
    .filter((property) => !(property in inputs.properties))
    .map((property) => `            resourceInputs["${property}"] = undefined /*out*/;`);
  return [...missing, ...given, ...out].join("\n");
}

function propertyValueText(property: string, { secret }: JsonObject): string {
  const value = `args?.${property}`;
  return secret === true ? `${value} === undefined ? undefined : pulumi.secret(${value})` : value;
}

function resourceOptionsText({ properties }: ObjectShape): string {
  const secrets = secretsOf(properties);
  return secrets.length === 0
    ? "utilities.optionsOf(opts)"
    : `utilities.optionsOf(opts, ${JSON.stringify(secrets)})`;
}

function secretsOf(properties: JsonObject): readonly string[] {
  return entriesOf(properties)
    .filter(([, { secret }]) => secret === true)
    .map(([property]) => property);
}

function functionFile(token: string, spec: JsonObject): string {
  const name = nameOf(token);
  const type = upperFirst(name);
  const inputs = objectShape(objectIn(spec["inputs"]));
  const outputs = objectShape(objectIn(spec["outputs"]));
  const optional = inputs.required.length === 0 ? "?" : "";
  const passed = Object.keys(inputs.properties).map((one) => `"${one}": args${optional}.${one}`);
  const sent = `${JSON.stringify(token)}, { ${passed.join(", ")} }`;
  const unused = passed.length === 0 ? "_args" : "args";
  const body = `/** The arguments of \`${name}\`. */
export interface ${type}Args {
${members(inputs, { side: "plain" })}
}

/** The arguments of \`${name}Output\`. */
export interface ${type}OutputArgs {
${members(inputs, { side: "input" })}
}

/** The result of \`${name}\`. */
export interface ${type}Result {
${members(outputs, { side: "output" })}
}

${doc(spec, 0)}export function ${name}(${unused}${optional}: ${type}Args, opts?: pulumi.InvokeOptions): Promise<${type}Result> {
    return pulumi.runtime.invoke(${sent}, utilities.optionsOf(opts)) as Promise<${type}Result>;
}

${doc(spec, 0)}export function ${name}Output(${unused}${optional}: ${type}OutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<${type}Result> {
    return pulumi.runtime.invokeOutput<${type}Result>(${sent}, utilities.optionsOf(opts));
}
`;
  return withImports(body);
}

function providerFile(schema: JsonObject): string {
  const spec = objectIn(schema["provider"]);
  const inputs = objectShape(spec, ["inputProperties", "requiredInputs"]);
  const name = textOf(schema["name"]);
  const given = entriesOf(inputs.properties).map(([property, one]) => {
    const value = propertyValueText(property, one);
    const text = one["type"] === "string" ? value : `utilities.asText(${value})`;
    return `        resourceInputs["${property}"] = ${text};`;
  });
  return withImports(`${doc(spec, 0)}export class Provider extends pulumi.ProviderResource {
    /** @internal */
    public static readonly __pulumiType = ${JSON.stringify(name)};

    /** Returns true if the object is a Provider, even from another copy of this package. */
    public static override isInstance(obj: unknown): obj is Provider {
        return utilities.isOfType(obj, \`pulumi:providers:\${Provider.__pulumiType}\`);
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
${given.join("\n")}
        super(Provider.__pulumiType, name, resourceInputs, ${resourceOptionsText(inputs)});
    }
}

/** The arguments of Provider. */
export interface ProviderArgs {
${members(inputs, { side: "input" })}
}
`);
}

function configFile(schema: JsonObject): string {
  const name = textOf(schema["name"]);
  const getters = entriesOf(objectIn(schema["config"])["variables"]).map(([variable, one]) => {
    const read = { string: "get", boolean: "getBoolean" }[textOf(one["type"])] ?? "getNumber";
    const type = typeOf(one, "output");
    return `${doc(one, 1)}    get ${variable}(): ${type} | undefined {\n        return stack.${read}("${variable}");\n    },`;
  });
  return `${header}
import * as pulumi from "@pulumi/pulumi";

const stack = new pulumi.Config(${JSON.stringify(name)});

/** The stack's configuration of the provider. */
export const config = {
${getters.join("\n")}
};
`;
}

function typesFile(types: readonly [string, JsonObject][], side: "input" | "output"): string {
  const suffix = side === "input" ? "Args" : "";
  const objects = types.filter(([, { enum: values }]) => values === undefined);
  const listed = side === "input" ? objects.filter(([token]) => !token.endsWith("Item")) : objects;
  const bodies = listed.map(
    ([token, spec]) =>
      `${doc(spec, 0)}export interface ${nameOf(token)}${suffix} {\n${members(objectShape(spec), { side })}\n}\n`,
  );
  const text = bodies.join("\n").replace(/\b(?:inputs|outputs)\.(?=[A-Z])/g, "");
  const imports = side === "input" ? 'import type * as pulumi from "@pulumi/pulumi";\n' : "";
  return `${header}\n${imports}import type * as enums from "./enums.ts";\n\n${text}`;
}

function enumsFile(types: readonly [string, JsonObject][]): string {
  const bodies = types.map(([token, spec]) => {
    const name = nameOf(token);
    const values = Array.isArray(spec["enum"]) ? spec["enum"].map(objectIn) : [];
    const lines = values.map(
      (one) => `    ${textOf(one["name"])}: ${JSON.stringify(one["value"])},`,
    );
    return `${doc(spec, 0)}export const ${name} = {\n${lines.join("\n")}\n} as const;\n\n${doc(spec, 0)}export type ${name} = (typeof ${name})[keyof typeof ${name}];\n`;
  });
  return `${header}\n\n${bodies.join("\n")}`;
}

function utilitiesFile({ version, pluginDownloadURL }: JsonObject): string {
  const server =
    pluginDownloadURL === undefined
      ? ""
      : `, pluginDownloadURL: ${JSON.stringify(pluginDownloadURL)}`;
  return `${header}
import * as pulumi from "@pulumi/pulumi";

/** Returns the version of the package, which is also the version of its plugin. */
export const version = ${JSON.stringify(version)};

const plugin = { version${server} };

/** Adds the plugin of this package and the secret outputs to the options of a resource or a call. */
export function optionsOf<Options extends object>(opts: Options | undefined, secrets?: string[]): Options {
    const ours = secrets === undefined ? plugin : { ...plugin, additionalSecretOutputs: secrets };
    return pulumi.mergeOptions(ours, opts) as Options;
}

/** Returns true if the object has this type, even from another copy of this package. */
export function isOfType(obj: unknown, type: string): boolean {
    return typeof obj === "object" && obj !== null && "__pulumiType" in obj && obj.__pulumiType === type;
}

/** Throws if a required property is missing. */
export function require(value: unknown, property: string, opts: pulumi.ResourceOptions | undefined): void {
    if (value === undefined && !opts?.urn) throw new Error(\`Missing required property '\${property}'\`);
}

/** Encodes a provider setting that is not a string. */
export function asText(value: pulumi.Input<number | boolean | undefined> | undefined): pulumi.Output<string | undefined> {
    return pulumi.output(value).apply((known: number | boolean | undefined) => (known === undefined ? undefined : JSON.stringify(known)));
}
`;
}

function indexFile(schema: JsonObject): string {
  const name = textOf(schema["name"]);
  const resources = entriesOf(schema["resources"]).map(([token]) => nameOf(token));
  const functions = entriesOf(schema["functions"]).map(([token]) => nameOf(token));
  return `${header}
import * as pulumi from "@pulumi/pulumi";
${resources.map((one) => `import { ${one} } from "./${camelCase(one)}.ts";`).join("\n")}
import { Provider } from "./provider.ts";
import * as enums from "./types/enums.ts";
import * as input from "./types/input.ts";
import * as output from "./types/output.ts";
import { version } from "./utilities.ts";

${resources.map((one) => `export { ${one}, type ${one}Args } from "./${camelCase(one)}.ts";`).join("\n")}
${functions.map((one) => `export { ${one}, ${one}Output, type ${upperFirst(one)}Args, type ${upperFirst(one)}OutputArgs, type ${upperFirst(one)}Result } from "./${one}.ts";`).join("\n")}
export { Provider, type ProviderArgs } from "./provider.ts";
export { config } from "./config.ts";

/** Returns the module of nested types. */
export const types = { enums, input, output };

pulumi.runtime.registerResourceModule(${JSON.stringify(name)}, "index", {
    version,
    construct: (resourceName: string, type: string, urn: string): pulumi.Resource => {
        switch (type) {
${entriesOf(schema["resources"])
  .map(
    ([token]) =>
      `            case ${JSON.stringify(token)}:\n                return new ${nameOf(token)}(resourceName, undefined as never, { urn });`,
  )
  .join("\n")}
            default:
                throw new Error(\`This package has no resource \${type}\`);
        }
    },
});
pulumi.runtime.registerResourcePackage(${JSON.stringify(name)}, {
    version,
    constructProvider: (resourceName: string, type: string, urn: string): pulumi.ProviderResource => {
        if (type !== ${JSON.stringify(`pulumi:providers:${name}`)}) throw new Error(\`This package has no provider \${type}\`);
        return new Provider(resourceName, undefined, { urn });
    },
});
`;
}

/** Returns a module: the header, the required imports and the body. */
function withImports(body: string): string {
  const lines = ['import * as pulumi from "@pulumi/pulumi";'];
  if (body.includes("inputs.")) lines.push('import type * as inputs from "./types/input.ts";');
  if (body.includes("outputs.")) lines.push('import type * as outputs from "./types/output.ts";');
  if (body.includes("enums.")) lines.push('import type * as enums from "./types/enums.ts";');
  lines.push('import * as utilities from "./utilities.ts";');
  return `${header}\n${lines.join("\n")}\n\n${body}`;
}
