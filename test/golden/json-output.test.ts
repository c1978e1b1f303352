// Tests JSON output without a report from real runs against schemas/command-output.json.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { validator } from "../../core/schema/validate.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import {
  commandJson,
  commandOutputs,
  commandOutputSchema,
} from "../../reconciler/report/command-output-schema.ts";
import { reportSchema } from "../../reconciler/report/schema.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";
import { type CommandResult, runSvc } from "./run-cli.ts";

const slowTest = { timeout: 120_000 };
let service: TestService;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey, name: "shop" });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

/** Sets the location of the inventory. */
function setInventory(inventory: JsonObject | string, name = "shop"): void {
  const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name } };
  writeFileSync(
    join(stack.folder, "stack.yaml"),
    JSON.stringify({ ...document, spec: { inventory } }),
  );
}

/** Declares one group with this description. */
const declareGroup = (description: string): Promise<void> =>
  stack.write([{ kind: "UserGroup", name: "sellers", spec: { name: "sellers", description } }]);

/** Applies one group with this description. */
async function applyGroup(description: string): Promise<void> {
  await declareGroup(description);
  await stack.apply();
}

/** Runs a command, and returns its output, which must match the documented format. */
async function runJson(
  form: TSchema | JsonObject,
  ...args: readonly string[]
): Promise<JsonObject> {
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const { code, out, err } = await runSvc([...args, "--json"], { cwd: stack.folder, env });
  expect([args, code, code === 0 ? "" : err]).toEqual([args, 0, ""]);
  const answer = JSON.parse(out) as JsonObject;
  expect([args, validator(form)(answer)]).toEqual([args, []]);
  return answer;
}

it("the JSON result of every command conforms to its schema", slowTest, async () => {
  const file = ".svc/shop.inventory.json";
  setInventory({ file });
  await applyGroup("one");
  await applyGroup("two");
  const reported = await Promise.all([
    runJson(commandOutputs.graph, "graph"),
    runJson(commandOutputs.history, "history"),
  ]);
  expect(reported).toMatchObject([
    { objects: [{ address: "UserGroup/sellers", dependsOn: [], layer: 0 }] },
    { runs: [{ changes: [{ before: { description: "one" } }] }, { counts: { create: 1 } }] },
  ]);
  await declareGroup("three");
  const planned = await runJson(reportSchema(), "plan", "--out", "plan.json");
  expect(planned).toMatchObject({ summary: { update: 1 } });
  expect(await runJson(reportSchema(), "show", "plan.json")).toEqual(planned);
  await declareGroup("two");
  const [last] = reported[1]["runs"] as readonly { readonly id: string }[];
  // An undo is an apply, and has the same output.
  expect(await runJson(reportSchema(), "undo", last?.id ?? "", "--yes")).toMatchObject({
    report: "apply",
    summary: { update: 1 },
  });
  expect(await runJson(commandOutputs.protect, "protect", "UserGroup/sellers")).toMatchObject({
    changed: ["UserGroup/sellers"],
  });
  const held = await fileInventory(join(stack.folder, file), "shop").lock("test");
  expect(
    await runJson(commandOutputs["inventory unlock"], "inventory", "unlock", held.info.id, "--yes"),
  ).toEqual({
    format: 1,
    report: "inventory-unlock",
    unlocked: held.info.id,
    stack: "shop",
  });
  await held.release();
  setInventory("service");
  expect(await runJson(commandOutputs["inventory move"], "inventory", "move")).toMatchObject({
    objectCount: 1,
  });
  setInventory("service", "store");
  const renaming = ["inventory", "move", "--renamed-from", "shop"] as const;
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  expectDeclaredMembers(await runSvc([...renaming, "--json"], { cwd: stack.folder, env }), {
    stack: "store",
    renamedFrom: "shop",
    objectCount: 1,
  });
  const withoutYes = await runSvc([...renaming], { cwd: stack.folder, env });
  expect([withoutYes.code, withoutYes.err]).toEqual([5, expect.stringContaining("--yes")]);
  expect(await runJson(commandOutputs["inventory move"], ...renaming, "--yes")).toMatchObject({
    stack: "store",
    renamedFrom: "shop",
  });
  expect(await runJson(commandOutputs.history, "history")).toMatchObject({
    report: "history",
    runs: [
      { verb: "move", reason: "renamed from stack shop", move: { type: "name", from: "shop" } },
      { verb: "undo" },
      {},
      {},
    ],
  });
  const alias = service.url.replace("127.0.0.1", "localhost");
  const address = ["inventory", "move", "--former-url", service.url, "--url", alias] as const;
  const refused = await runSvc([...address], { cwd: stack.folder, env });
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("--yes")]);
  const form = commandOutputs["inventory move --former-url"];
  const facts = { formerUrl: service.url, url: alias, objectCount: 1 };
  const unconfirmed = await runSvc([...address, "--json"], { cwd: stack.folder, env });
  expectDeclaredMembers(unconfirmed, { status: "confirmation_required", ...facts });
  expect(await runJson(form, ...address, "--yes")).toMatchObject({ changed: true, ...facts });
  const back = ["inventory", "move", "--former-url", alias] as const;
  expect(await runJson(form, ...back, "--yes")).toMatchObject({ changed: true });
  expect(await runJson(form, ...back)).toEqual({
    format: 1,
    report: "inventory-address",
    stack: "store",
    url: service.url,
    changed: false,
  });
  setInventory({ file: "other.json" }, "store");
  expect(await runJson(commandOutputs.adopt, "adopt", "--yes")).toEqual({
    format: 1,
    report: "adopt",
    adopted: ["UserGroup/sellers"],
    notFound: [],
    blocked: [],
  });
});

