// Reads YAML programs for engines without a YAML language host, as far as the examples need it, with the types of the package
// schema and without an SDK. Other features are refused.
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";

interface ResourceDeclaration {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly options?: { readonly dependsOn?: readonly string[] };
}

interface Schema {
  readonly resources: Readonly<
    Record<
      string,
      { readonly isComponent?: boolean; readonly properties: Readonly<Record<string, unknown>> }
    >
  >;
}

const schemaFile = new URL("../../../schemas/pulumi.json", import.meta.url);

class CustomResource extends pulumi.CustomResource {}

/** A component that the provider constructs. */
class ComponentResource extends pulumi.ComponentResource {
  constructor(token: string, name: string, inputs: pulumi.Inputs, options: object) {
    super(token, name, inputs, options, true);
  }
}

const reference = /^\$\{([\w-]+)((?:\.\w+|\["[^"]+"\])*)\}$/;

interface ProgramFile {
  readonly resources: Readonly<Record<string, ResourceDeclaration>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Returns a YAML program. Resources run in their order; `${name.property}` is an output of an earlier one. Throws on other features. */
export function yamlProgram(text: string): pulumi.automation.PulumiFn {
  const file = parse(text) as ProgramFile & Readonly<Record<string, unknown>>;
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;
  verify(file, schema);
  return async () => {
    const resources = new Map<string, pulumi.Resource>();
    for (const [name, { type, properties, options }] of Object.entries(file.resources)) {
      const token = tokenOf(type);
      const { isComponent, properties: outputs = {} } = schema.resources[token] ?? {};
      const after = (options?.dependsOn ?? []).map(
        (one) => valueOf(resources, one) as pulumi.Resource,
      );
      // As in an SDK, outputs start as undefined properties.
      const open = Object.keys(outputs).map((property) => [property, undefined]);
      const given = valueOf(resources, properties) as pulumi.Inputs;
      const inputs: pulumi.Inputs = { ...Object.fromEntries(open), ...given };
      const Resource = isComponent === true ? ComponentResource : CustomResource;
      resources.set(name, new Resource(token, name, inputs, { dependsOn: after }));
    }
    return valueOf(resources, file.outputs) as Record<string, unknown>;
  };
}

function tokenOf(type: string): string {
  return type.replace(/^svc:(?=\w+$)/, "svc:index:");
}

/** Replaces the references in a value. */
function valueOf(resources: ReadonlyMap<string, pulumi.Resource>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => valueOf(resources, one));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, one]) => [name, valueOf(resources, one)]);
    return Object.fromEntries(members) as object;
  }
  const [, name, path = ""] = typeof value === "string" ? (reference.exec(value) ?? []) : [];
  if (name === undefined) return value;
  const steps = [...path.matchAll(/\.(\w+)|\["([^"]+)"\]/g)];
  return steps.reduce<unknown>(
    (one, [, plain, quoted]) => (one as Readonly<Record<string, unknown>>)[plain ?? quoted ?? ""],
    resources.get(name),
  );
}

/** Rejects unsupported features and unknown names. */
function verify({ resources, outputs, ...others }: ProgramFile, schema: Schema): void {
  rejectOthers(others, ["name", "description", "runtime"]);
  const known = new Map<string, Schema["resources"][string]>();
  for (const [name, { options = {}, ...one }] of Object.entries(resources)) {
    rejectOthers(one, ["type", "properties"]);
    rejectOthers(options, ["dependsOn"]);
    verifyValue([one.properties, options.dependsOn], known);
    const found = schema.resources[tokenOf(one.type)];
    if (found === undefined) throw new Error(`the schema has no ${one.type}`);
    known.set(name, found);
  }
  verifyValue(outputs, known);
}

function verifyValue(
  value: unknown,
  known: ReadonlyMap<string, Schema["resources"][string]>,
): void {
  if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      if (name.startsWith("fn::")) throw new Error(`functions are not supported: ${name}`);
      verifyValue(one, known);
    }
  }
  if (typeof value !== "string" || !value.includes("${")) return;
  const [, name = "", path = ""] = reference.exec(value) ?? [];
  if (name === "") throw new Error(`only whole references are supported: ${value}`);
  const of = known.get(name);
  if (of === undefined) throw new Error(`${name} is not declared before ${value}`);
  const [, property] = /^\.(\w+)/.exec(path) ?? [];
  if (property !== undefined && property !== "id" && of.properties[property] === undefined) {
    throw new Error(`the schema has no ${value}`);
  }
}

function rejectOthers(given: object, names: readonly string[]): void {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  if (others.length > 0)
    throw new Error(`not supported in YAML programs of tests: ${others.join(", ")}`);
}
