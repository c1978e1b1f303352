// The OpenAPI document: complete, consistent and deterministic.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { operations } from "./index.ts";
import { openapi } from "./openapi.ts";

const document = JSON.parse(JSON.stringify(openapi(operations))) as JsonObject;
const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => references(item));
  if (!isObject(value)) return [];
  const own = typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  return [...own, ...Object.values(value).flatMap((member) => references(member))];
}

/** Returns every schema with a pattern. */
function schemasIn(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => schemasIn(item));
  if (!isObject(value)) return [];
  const own = typeof value["pattern"] === "string" ? [value] : [];
  return [...own, ...Object.values(value).flatMap((member) => schemasIn(member))];
}

/** Parameters and members without a description. */
function undescribed(value: JsonValue | undefined, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => undescribed(item, at));
  if (!isObject(value)) return [];
  const { properties, name } = value;
  const isParameter = typeof name === "string" && "in" in value;
  const bare = isParameter && value["description"] === undefined ? [`${at} ${name}`] : [];
  const members = isObject(properties) ? Object.entries(properties) : [];
  const silent = members
    .filter(([, one]) => isObject(one) && one["description"] === undefined && !("$ref" in one))
    .map(([member]) => `${at} ${member}`);
  // Rules between members repeat their names.
  const inner = Object.entries(value)
    .filter(([key]) => !["oneOf", "anyOf", "allOf"].includes(key))
    .flatMap(([key, one]) => undescribed(one, `${at} ${key}`));
  return [...bare, ...silent, ...inner];
}

