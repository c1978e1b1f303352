// Reports variables from the command line that nothing in the stack uses.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { didYouMean, quoted, sentences } from "../../core/text/naming.ts";
import { member } from "../../core/schema/schema.ts";
import type { ManifestFile } from "./files.ts";
import type { Document } from "./parse.ts";

/**
 * Reports each given variable that the Stack does not declare and no document uses. Reports nothing if there are unreadable
 * files.
 */
export function undeclaredVariables(
  values: Readonly<Record<string, JsonValue>>,
  { files: all, stack }: { readonly files: readonly ManifestFile[]; readonly stack: Document },
): readonly Diagnostic[] {
  const names = Object.keys(values);
  const files = all.filter(({ declaresNothing }) => declaresNothing !== true);
  if (names.length === 0 || files.some((file) => file.incomplete)) return [];
  const used = new Set(declaredIn(stack));
  for (const { value } of [stack, ...files.flatMap(({ documents }) => documents)]) {
    addReferenced(value, used);
  }
  return names.filter((name) => !used.has(name)).map((name) => undeclaredVariable(name, used));
}

function declaredIn({ value }: Document): readonly string[] {
  const spec = isObject(value) ? member(value, "spec") : undefined;
  const variables = isObject(spec) ? member(spec, "variables") : undefined;
  return isObject(variables) ? Object.keys(variables) : [];
}

function addReferenced(value: JsonValue | undefined, names: Set<string>): void {
  if (typeof value === "string") {
    for (const [, name = ""] of value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_-]*)/gu)) names.add(name);
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value as JsonObject)) addReferenced(inner, names);
  }
}

function undeclaredVariable(name: string, used: ReadonlySet<string>): Diagnostic {
  return {
    code: "variable-undeclared",
    severity: "error",
    summary: `neither the Stack nor a document uses the variable "${name}"`,
    remedy: sentences(
      didYouMean(name, used, quoted),
      `Use \${${name}} in a document, declare it in the Stack's spec.variables, or omit it.`,
    ),
  };
}
