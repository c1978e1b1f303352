// Variables that a caller gives and that nothing in the stack names: mostly misspelt.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { closestMatch } from "../../core/naming.ts";
import { member } from "../../core/schema.ts";
import type { ManifestFile } from "./files.ts";
import type { Document } from "./parse.ts";
import { isScript } from "./script.ts";

/**
 * Tells each given variable that the Stack does not declare and no document substitutes. Programs get all variables and use
 * what they like, and what cannot be read may name any: with either, nothing is told.
 */
export function undeclaredVariables(
  given: Readonly<Record<string, JsonValue>>,
  { files, stack }: { readonly files: readonly ManifestFile[]; readonly stack: Document },
): readonly Diagnostic[] {
  const names = Object.keys(given);
  if (names.length === 0 || files.some((file) => file.incomplete || isScript(file.path))) return [];
  const known = new Set(declaredIn(stack));
  for (const { value } of [stack, ...files.flatMap(({ documents }) => documents)]) {
    addReferenced(value, known);
  }
  return names.filter((name) => !known.has(name)).map((name) => undeclaredVariable(name, known));
}

function declaredIn({ value }: Document): readonly string[] {
  const spec = isObject(value) ? member(value, "spec") : undefined;
  const variables = isObject(spec) ? member(spec, "variables") : undefined;
  return isObject(variables) ? Object.keys(variables) : [];
}

function addReferenced(value: JsonValue | undefined, known: Set<string>): void {
  if (typeof value === "string") {
    for (const [, name = ""] of value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_-]*)/gu)) known.add(name);
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value as JsonObject)) addReferenced(inner, known);
  }
}

function undeclaredVariable(name: string, known: ReadonlySet<string>): Diagnostic {
  const meant = closestMatch(name, known);
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return {
    code: "variable-undeclared",
    severity: "error",
    summary: `the variable "${name}" is given, and neither the Stack nor a document names it`,
    remedy: `${guess}Name it as \${${name}} where it belongs, or in the Stack's spec.variables, or do not give it.`,
  };
}
