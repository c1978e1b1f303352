// Writes examples as Python programs.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type ExampleContext, type TypedValue, typedInputs } from "./example-values.ts";
import { packageName } from "./properties.ts";

/** Returns a program that declares one resource. */
export function python(
  context: ExampleContext,
  { name, inputs }: { readonly name: string; readonly inputs: JsonObject },
): string {
  const keywordArguments = typedInputs(context, inputs).map(
    ([property, value]) => `    ${snakeCaseName(property)}=${pythonLiteral(value, 1)}`,
  );
  return [
    `import pulumi_${packageName} as ${packageName}`,
    "",
    `${name.replaceAll("-", "_")} = ${packageName}.${context.type}(${JSON.stringify(name)},`,
    `${keywordArguments.join(",\n")})`,
  ].join("\n");
}

/** Converts `s3Bucket` to `s3_bucket`. */
function snakeCaseName(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Returns a Python literal. Object members are in snake_case; map keys stay unchanged. */
function pythonLiteral(typed: TypedValue, level: number): string {
  switch (typed.form) {
    case "list":
      return block(
        "[]",
        typed.items.map((one) => pythonLiteral(one, level + 1)),
        level,
      );
    case "map":
    case "object": {
      const named = (name: string): string =>
        JSON.stringify(typed.form === "object" ? snakeCaseName(name) : name);
      const entries = typed.entries.map(
        ([name, one]) => `${named(name)}: ${pythonLiteral(one, level + 1)}`,
      );
      return block("{}", entries, level);
    }
    default:
      return pythonJsonLiteral(typed.value);
  }
}

function block(brackets: string, parts: readonly string[], level: number): string {
  const [open, close] = brackets;
  if (parts.length === 0) return brackets;
  const indent = "    ".repeat(level + 1);
  return `${open}\n${parts.map((part) => `${indent}${part},`).join("\n")}\n${"    ".repeat(level)}${close}`;
}

function pythonJsonLiteral(value: JsonValue): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value))
    return `[${value.map((one: JsonValue) => pythonJsonLiteral(one)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${pythonJsonLiteral(one ?? null)}`,
  );
  return `{${members.join(", ")}}`;
}