it("every command replaces its own result, and refuses no second run", slowTest, async () => {
  await applyGroup("one");
  mkdirSync(join(stack.folder, "project", "model"), { recursive: true });
  writeFileSync(join(stack.folder, "project/model/a.yml"), "cubes: []\n");
  const commands: readonly (readonly [string, TSchema | JsonObject | undefined])[] = [
    ["context list", commandOutputs["context list"]],
    ["whoami", commandOutputs.whoami],
    ["doctor", commandOutputs.doctor],
    ["explain", commandOutputs.explain],
    ["explain UserGroup", commandOutputs["explain TYPE"]],
    ["explain ApiKey", commandOutputs["explain TYPE"]],
    ["explain EmbedTenantSetup", commandOutputs["explain TYPE"]],
    ["validate main", commandOutputs.validate],
    ["deploy main --folder project --allow-empty", commandOutputs.deploy],
    ["deploy main --folder project --no-wait", commandOutputs.deploy],
    ["graph", commandOutputs.graph],
    ["history", commandOutputs.history],
    ["inventory show", commandOutputs["inventory show"]],
    ["adopt --yes", commandOutputs.adopt],
    ["protect UserGroup/sellers", commandOutputs.protect],
    ["lint", reportSchema()],
    ["plan", reportSchema()],
    ["export", undefined],
    // The API's own answer, identified as an OpenAPI document.
    ["spec", undefined],
    ["spec folders", undefined],
  ];
  const file = join(stack.folder, "result.json");
  const env = {
    SVC_API_URL: service.url,
    SVC_API_KEY: service.adminKey,
    HOME: stack.folder,
  };
  for (const [command, form] of commands) {
    writeFileSync(file, "");
    const args = [...command.split(" "), "--json-into", file];
    for (const run of ["first", "second"]) {
      const { code, err } = await runSvc(args, { cwd: stack.folder, env });
      expect([command, run, code, code === 0 ? "" : err]).toEqual([command, run, 0, ""]);
      const result = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
      const problems = form === undefined ? [] : validator(form)(result);
      expect([command, problems]).toEqual([command, []]);
    }
  }
});

it("results are checked by their types", () => {
  const doctor = { version: "1.0.0", findings: [] };
  expect(validator(commandOutputs.doctor)(commandJson("doctor", doctor))).toEqual([]);
  // @ts-expect-error The member `stack` is missing.
  expect(validator(commandOutputs.graph)(commandJson("graph", { objects: [] }))).not.toEqual([]);
  // @ts-expect-error A version is text.
  const wrong = commandJson("doctor", { ...doctor, version: 2 });
  expect(validator(commandOutputs.doctor)(wrong)).not.toEqual([]);
});

it("the schema covers every command, and rejects any other value", () => {
  const check = validator(commandOutputSchema());
  expect(Object.keys(commandOutputSchema()["$defs"] as JsonObject)).toEqual(
    Object.keys(commandOutputs),
  );
  const head = { format: 1, report: "history", stack: "shop" };
  expect(check({ ...head, runs: [] })).toEqual([]);
  expect(check({ ...head, runs: [{ id: "x" }] })).not.toEqual([]);
  expect(check(head)).not.toEqual([]);
  expect(check({ stack: "shop", runs: [] })).not.toEqual([]);
});

/** Expects an unconfirmed command with these members, of which the schema declares each. */
function expectDeclaredMembers({ out }: CommandResult, members: JsonObject): void {
  const answer = JSON.parse(out) as JsonObject;
  expect(answer).toMatchObject(members);
  const { properties } = failureSchema() as { readonly properties: JsonObject };
  expect(validator(failureSchema())(answer)).toEqual([]);
  expect(Object.keys(answer).filter((name) => !Object.hasOwn(properties, name))).toEqual([]);
}
