// Programs in YAML for engines that have no language host for them: read by Pulumi's rules as far as the examples go, with the
// types of the package's schema and without an SDK. What goes further is refused, so that nothing is tested as what it is not.
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

/** Made by the provider. */
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

/** A program in YAML: resources in their order, `${name.property}` being an output of one before. Fails where it says more. */
export function yamlProgram(text: string): pulumi.automation.PulumiFn {
  const file = parse(text) as ProgramFile & Readonly<Record<string, unknown>>;
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;
  verify(file, schema);
  return async () => {
    const made = new Map<string, pulumi.Resource>();
    for (const [name, { type, properties, options }] of Object.entries(file.resources)) {
      const token = tokenOf(type);
      const { isComponent, properties: outputs = {} } = schema.resources[token] ?? {};
      const after = (options?.dependsOn ?? []).map((one) => valueOf(made, one) as pulumi.Resource);
      // As in an SDK, what is not given is what the answer will say.
      const open = Object.keys(outputs).map((property) => [property, undefined]);
      const given = valueOf(made, properties) as pulumi.Inputs;
      const inputs: pulumi.Inputs = { ...Object.fromEntries(open), ...given };
      const Resource = isComponent === true ? ComponentResource : CustomResource;
      made.set(name, new Resource(token, name, inputs, { dependsOn: after }));
    }
    return valueOf(made, file.outputs) as Record<string, unknown>;
  };
}

function tokenOf(type: string): string {
  return type.replace(/^svc:(?=\w+$)/, "svc:index:");
}

/** A value with its references replaced by what they name. */
function valueOf(made: ReadonlyMap<string, pulumi.Resource>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => valueOf(made, one));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, one]) => [name, valueOf(made, one)]);
    return Object.fromEntries(members) as object;
  }
  const [, name, path = ""] = typeof value === "string" ? (reference.exec(value) ?? []) : [];
  if (name === undefined) return value;
  const steps = [...path.matchAll(/\.(\w+)|\["([^"]+)"\]/g)];
  return steps.reduce<unknown>(
    (one, [, plain, quoted]) => (one as Readonly<Record<string, unknown>>)[plain ?? quoted ?? ""],
    made.get(name),
  );
}

/** Refuses a file that says what is not read here, or names what is not there. */
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
      if (name.startsWith("fn::")) throw new Error(`functions are not read: ${name}`);
      verifyValue(one, known);
    }
  }
  if (typeof value !== "string" || !value.includes("${")) return;
  const [, name = "", path = ""] = reference.exec(value) ?? [];
  if (name === "") throw new Error(`only whole references are read: ${value}`);
  const of = known.get(name);
  if (of === undefined) throw new Error(`there is no ${name} before ${value}`);
  const [, property] = /^\.(\w+)/.exec(path) ?? [];
  if (property !== undefined && property !== "id" && of.properties[property] === undefined) {
    throw new Error(`the schema has no ${value}`);
  }
}

function rejectOthers(given: object, names: readonly string[]): void {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  if (others.length > 0) throw new Error(`not read in YAML here: ${others.join(", ")}`);
}
