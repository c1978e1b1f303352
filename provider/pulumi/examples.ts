// Writes the examples of resource types as Pulumi programs for the package schema: TypeScript and YAML here, Python and Go in their own modules.
import { camelCase } from "../../core/text/naming.ts";
import { nameOf } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Example } from "../../core/kind/example.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { referencesOf, withReferences } from "../../core/kind/references.ts";
import type { ExampleContext } from "./example-values.ts";
import { go } from "./example-go.ts";
import { python } from "./example-python.ts";
import { packageName, propertiesOf } from "./properties.ts";

/** The members that examples of resources and of components share. */
type ExampleTitle = Pick<Example, "title" | "name">;

/** An example and the inputs of the resource that it declares. */
export interface ExampleInputs extends ExampleTitle {
  readonly inputs: JsonObject;
}

/** Returns the examples as Markdown in the shortcodes that Pulumi's registry and SDK generator read. */
export function examplesText(context: ExampleContext, examples: readonly ExampleInputs[]): string {
  const texts = examples.map((example) => {
    const fences = Object.entries(exampleWriters).map(
      ([language, write]) => `\`\`\`${language}\n${write(context, example)}\n\`\`\``,
    );
    return ["{{% example %}}", `### ${example.title}`, ...fences, "{{% /example %}}"].join("\n\n");
  });
  return `{{% examples %}}\n## Example Usage\n${texts.join("\n")}\n{{% /examples %}}`;
}

type ExampleWriter = (context: ExampleContext, example: ExampleInputs) => string;

/** Writers by Pulumi's name of the language. An SDK keeps only the examples in its own language. */
const exampleWriters: Readonly<Record<string, ExampleWriter>> = { typescript, python, go, yaml };

/** Returns the inputs of an example, with references replaced by the keys of the objects that they name. */
export function exampleInputs(kind: Kind, kinds: readonly Kind[], { spec }: Example): JsonObject {
  const { inputs } = propertiesOf(kind);
  const named = withResolvedReferences(kind, kinds, spec);
  return Object.fromEntries(
    inputs.flatMap(({ name, property }): [string, JsonValue][] => {
      const value = named[name];
      return value === undefined ? [] : [[property, value]];
    }),
  );
}

/** Replaces document names in a spec by the keys of the objects that the documents declare. */
function withResolvedReferences(kind: Kind, kinds: readonly Kind[], spec: JsonObject): JsonObject {
  return withReferences(spec, referencesOf(kind, spec), ({ kind: target, value }) =>
    referenceValue(kinds, target, value),
  );
}

function referenceValue(kinds: readonly Kind[], target: string, name: string): JsonValue {
  const kind = kindsByName(kinds).get(target);
  const example = kind?.examples.find((one) => one.name === name);
  if (kind === undefined || example === undefined) return name;
  return nameOf(kind, normalize(kind, withResolvedReferences(kind, kinds, example.spec))) ?? name;
}

function typescript({ type }: ExampleContext, { name, inputs }: ExampleInputs): string {
  const variable = camelCase(
    name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );
  return [
    `import * as ${packageName} from "svc-as-code/pulumi";`,
    "",
    `const ${variable} = new ${packageName}.${type}(${JSON.stringify(name)}, ${typescriptLiteral(inputs, 0)});`,
  ].join("\n");
}

/** Returns the value as a TypeScript literal at this indentation level. */
function typescriptLiteral(value: JsonValue | undefined, level: number): string {
  const indent = "    ".repeat(level + 1);
  const end = "    ".repeat(level);
  if (Array.isArray(value)) {
    if (value.every((item) => !isObject(item) && !Array.isArray(item))) {
      return `[${value.map((item: JsonValue) => JSON.stringify(item)).join(", ")}]`;
    }
    const items = value.map((item: JsonValue) => `${indent}${typescriptLiteral(item, level + 1)},`);
    return `[\n${items.join("\n")}\n${end}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, inner]) =>
      `${indent}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${typescriptLiteral(inner, level + 1)},`,
  );
  return members.length === 0 ? "{}" : `{\n${members.join("\n")}\n${end}}`;
}

function yaml({ type }: ExampleContext, { name, inputs }: ExampleInputs): string {
  return [
    "resources:",
    `  ${name}:`,
    `    type: ${packageName}:${type}`,
    "    properties:",
    ...Object.entries(inputs).flatMap(([property, value]) => yamlMember(property, value, 3)),
  ].join("\n");
}

/** Returns one YAML member. Lists are in flow style. */
function yamlMember(name: string, value: JsonValue | undefined, level: number): readonly string[] {
  const indent = "  ".repeat(level);
  const label = /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name);
  if (!isObject(value) || Object.keys(value).length === 0) {
    return [`${indent}${label}: ${JSON.stringify(value)}`];
  }
  return [
    `${indent}${label}:`,
    ...Object.entries(value).flatMap(([inner, one]) => yamlMember(inner, one, level + 1)),
  ];
}
