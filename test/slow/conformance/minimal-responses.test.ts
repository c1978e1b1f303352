// Tests every kind against a server whose responses contain only the members that clients may require.
import { afterEach, beforeEach, expect, it } from "vitest";
import { operations } from "../../../api/index.ts";
import { isObject, type JsonValue } from "../../../core/json.ts";
import type { Operation } from "../../../core/operation/operation.ts";
import { admitsNull, view } from "../../../core/schema/schema.ts";
import { isOptionalForClient } from "../../../core/schema/traits.ts";
import type { TSchema } from "typebox";
import { everyKind, prepareAccount } from "../../support/every-kind.ts";
import { type AlterResponse, type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";

/**
 * Optional fields that are compared if a document declares them, as the examples do. Without them, the examples would
 * always drift.
 */
const compared = new Set(
  ["username", "isAdmin", "isDeactivated", "groups", "ownerUserId", "deploymentIds", "meta"].concat(
    ["allowEmbed", "config", "isEnabled", "notificationEnabled", "notificationFormat"],
    ["roles", "defaultRoles", "permissions", "states", "scopes"],
    ["notificationAiSummary", "template", "cloudProvider", "releaseChannel"],
    ["deployBranchName", "deployBranchReadOnly", "deployBranchMergeAllowed", "deployProjectRoot"],
  ),
);

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
let deletedPaths: Set<string>;
let comparedMembers: ReadonlySet<string>;

beforeEach(async () => {
  deletedPaths = new Set();
  comparedMembers = compared;
  service = await startService();
  await prepareAccount(service);
  proxy = await startProxy(service.url, minimalResponse);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

/**
 * Leaves out the optional members, except compared ones, and returns `null` for members that the service leaves out.
 */
const minimalResponse: AlterResponse = ({ method, path }, body) => {
  const operation = operations.find((one) => one.method === method && matchesPath(one, path));
  const schema = operation?.answer.schema;
  if (schema === undefined) return body;
  if (operation?.list === undefined) return minimalOf(schema, body);
  if (Array.isArray(body)) return body.map((item: JsonValue) => minimalOf(schema, item));
  if (!isObject(body) || !Array.isArray(body["items"])) return body;
  return { ...body, items: body["items"].map((item: JsonValue) => minimalOf(schema, item)) };
};

function matchesPath({ path }: Operation, requestPath: string): boolean {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(requestPath.split("?")[0] ?? "");
}

function minimalOf(schema: TSchema, value: JsonValue): JsonValue {
  const { items, properties = {}, required = [] } = view(schema);
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((one: JsonValue) => minimalOf(items, one));
  }
  if (!isObject(value)) return value;
  const less: Record<string, JsonValue | undefined> = { ...value };
  for (const [name, inner] of Object.entries(properties)) {
    const one = value[name];
    if (isOptionalForClient(inner) && !comparedMembers.has(name)) {
      deletedPaths.add(name);
      delete less[name];
    } else if (one !== undefined) less[name] = minimalOf(inner, one);
    else if (!required.includes(name) && !admitsNull(inner)) less[name] = null;
  }
  return less;
}

it("is planned, created and read as declared, for every kind", async () => {
  await stack.write(everyKind);
  const { outcomes, residual } = await stack.apply();
  expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(changeSummaries(residual)).toEqual([]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  expect(deletedPaths.size).toBeGreaterThan(8);
});

it("may omit fields that are not requested", async () => {
  const kinds = ["Deployment", "UserGroup", "UserAttribute", "EmbedTenant", "EmbedGroup"];
  const bare = everyKind.filter(({ kind }) => kinds.includes(kind));
  comparedMembers = new Set();
  await stack.write(
    bare.map((doc) =>
      doc.kind === "Deployment"
        ? { ...doc, spec: { name: doc.name, region: "aws-eu-central-1" } }
        : doc,
    ),
  );
  await stack.apply();
  expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
});