describe("the OpenAPI document", () => {
  it("is of OpenAPI 3.1 and of version 1.0.0", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } });
  });

  it("contains every operation once, and marks those that public documents do not list", () => {
    const ids = described.map(({ operation }) => operation["operationId"] as string);
    expect(ids.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    const marked = described.filter(({ operation }) => operation["x-svc-unlisted"] === true);
    expect(new Set(marked.map(({ operation }) => operation["operationId"]))).toEqual(
      new Set(operations.flatMap(({ id, unlisted }) => (unlisted === true ? [id] : []))),
    );
  });

  it("is the same each time it is generated", () => {
    expect(JSON.stringify(openapi(operations))).toBe(JSON.stringify(document));
  });

  it("references only schemas that it contains, and contains only referenced schemas", () => {
    const { schemas } = document["components"] as { schemas: JsonObject };
    const wanted = new Set(references(document));
    expect([...wanted].toSorted()).toEqual(
      Object.keys(schemas)
        .map((name) => `#/components/schemas/${name}`)
        .toSorted(),
    );
  });

  it("declares exactly the parameters of each path", () => {
    for (const { path, operation } of described) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
      const parameters = operation["parameters"] as {
        name: string;
        in: string;
        required: boolean;
      }[];
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it("declares the responses, errors and source of every operation", () => {
    for (const { operation } of described) {
      const responses = operation["responses"] as JsonObject;
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(["400", "414", "429", "431", "500", "503"]),
      );
      expect(Object.keys(responses).some((status) => status.startsWith("2"))).toBe(true);
      expect(operation["x-svc-source"]).toMatch(/^(?:specification|public|proposed)$/);
    }
  });

  it("describes every operation, parameter, body, response and member", () => {
    const bare = described.flatMap(({ operation }) => [
      ...(operation["description"] === undefined ? [operation["operationId"] as string] : []),
      ...undescribed(operation, operation["operationId"] as string),
    ]);
    const { schemas } = document["components"] as { schemas: JsonObject };
    expect([...bare, ...undescribed(schemas, "schemas")]).toEqual([]);
  });

  it("shows a signed token where one is returned, and no API key", () => {
    const ids = ["exchangeSession", "deploymentToken", "issueOidcToken"];
    const examples = described.flatMap(({ operation }) => {
      if (!ids.includes(operation["operationId"] as string)) return [];
      const { responses } = operation as { responses: Record<string, JsonObject> };
      const { content } = responses["200"] as { content: Record<string, { example: JsonObject }> };
      const { token, svcApiToken = token } = content["application/json"]?.example ?? {};
      return [svcApiToken];
    });
    expect(examples).toHaveLength(ids.length);
    for (const one of examples) expect(one).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/u);
  });

  it("has an example of every body and path parameter, which its schema allows", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addFormat("iri", true);
    ajv.addSchema(document, "document");
    const wrong: unknown[] = [];
    const check = (at: string, { schema, example }: JsonObject): void => {
      const text = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"document#');
      const validate = ajv.compile(JSON.parse(text) as JsonObject);
      if (!validate(example)) wrong.push([at, example, ajv.errorsText(validate.errors)]);
    };
    const jsonOf = (content: Record<string, JsonObject>) =>
      content["application/json"] ?? content["application/scim+json"] ?? {};
    for (const { operation } of described) {
      const id = operation["operationId"] as string;
      const { requestBody, responses, parameters } = operation as {
        requestBody?: { content: Record<string, JsonObject> };
        responses: Record<string, { content?: Record<string, JsonObject> }>;
        parameters: JsonObject[];
      };
      for (const one of parameters) if (one["in"] === "path") check(id, one);
      if (requestBody) check(`${id} request`, jsonOf(requestBody.content));
      for (const [status, { content }] of Object.entries(responses)) {
        if (status.startsWith("2") && content) {
          check(`${id} ${status}`, Object.values(content)[0] ?? {});
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("says which members exclude each other", () => {
    const { schemas } = document["components"] as { schemas: Record<string, JsonObject> };
    const { GenerateSessionRequest } = schemas;
    const { allOf } = GenerateSessionRequest ?? {};
    const validate = new Ajv2020({ strict: false }).compile({ allOf });
    expect(validate({ externalId: "v", internalId: null })).toBe(true);
    expect(validate({ externalId: "v", internalId: "ann" })).toBe(false);
    expect(validate({ externalId: null })).toBe(false);
  });

  it("says which members need or exclude others, and what form names have", () => {
    const { schemas } = document["components"] as { schemas: Record<string, JsonObject> };
    const ajv = new Ajv2020({ strict: false, formats: { iri: true, email: true } });
    const takes = (request: string, body: JsonObject) =>
      ajv.compile({ ...schemas[`${request}Request`], components: { schemas } })(body);
    const policy = (resourceType: string, actions: string[], resources: JsonValue = "All") => ({
      name: "r",
      policies: [{ resourceType, actions, resources }],
    });
    const session = { deploymentId: 1, embedTenantName: "acme-1" };
    const client = { clientId: "app", name: "App" };
    const variables = (name: string, value = "") => ({ env_variables: [{ name, value }] });
    const upload = (fileName: string) => ({ transaction: { id: "u" }, fileName, file: "" });
    const trust = (issuer: string, name: string) => ({
      name: "ci",
      issuer,
      audience: "acme",
      claims: [{ name, value: "main" }],
    });
    const weekly = { dashboardId: 1, scheduleType: "WEEKLY" };
    const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
      [
        "CreateOidcTokenConfig",
        { audienceType: "Custom", customAudience: "vault" },
        { audienceType: "Custom", customAudience: null },
      ],
      ["CreateOidcTokenConfig", { audienceType: "AWS" }, { audienceType: "Custom" }],
      ["ProvisionEmbedUser", { externalId: "jane" }, { externalId: "Jane" }],
      ["StartUpload", { live: true }, { live: true, branchName: "other" }],
      ["UploadFile", upload("model/a.yml"), upload("model/a\u0085.yml")],
      ["UploadFile", upload("a".repeat(255)), upload("a".repeat(256))],
      ["UploadFile", upload("ä".repeat(63)), upload("ä".repeat(128))],
      [
        "CreateWorkloadTrust",
        trust("https://gitlab.com", "sub"),
        trust("https://gitlab.com", "ref"),
      ],
      ["CommitBranch", { branchName: "", branchId: 1 }, { branchName: "a", branchId: 1 }],
      ["SetStagingEnvironment", { enabled: true, branchId: 1 }, { enabled: true, branchName: "" }],
      [
        "GenerateSession",
        { ...session, internalId: "ann" },
        { ...session, internalId: "ann", groups: [] },
      ],
      [
        "GenerateSession",
        { ...session, externalId: "v", groupDefinitions: [], creatorMode: true },
        { ...session, externalId: "v", groupDefinitions: [], creatorMode: false },
      ],
      ["CreateOAuthClient", { ...client, allowsDevices: true }, { ...client, redirectUris: [] }],
      ["UpdateOAuthClient", { redirectUris: [] }, { redirectUris: [], allowsDevices: null }],
      ["CreateNotification", { ...weekly, dayOfWeek: 1 }, weekly],
      [
        "CreateNotification",
        { ...weekly, dayOfWeek: 1, hour: 0 },
        { ...weekly, dayOfWeek: 1, dayOfMonth: 1 },
      ],
      ["UpdateWorkbook", { slug: " Sales.A " }, { slug: "no slug" }],
      ["SetVariables", variables("A_1"), variables("1")],
      ["SetVariables", variables("A"), variables("A", "[ENCRYPTED]")],
      ["CreateRole", policy("Folder", ["FolderRead"], ["1"]), policy("Agent", ["FolderRead"])],
      [
        "SetUserPolicy",
        { resourceType: "Folder", resourceId: 1, action: "FolderRead" },
        { resourceType: "Folder", resourceId: 1, action: "WorkbookRead" },
      ],
      ["CreateRole", policy("Global", ["All"]), policy("Global", ["All"], ["1"])],
      ["CreateRole", policy("Global", ["FolderRead"]), policy("Global", ["UsersManage"])],
    ];
    for (const [request, right, wrong] of cases) {
      expect([request, takes(request, right), takes(request, wrong)]).toEqual([
        request,
        true,
        false,
      ]);
    }
  });

  it("says in words which query parameters need or exclude others", () => {
    const rules = described.flatMap(
      ({ operation }) => (operation["x-svc-parameter-rules"] as string[] | undefined) ?? [],
    );
    expect(rules).toContain("must have objectType, which objectId requires");
    expect(rules).toContain("must not have both branchName and devMode; send one of them");
  });

  it("has no pattern that repeats the length beside it, for which a short text would get two errors", () => {
    const repeating = schemasIn(document).filter(({ minLength, pattern }) => {
      if (typeof pattern !== "string" || typeof minLength !== "number" || minLength < 2)
        return false;
      const accepts = (count: number) => new RegExp(pattern, "u").test("a".repeat(count));
      return accepts(minLength) && !accepts(minLength - 1);
    });
    expect(repeating).toEqual([]);
  });

  it("says that texts of requests have no null character, and paths of data models their form", () => {
    const { schemas } = document["components"] as { schemas: Record<string, JsonObject> };
    const { CreateUserGroupRequest, RenameDataModelFilesRequest } = schemas;
    const takes = (schema: JsonObject | undefined, body: JsonObject) =>
      new Ajv2020({ strict: false }).compile({ ...schema, components: { schemas } })(body);
    expect(takes(CreateUserGroupRequest, { name: "a" })).toBe(true);
    expect(takes(CreateUserGroupRequest, { name: "a\u0000" })).toBe(false);
    expect(takes(CreateUserGroupRequest, { name: "a", description: "\u0000" })).toBe(false);
    const renames = (path: string, newPath: string) =>
      takes(RenameDataModelFilesRequest, { files: [{ path, newPath }] });
    expect(renames("/model/a b.yml", "model/.gitignore")).toBe(true);
    for (const wrong of ["model/../x", "model//x", "model/x.", "model/.git/x", "a:b", "a\u0000"]) {
      expect([wrong, renames("a", wrong), renames(wrong, "a")]).toEqual([wrong, false, false]);
    }
  });

  it("describes every error code", () => {
    const failures = described.flatMap(({ operation }) =>
      Object.entries(operation["responses"] as Record<string, { description: string }>).filter(
        ([status]) => Number(status) >= 400,
      ),
    );
    expect(failures.length).toBeGreaterThan(described.length * 3);
    for (const [, { description }] of failures) expect(description).toMatch(/^`\w+`: \w.+/);
  });

  it("requires no credential where none is needed", () => {
    const open = described.filter(
      ({ operation }) => JSON.stringify(operation["security"]) === "[]",
    );
    expect(open.map(({ operation }) => operation["operationId"])).toEqual([
      "receiveGitWebhook",
      "receiveSyncWebhook",
      "exchangeSession",
      "getOidcDiscovery",
      "getOidcKeys",
    ]);
  });

  it("assigns the schemes as the specification does", () => {
    expect(document["security"]).toEqual([{ bearer: [] }]);
    for (const { path, operation } of described) {
      const byKey =
        /^\/api\/v1\/(?:embed-tenants|embed\/generate-session)\b/.test(path) ||
        // A browser must not create tokens.
        /\/environments\/\{environmentId\}\/tokens/.test(path);
      // Terraform's `http` back end can send a name and a password, and nothing else.
      const byPassword = path.startsWith("/api/v1/state");
      if (byKey) expect(operation["security"]).toEqual([{ apiKey: [] }]);
      else if (byPassword) expect(operation["security"]).toEqual([{ bearer: [] }, { basic: [] }]);
      else expect(operation["security"] ?? []).toEqual([]);
    }
  });
});
