// What plans find out before the first write, and what they say that they could not, against the real service.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { planText } from "../../reconciler/report/text.ts";
import { startProxy, type Proxy } from "../support/proxy.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Doc, makeStack, type TestStack } from "../support/stack.ts";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;

const group: Doc = { kind: "UserGroup", name: "north", spec: { name: "north" } };
const key = (owner: string): Doc => ({
  kind: "ApiKey",
  name: "ci",
  spec: { name: "ci", owner: { external: owner } },
});

beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});

afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

describe("a key that is not an administrator's", () => {
  it("plans, and is refused before the first write", async () => {
    await stack.write([group]);
    const credential = new Secret(await service.key({ admin: false }));
    const connection = { ...stack.options.connection, credential };
    const plan = await stack.plan({ connection });
    expect(plan.changes).toHaveLength(1);
    expect(plan.diagnostics).toMatchObject([{ code: "not-permitted", severity: "warning" }]);
    expect(plan.diagnostics[0]?.summary).toContain(
      "UserGroup takes one (POST /api/v1/user-groups)",
    );
    proxy.arm();
    const refused = { code: "forbidden", remedy: expect.stringContaining("nothing was written") };
    await expect(stack.apply({ connection })).rejects.toMatchObject(refused);
    await expect(stack.apply({ connection, saved: plan })).rejects.toMatchObject(refused);
    expect(proxy.writes()).toEqual([]);
    await stack.apply({ saved: plan });
    proxy.arm();
    expect(await stack.plan({ connection })).toMatchObject({ changes: [], diagnostics: [] });
    expect(proxy.passed.map(({ path }) => path)).not.toContain("/api/v1/users/me");
  });
});

describe("a reference out of the stack", () => {
  it("to what does not exist is told with its place, and one that does is not", async () => {
    await stack.write([key("nobody@corp.example")]);
    const plan = await stack.plan();
    expect(plan.diagnostics).toMatchObject([
      { code: "reference-missing", address: "ApiKey/ci", path: "/spec/owner", severity: "warning" },
    ]);
    await service.send("POST", "/api/v1/users", {
      body: { username: "robot", email: "robot@corp.example" },
    });
    await stack.write([key("robot@corp.example")]);
    expect((await stack.plan()).diagnostics).toEqual([]);
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
    await stack.write([tenant, viewers, user]);
    const { diagnostics } = await stack.plan();
    expect(diagnostics.filter(({ code }) => code === "reference-missing")).toMatchObject([
      {
        address: "EmbedUser/jane",
        summary: expect.stringContaining("EmbedGroup acme-tenant/editors"),
      },
    ]);
  });
});

describe("what could not be verified", () => {
  it("is told where there is something to write, with the time that it takes", async () => {
    await stack.dispose();
    stack = await makeStack({
      url: proxy.url,
      key: service.adminKey,
      policy: { requestsPerSecond: 4 },
    });
    await stack.write([
      group,
      ...["a", "b", "c", "d"].map((name) => ({ ...group, name, spec: { name } })),
    ]);
    const plan = await stack.plan();
    expect(plan.notVerified).toEqual([
      "whether the key reaches every deployment, which the API does not tell",
      "whether the account's limits leave room, which the API does not tell",
    ]);
    expect(plan.cost).toMatchObject({ writeCalls: 5, seconds: 2 });
    const text = planText(plan, { color: false, width: 100 });
    expect(text).toContain("Not verified: whether the account's limits leave room");
    expect(text).toContain("5 to write, in 2 seconds or more at the stack's rate.");
    const { calls } = await stack.apply({ saved: plan });
    expect(calls).toBeGreaterThan(5);
    const after = await stack.plan();
    expect([after.notVerified, after.cost.seconds]).toEqual([undefined, undefined]);
  });
});
