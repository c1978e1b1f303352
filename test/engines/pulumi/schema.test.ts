// The committed package schema keeps Pulumi's rules, and the rules find what breaks them.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import packageFile from "../../../package.json" with { type: "json" };
import schema from "../../../schemas/pulumi.json" with { type: "json" };
import { schemaProblems } from "./schema-rules.ts";

const committed = schema as JsonObject;

/** The schema with other members at a path. */
function withMembersAt(path: readonly string[], value: JsonObject): JsonObject {
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

it("shows every resource in each language, with types that the package has", () => {
  const named = new Set(
    [...Object.keys(schema.types), ...Object.keys(schema.resources)].map(
      (one) => one.split(":")[2],
    ),
  );
  for (const [name, { description }] of Object.entries(schema.resources)) {
    const shown = description.split("{{% example %}}").slice(1);
    expect(shown.length, name).toBeGreaterThan(0);
    expect(description.match(/\{\{% examples %\}\}/g), name).toHaveLength(1);
    for (const example of shown) {
      const programs = [...example.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)];
      expect(programs.map(([, language]) => language)).toEqual([
        "typescript",
        "python",
        "go",
        "yaml",
      ]);
      const go = programs[2]?.[2] ?? "";
      const types = [...go.matchAll(/svc\.(?:New)?(\w+?)(?:Args|Array|Map|\()/g)].map(
        ([, one]) => one,
      );
      expect(types.length).toBeGreaterThan(1);
      expect(types.filter((one) => !named.has(one))).toEqual([]);
      expect(programs[1]?.[2]).not.toMatch(/\b(?:true|false|null)\b|^ {4}[a-z]+[A-Z]\w*=/m);
    }
  }
});

it("describes every type and property, and has one type for what is alike", () => {
  interface Described {
    readonly description?: string;
  }
  interface Type extends Described {
    readonly properties: Readonly<Record<string, Described>>;
  }
  const types: Readonly<Record<string, Type>> = schema.types;
  const alike = new Map<string, string>();
  for (const [token, { description, properties }] of Object.entries(types)) {
    expect(description, token).toMatch(/\.$/);
    const same = alike.get(JSON.stringify(properties));
    expect([token, same]).toEqual([token, undefined]);
    alike.set(JSON.stringify(properties), token);
    for (const [name, one] of Object.entries(properties)) {
      expect(one.description, `${token} ${name}`).toMatch(/\S/);
    }
  }
});

const group = ["resources", "svc:index:EmbedGroup"];

it.each([
  ["strange part", withMembersAt([], { extra: 1 }), "extra is no part"],
  ["token", withMembersAt(["resources"], { "svc:EmbedGroup": {} }), "is no token"],
  [
    "form",
    withMembersAt([...group, "properties", "name"], { $ref: "#/types/svc:index:X" }),
    "several",
  ],
  ["reference", withMembersAt([...group, "properties"], { a: { $ref: "#/types/x" } }), "not there"],
  ["required", withMembersAt(group, { required: ["nothing"] }), "is required and not there"],
  [
    "own name",
    withMembersAt([...group, "properties"], { id: { type: "string" } }),
    "Pulumi's own name",
  ],
  [
    "default",
    withMembersAt([...group, "inputProperties", "name"], { default: 5 }),
    "a default amiss",
  ],
  [
    "union",
    withMembersAt([...group, "properties"], { a: { oneOf: [{ type: "string" }] } }),
    "no form",
  ],
  ["idle type", withMembersAt(["types"], { "svc:index:Idle": {} }), "is used nowhere"],
])("finds a %s amiss", (_, amiss, told) => {
  expect(schemaProblems(amiss).join("\n")).toContain(told);
});
