// Tests what plans check before the first write, and what they report as not checked, on the real service.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { planJson } from "../../reconciler/engine/plan-json.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const group: Doc = { kind: "UserGroup", name: "north", spec: { name: "north" } };
const apiKeyDocument = (owner: string): Doc => ({
  kind: "ApiKey",
  name: "ci",
  spec: { name: "ci", owner: { external: owner } },
});

describe("a key that is not an administrator's", () => {
  it("plans, and is refused before the first write", async () => {
    await fixture.stack.write([group]);
    const credential = new Secret(await fixture.service.key({ admin: false }));
    const connection = { ...fixture.stack.options.connection, credential };
    const plan = await fixture.stack.plan({ connection });
    expect(plan.changes).toHaveLength(1);
    expect(plan.diagnostics).toMatchObject([{ code: "not-permitted", severity: "warning" }]);
    expect(plan.diagnostics[0]?.summary).toContain(
      "cannot write UserGroup/north: only administrators have the permission UsersManage (POST /api/v1/user-groups)",
    );
    fixture.proxy.arm();
    const refused = { code: "forbidden", remedy: expect.stringContaining("Nothing was written") };
    await expect(fixture.stack.apply({ connection })).rejects.toMatchObject(refused);
    await expect(fixture.stack.apply({ connection, savedPlan: plan })).rejects.toMatchObject(
      refused,
    );
    expect(fixture.proxy.writes()).toEqual([]);
    await fixture.stack.apply({ savedPlan: plan });
    fixture.proxy.arm();
    expect(await fixture.stack.plan({ connection })).toMatchObject({
      changes: [],
      diagnostics: [],
    });
    expect(fixture.proxy.requests.map(({ path }) => path)).not.toContain("/api/v1/users/me");
  });
});

