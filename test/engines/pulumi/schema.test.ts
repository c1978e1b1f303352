// The committed package schema keeps Pulumi's rules, and the rules find what breaks them.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import packageFile from "../../../package.json" with { type: "json" };
import schema from "../../../schemas/pulumi.json" with { type: "json" };
import { schemaProblems } from "./schema-rules.ts";

const committed = schema as JsonObject;

/** The schema with other members at a path. */
function broken(path: readonly string[], value: JsonObject): JsonObject {
  const copy = structuredClone(committed) as Record<string, JsonObject>;
  const place = path.reduce<JsonObject>((at, step) => at[step] as JsonObject, copy);
  Object.assign(place, value);
  return copy;
}

it("keeps the rules", () => {
  expect(schemaProblems(committed)).toEqual([]);
});

it("has SDKs of every language ask for the plugin of its version", () => {
  expect(schema.version).toBe(packageFile.version);
  expect(Object.keys(schema.language)).toEqual(["nodejs", "python", "go", "csharp"]);
  for (const [language, { respectSchemaVersion }] of Object.entries(schema.language)) {
    expect(respectSchemaVersion, language).toBe(true);
  }
});

it("names an SDK for Node.js that npm can install beside our package, and that is read as its part", () => {
  const { name, exports } = packageFile;
  expect(schema.language.nodejs.packageName).toBe(`@${name}/pulumi`);
  expect(Object.keys(exports)).toContain("./pulumi");
});

const group = ["resources", "svc:index:EmbedGroup"];

it.each([
  ["strange part", broken([], { extra: 1 }), "extra is no part"],
  ["token", broken(["resources"], { "svc:EmbedGroup": {} }), "is no token"],
  ["form", broken([...group, "properties", "name"], { $ref: "#/types/svc:index:X" }), "several"],
  ["reference", broken([...group, "properties"], { a: { $ref: "#/types/x" } }), "not there"],
  ["required", broken(group, { required: ["nothing"] }), "is required and not there"],
  ["own name", broken([...group, "properties"], { id: { type: "string" } }), "Pulumi's own name"],
  ["default", broken([...group, "inputProperties", "name"], { default: 5 }), "a default amiss"],
  ["union", broken([...group, "properties"], { a: { oneOf: [{ type: "string" }] } }), "no form"],
  ["idle type", broken(["types"], { "svc:index:Idle": {} }), "is used nowhere"],
])("finds a %s amiss", (_, amiss, told) => {
  expect(schemaProblems(amiss).join("\n")).toContain(told);
});
