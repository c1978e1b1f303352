// Tests that the committed package schema keeps Pulumi's rules, and that the rules find errors.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import packageFile from "../../../package.json" with { type: "json" };
import schema from "../../../schemas/pulumi.json" with { type: "json" };
import { publication } from "../../../core/publication.ts";
import { packageSchema } from "../../../provider/pulumi/schema.ts";
import { components, kinds } from "../../../resources/index.ts";
import { sdkFiles } from "../../../scripts/pulumi-sdk.ts";
import { schemaProblems } from "./schema-rules.ts";

const committed = schema as JsonObject;

interface PackageAddresses {
  readonly homepage?: string;
  readonly repository?: string;
  readonly pulumi: { readonly name: string; readonly server?: string };
}

/** Returns the schema with other members at a path. */
function withMembersAt(path: readonly string[], value: JsonObject): JsonObject {
  const copy = structuredClone(committed) as Record<string, JsonObject>;
  const place = path.reduce<JsonObject>((at, step) => at[step] as JsonObject, copy);
  Object.assign(place, value);
  return copy;
}

it("follows the rules of Pulumi's schemas", () => {
  expect(schemaProblems(committed)).toEqual([]);
});

it("makes SDKs of every language require the plugin of its version", () => {
  expect(schema.version).toBe(packageFile.version);
  expect(Object.keys(schema.language)).toEqual(["nodejs", "python", "go", "csharp"]);
  for (const [language, { respectSchemaVersion }] of Object.entries(schema.language)) {
    expect(respectSchemaVersion, language).toBe(true);
  }
});

it("has the addresses that are declared, and no other", () => {
  const addresses = {
    homepage: "https://svc.example",
    repository: "https://git.svc.example/svc",
    logoUrl: "https://svc.example/logo.svg",
    pluginDownloadURL: "https://svc.example/plugins",
  };
  const published = packageSchema({ kinds, components }, "1.2.3", { ...publication, ...addresses });
  expect(published).toMatchObject(addresses);
  expect(schemaProblems(published)).toEqual([]);
  expect(sdkFiles(published).get("utilities.ts")).toContain(addresses.pluginDownloadURL);
  const declared = Object.keys(addresses).filter((name) => name in publication);
  expect(Object.keys(addresses).filter((name) => name in committed)).toEqual(declared);
});

it("has the addresses of package.json", () => {
  const { homepage, repository, pulumi }: PackageAddresses = packageFile;
  expect([homepage, repository, pulumi.server]).toEqual([
    publication.homepage,
    publication.repository,
    publication.pluginDownloadURL,
  ]);
});

it("names a Node.js SDK that differs from our package", () => {
  const { name, exports } = packageFile;
  expect(schema.language.nodejs.packageName).toBe(`@${name}/pulumi`);
  expect(Object.keys(exports)).toContain("./pulumi");
});

it("has examples of every resource in each language, with types that the package declares", () => {
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
      const code = programs[1]?.[2]?.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""');
      expect(code).not.toMatch(/\b(?:true|false|null)\b|^ {4}[a-z]+[A-Z]\w*=/m);
    }
  }
});

it("describes every type and property, and has no two equal types", () => {
  interface Described {
    readonly description?: string;
  }
  interface Type extends Described {
    readonly properties?: Readonly<Record<string, Described>>;
  }
  const types: Readonly<Record<string, Type>> = schema.types;
  const alike = new Map<string, string>();
  for (const [token, { description, properties }] of Object.entries(types)) {
    expect(description, token).toMatch(/\.$/);
    if (properties === undefined) continue;
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
  ["unknown member", withMembersAt([], { extra: 1 }), "extra is not a known member"],
  ["token", withMembersAt(["resources"], { "svc:EmbedGroup": {} }), "is not a token"],
  [
    "form",
    withMembersAt([...group, "properties", "name"], { $ref: "#/types/svc:index:X" }),
    "not exactly one form",
  ],
  [
    "reference",
    withMembersAt([...group, "properties"], { a: { $ref: "#/types/x" } }),
    "not declared",
  ],
  ["required", withMembersAt(group, { required: ["nothing"] }), "is required but not declared"],
  [
    "reserved name",
    withMembersAt([...group, "properties"], { id: { type: "string" } }),
    "reserved by Pulumi",
  ],
  [
    "default",
    withMembersAt([...group, "inputProperties", "name"], { default: 5 }),
    "a default of another type",
  ],
  [
    "union",
    withMembersAt([...group, "properties"], { a: { oneOf: [{ type: "string" }] } }),
    "not exactly one form",
  ],
  ["unused type", withMembersAt(["types"], { "svc:index:Idle": {} }), "is not used"],
])("finds an invalid %s", (_, invalid, problem) => {
  expect(schemaProblems(invalid).join("\n")).toContain(problem);
});

it("declares enums for inputs and accepts other strings, which a newer server may add", () => {
  const { inputProperties, properties } = schema.resources["svc:index:Deployment"];
  expect(inputProperties.template).toMatchObject({
    type: "string",
    oneOf: [{ type: "string" }, { $ref: "#/types/svc:index:DeploymentTemplate" }],
  });
  expect(properties.template).not.toHaveProperty("oneOf");
  expect(schema.types["svc:index:DeploymentTemplate"].enum).toContainEqual({
    name: "MultiCluster",
    value: "multiCluster",
  });
});