describe("a reference out of the stack", () => {
  it("to what does not exist is reported with its place, and one that does is not", async () => {
    await fixture.stack.write([apiKeyDocument("unknown@corp.example")]);
    const plan = await fixture.stack.plan();
    expect(plan.diagnostics).toMatchObject([
      { code: "reference-missing", address: "ApiKey/ci", path: "/spec/owner", severity: "error" },
    ]);
    await fixture.service.send("POST", "/api/v1/users", {
      body: { username: "robot", email: "robot@corp.example" },
    });
    await fixture.stack.write([apiKeyDocument("robot@corp.example")]);
    expect((await fixture.stack.plan()).diagnostics).toEqual([]);
  });

  it("is an error where the object cannot be made without it", async () => {
    const spec = { embedTenant: { external: "nope-nope" }, name: "v" };
    await fixture.stack.write([{ kind: "EmbedGroup", name: "v", spec }]);
    const { diagnostics } = await fixture.stack.plan();
    expect(diagnostics).toMatchObject([
      { code: "reference-missing", path: "/spec/embedTenant", severity: "error" },
    ]);
    fixture.proxy.arm();
    await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(fixture.proxy.writes()).toEqual([]);
  });

  it("is an error where an update adds it to an optional list", async () => {
    const user = (...groups: readonly string[]): Doc => {
      const spec = { email: "bob@corp.example", username: "bob" };
      const named = groups.map((external) => ({ external }));
      return { kind: "User", name: "bob", spec: { ...spec, groups: named } };
    };
    await fixture.stack.write([user()]);
    await fixture.stack.apply();
    await fixture.stack.write([user("gone")]);
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([
      { code: "reference-missing", address: "User/bob", severity: "error" },
    ]);
    fixture.proxy.arm();
    await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(fixture.proxy.writes()).toEqual([]);
  });

  it("is an error where the write looks it up, although the field is optional", async () => {
    const spec = { deployment: { external: "main" }, name: "Europe", parent: { external: "Nope" } };
    await fixture.stack.write([{ kind: "Folder", name: "europe", spec }]);
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([
      { code: "reference-missing", path: "/spec/parent", severity: "error" },
    ]);
  });

  it("to a notification, whose key has several parts, is looked up before the first write", async () => {
    const base = "/api/v1/deployments/1";
    const post = async (at: string, body: JsonObject) =>
      (await fixture.service.send("POST", `${base}${at}`, { body })).body as { id: number };
    const put = { body: { name: "Ops" } };
    const workbook = await fixture.service.send("PUT", `${base}/workbooks/by-slug/ops`, put);
    const { id: workbookId } = workbook.body as { id: number };
    const config = { title: "Ops" };
    const { id: dashboardId } = await post(`/workbooks/${workbookId}/publish`, {
      workbookId,
      config,
    });
    const daily = { scheduleType: "DAILY", hour: 9, timezone: "Europe/Oslo" };
    await post("/notifications", { dashboardId, ...daily });
    const planFor = async (external: string) => {
      const spec = {
        deployment: { external: "main" },
        notification: { external },
        user: "admin@svc.localhost",
      };
      await fixture.stack.write([{ kind: "NotificationRecipient", name: "n", spec }]);
      return fixture.stack.plan();
    };
    const key = "ops/0%209%20*%20*%20*/Europe%2FOslo";
    const form =
      "workbook/schedule/timezone/embedTenant, with %2F for a slash and %20 for a space in a part";
    const errorsOf = async (external: string) =>
      (await planFor(external)).diagnostics.map(({ code, path, remedy }) => [code, path, remedy]);
    expect(await errorsOf("nope")).toEqual([
      [
        "reference-missing",
        "/spec/notification",
        `Declare it, create it first, or correct the key. The key of a Notification is its ${form}.`,
      ],
    ]);
    expect(await errorsOf("ops/0 9 * * */Europe/Oslo")).toEqual([
      [
        "reference-missing",
        "/spec/notification",
        `Write { external: "${key}" }: the key of a Notification is its ${form}, not its form in plans.`,
      ],
    ]);
    expect(await errorsOf(key)).toEqual([]);
    const { outcomes } = await fixture.stack.apply();
    expect(outcomes.map(({ result }) => result)).toEqual(["done"]);
  });

  it("says what to write instead of a key that repeats the parent", async () => {
    const spec = {
      deployment: { external: "main" },
      name: "Europe",
      parent: { external: "main/Sales" },
    };
    await fixture.stack.write([{ kind: "Folder", name: "europe", spec }]);
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([
      {
        code: "reference-missing",
        remedy:
          'Write { external: "Sales" }: the key is the part below deployment, which the document names already.',
      },
    ]);
  });

  it("says which key is expected, and the key of the object that is meant", async () => {
    const base = "/api/v1/deployments/1";
    const send = async (method: string, at: string, body: JsonObject) =>
      (await fixture.service.send(method, `${base}${at}`, { body })).body as { id: number };
    const sales = await send("POST", "/folders", { name: "Sales" });
    await send("POST", "/folders", { name: "Europe", parentId: sales.id });
    await send("PUT", "/workbooks/by-slug/overview", { name: "sales" });
    const folder = (external: string, name: string): Doc => ({
      kind: "Folder",
      name,
      spec: { deployment: { external: "main" }, name, parent: { external } },
    });
    const report: Doc = {
      kind: "Report",
      name: "r",
      spec: {
        deployment: { external: "main" },
        publicId: "orders000001",
        jsonQuery: "{}",
        workbook: { external: "sales" },
      },
    };
    await fixture.stack.write([
      folder("Sales/Europe", "a"),
      folder("Eurpoe", "b"),
      folder("Sales/Asia", "c"),
      report,
    ]);
    const { diagnostics } = await fixture.stack.plan();
    const missing = diagnostics.filter(({ code }) => code === "reference-missing");
    expect(missing.map(({ summary, remedy }) => [summary, remedy])).toEqual([
      [
        "Folder/a refers to Folder main/Sales/Europe, which is not on the server",
        'Write { external: "Europe" }: the key of a Folder is its name, not a path.',
      ],
      [expect.anything(), 'Did you mean { external: "Europe" }? The key of a Folder is its name.'],
      [
        expect.anything(),
        "Declare it, create it first, or correct the key. The key of a Folder is its name.",
      ],
      [
        "Report/r refers to Workbook main/sales, which is not on the server",
        'Write { external: "overview" }: the key of a Workbook is its slug, not its name.',
      ],
    ]);
  });

  it("within a parent is looked for in that parent", async () => {
    const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-tenant" } };
    const viewers: Doc = {
      kind: "EmbedGroup",
      name: "viewers",
      spec: { embedTenant: "acme", name: "viewers" },
    };
    const user: Doc = {
      kind: "EmbedUser",
      name: "jane",
      spec: { externalId: "jane", embedTenant: "acme", tenantGroups: [{ external: "editors" }] },
    };
    await fixture.stack.write([tenant, viewers, user]);
    const { diagnostics } = await fixture.stack.plan();
    expect(diagnostics.filter(({ code }) => code === "reference-missing")).toMatchObject([
      {
        address: "EmbedUser/jane",
        severity: "error",
        summary: expect.stringContaining("EmbedGroup acme-tenant/editors"),
      },
    ]);
  });
});

describe("what could not be verified", () => {
  const slow = setUpFixture({ policy: { requestsPerSecond: 4 } });

  it("is reported where there is something to write, with the time that it takes", async () => {
    const user = (name: string): Doc => {
      return { kind: "User", name, spec: { email: `${name}@corp.example`, username: name } };
    };
    await slow.stack.write(["a", "b", "c", "d"].map(user));
    const plan = await slow.stack.plan();
    expect(planJson(plan)["notChecked"]).toEqual(["account quota (the API does not expose it)"]);
    expect(plan.cost).toMatchObject({ writeCalls: 4, applyCalls: 9, seconds: 3 });
    const text = planText(plan, { color: false, width: 100 });
    expect(text).not.toContain("Not checked");
    expect(planText(plan, { color: false, width: 100, verbose: true })).toContain(
      "Not checked: account quota (the API does not expose it).",
    );
    expect(text).toContain("4 to write, 9 in all for an apply, at least 3 seconds at the rate");
    const { calls } = await slow.stack.apply({ savedPlan: plan });
    expect(calls).toBeGreaterThan(4);
    const after = await slow.stack.plan();
    expect([after.notChecked, after.cost.seconds]).toEqual([undefined, undefined]);
  });
});

