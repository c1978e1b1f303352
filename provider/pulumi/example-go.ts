// Writes examples as Go programs.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  type TypedEntry,
  type ExampleContext,
  type TypedValue,
  typedInputs,
} from "./example-values.ts";
import { packageName, pascalCase } from "./properties.ts";

/** Returns a program that declares one resource. */
export function go(
  context: ExampleContext,
  { name, inputs }: { readonly name: string; readonly inputs: JsonObject },
): string {
  const { type } = context;
  const args = members(typedInputs(context, inputs), 3);
  return `package main

import (
\t"github.com/pulumi/pulumi-${packageName}/sdk/go/${packageName}"
\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
\tpulumi.Run(func(ctx *pulumi.Context) error {
\t\t_, err := ${packageName}.New${type}(ctx, ${JSON.stringify(name)}, &${packageName}.${type}Args${args})
\t\treturn err
\t})
}`;
}

const plainTypes = {
  string: "String",
  integer: "Int",
  number: "Float64",
  boolean: "Bool",
} as const;

function goLiteral(typed: TypedValue, level: number): string {
  switch (typed.form) {
    case "object":
      return `&${packageName}.${typed.type}Args${members(typed.entries, level + 1)}`;
    case "list":
      return `${collectionTypeName(typed.of)}Array${block(
        typed.items.map((one) => goLiteral(one, level + 1)),
        level + 1,
      )}`;
    case "map": {
      const entries = typed.entries.map(
        ([name, one]) => [`${JSON.stringify(name)}:`, goLiteral(one, level + 1)] as const,
      );
      return `${collectionTypeName(typed.of)}Map${alignedEntries(entries, level + 1)}`;
    }
    case "any":
      return `pulumi.Any(${goAnyLiteral(typed.value)})`;
    default:
      return `pulumi.${plainTypes[typed.form]}(${JSON.stringify(typed.value)})`;
  }
}

/** Returns the prefix of the type name of a list or map: `pulumi.String`, `svc.NotificationFilter`; `pulumi.` for any value. */
function collectionTypeName(of: string): string {
  if (of.endsWith("[]")) return `${collectionTypeName(of.slice(0, -2))}Array`;
  if (of.endsWith("{}")) return `${collectionTypeName(of.slice(0, -2))}Map`;
  if (of === "any") return "pulumi.";
  const plain = Object.entries(plainTypes).find(([name]) => name === of)?.[1];
  return plain === undefined ? `${packageName}.${of}` : `pulumi.${plain}`;
}

function members(entries: readonly TypedEntry[], level: number): string {
  return alignedEntries(
    entries.map(([name, one]) => [`${pascalCase(name)}:`, goLiteral(one, level)]),
    level,
  );
}

/** Aligns consecutive one-line values in a column, as gofmt does. */
function alignedEntries(
  entries: readonly (readonly [key: string, value: string])[],
  level: number,
): string {
  const isLong = (index: number): boolean => entries[index]?.[1].includes("\n") ?? true;
  const parts = entries.map(([key, value], index) => {
    if (isLong(index)) return `${key} ${value}`;
    let [first, last] = [index, index];
    while (!isLong(first - 1)) first -= 1;
    while (!isLong(last + 1)) last += 1;
    const width = Math.max(...entries.slice(first, last + 1).map(([one]) => one.length));
    return `${key.padEnd(width)} ${value}`;
  });
  return block(parts, level);
}

function block(parts: readonly string[], level: number): string {
  if (parts.length === 0) return "{}";
  const indent = "\t".repeat(level);
  return `{\n${parts.map((part) => `${indent}${part},`).join("\n")}\n${"\t".repeat(level - 1)}}`;
}

function goAnyLiteral(value: JsonValue): string {
  if (value === null) return "nil";
  if (Array.isArray(value)) {
    return `[]interface{}{${value.map((one: JsonValue) => goAnyLiteral(one)).join(", ")}}`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${goAnyLiteral(one ?? null)}`,
  );
  return `map[string]interface{}{${entries.join(", ")}}`;
}
