// Tests that every pattern of a field has a description of the allowed text.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { describePattern } from "../../core/text/text-patterns.ts";
import { kinds } from "../../resources/index.ts";
import { controllerSchema } from "../../controller/config-schema.ts";

/** Returns the patterns of strings in a schema; those of member names are errors of another form. */
function patternsIn(schema: JsonValue | undefined): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((one: JsonValue) => patternsIn(one));
  if (!isObject(schema)) return [];
  const own = typeof schema["pattern"] === "string" ? [schema["pattern"]] : [];
  const inner = Object.entries(schema).filter(([name]) => !name.startsWith("x-"));
  return [...own, ...inner.flatMap(([, one]) => patternsIn(one))];
}

function generatedSchema(name: string): unknown {
  const file = join(import.meta.dirname, "../../schemas", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}

it("is described for every field of a document, an operation and a configuration file", () => {
  const schemas = [
    ...kinds.map(({ spec }) => spec),
    ...operations.flatMap(({ body, query, params }) => [body, query, params]),
    controllerSchema(),
    ...["manifest", "grants", "policy"].map(generatedSchema),
  ];
  const patterns = new Set(
    schemas.flatMap((one) => patternsIn(JSON.parse(JSON.stringify(one ?? null)) as JsonValue)),
  );
  expect([...patterns].filter((one) => describePattern(one) === undefined)).toEqual([]);
  expect(patterns.size).toBeGreaterThan(20);
});