it("a public ID that a report of another deployment has is an error of the plan", async () => {
  const deployments = ["one", "two"].map((name): Doc => ({
    kind: "Deployment",
    name,
    spec: { name, region: "aws-us-east-1" },
  }));
  const report = (deployment: string): Doc => ({
    kind: "Report",
    name: "orders",
    spec: { deployment, publicId: "orders000001", name: "Orders" },
  });
  await fixture.stack.write([...deployments, report("one")]);
  await fixture.stack.apply();
  await fixture.stack.write([...deployments, report("one"), { ...report("two"), name: "copy" }]);
  expect((await fixture.stack.plan()).diagnostics).toMatchObject([
    { code: "value-refused", address: "Report/copy", path: "/spec/publicId", severity: "error" },
  ]);
  await fixture.stack.write([...deployments, report("two")]);
  const moved = await fixture.stack.plan();
  expect(moved.changes.map(({ action }) => action)).toEqual(["replace"]);
  expect(moved.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

it("errors and warnings about items of a set name their place in the document", async () => {
  const on = (resourceType: string, ...actions: readonly string[]): JsonObject => ({
    resourceType,
    actions,
  });
  const policies: readonly JsonObject[] = [
    on("Workbook", "WorkbookEdit"),
    on("Agent", "All"),
    { ...on("Report", "ReportRead"), deployments: [{ external: "main" }] },
    on("Global", "AgentAdmin", "ReportRead"),
  ];
  const spec = { name: "readers", policies };
  await fixture.stack.write([{ kind: "Role", name: "readers", spec }]);
  const { diagnostics } = await fixture.stack.plan();
  const found = diagnostics.map(({ code, path }) => `${code} ${path}`);
  expect(new Set(found)).toEqual(
    new Set([
      "value-refused /spec/policies/1/resourceType",
      "value-refused /spec/policies/2/deployments",
      "value-ineffective /spec/policies/3/actions",
    ]),
  );
});

describe("a value that the server does not offer", () => {
  const deployment = (spec: Doc["spec"]): Doc => ({
    kind: "Deployment",
    name: "shop",
    spec: { name: "shop", region: "aws-us-east-1", ...spec },
  });

  it("is an error of the plan with its place and the nearest values, and nothing is written", async () => {
    await fixture.stack.write([deployment({ region: "aws-us-east-11" })]);
    const [region] = (await fixture.stack.plan()).diagnostics;
    const text = await readFile(join(fixture.stack.folder, "documents.yaml"), "utf8");
    expect(region).toMatchObject({
      code: "out-of-bounds",
      severity: "error",
      address: "Deployment/shop",
      path: "/spec/region",
      place: { line: 1, column: text.indexOf('"aws-us-east-11"') + 1 },
      summary: 'region of Deployment/shop is "aws-us-east-11", which this server does not offer',
      remedy: expect.stringMatching(/^Use one of: aws-us-east-1\b/u),
    });
    fixture.proxy.arm();
    await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(fixture.proxy.writes()).toEqual([]);
  });

  it("is found in nested fields, of objects that exist and of new ones", async () => {
    await fixture.stack.write([deployment({})]);
    const created = await fixture.stack.plan();
    expect([created.diagnostics, created.notChecked]).toEqual([[], expect.anything()]);
    await fixture.stack.write([deployment({ release: { version: "0.0.99" } })]);
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([
      {
        code: "out-of-bounds",
        path: "/spec/release/version",
        place: { line: 1, column: expect.toSatisfy((column: number) => column > 100) },
        // Each of the versions, of which several channels may have one.
        remedy: expect.stringMatching(/^Use one of: [\d., ]+\.$/u),
      },
    ]);
    await fixture.stack.write([deployment({})]);
    await fixture.stack.apply();
    await fixture.stack.write([deployment({ release: { version: "0.0.99" } })]);
    const { diagnostics } = await fixture.stack.plan();
    expect(diagnostics).toMatchObject([{ code: "out-of-bounds", path: "/spec/release/version" }]);
    const [version = ""] = /\d[\d.]+\d/u.exec(diagnostics[0]?.remedy ?? "") ?? [];
    await fixture.stack.write([deployment({ release: { version } })]);
    expect((await fixture.stack.plan()).diagnostics).toEqual([]);
  });
});
