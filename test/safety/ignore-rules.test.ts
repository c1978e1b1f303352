// Tests ignore rules and `manage` on the real service: ignored fields are never written, unmanaged actions never run.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Doc, changeSummaries, type TestStack } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const path = "/spec/description";

function group(description: string, lifecycle?: JsonObject, name = "team"): Doc {
  return {
    kind: "UserGroup",
    name,
    spec: { name, description },
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

function ignoreRule(expires?: string): JsonObject {
  return {
    ignore: [{ path, reason: "edited by hand", ...(expires !== undefined && { expires }) }],
  };
}

const anchor = group("anchor", undefined, "anchor");

interface LiveGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
}

async function liveGroup(name = "team"): Promise<LiveGroup | undefined> {
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups?first=100");
  return (body as { items: LiveGroup[] }).items.find((one) => one.name === name);
}

async function editOutOfBand(change: JsonObject): Promise<void> {
  const { id } = (await liveGroup()) ?? { id: 0 };
  await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body: change });
}

async function write(...documents: readonly Doc[]): Promise<void> {
  await fixture.stack.write([anchor, ...documents]);
}

async function codes(): Promise<readonly string[]> {
  const { diagnostics } = await fixture.stack.plan();
  return diagnostics.map(({ code }) => code);
}

describe("an ignored field", () => {
  it("is written once, when the object is created, and is not changed afterwards", async () => {
    await write(group("first", ignoreRule()));
    await fixture.stack.apply();
    expect(await liveGroup()).toMatchObject({ description: "first" });
    await editOutOfBand({ description: "by hand" });
    expect((await fixture.stack.plan()).changes).toEqual([]);
    expect(await codes()).toEqual(["ignored-difference"]);
    await write(group("second", ignoreRule()));
    fixture.proxy.arm();
    await fixture.stack.apply();
    expect(fixture.proxy.writes()).toEqual([]);
    expect(await liveGroup()).toMatchObject({ description: "by hand" });
  });

  it("is not touched by a write to its neighbour, nor by a replace, nor through a saved plan", async () => {
    const variable = (value: string, more: JsonObject): Doc => ({
      kind: "Deployment",
      name: "site",
      spec: { name: "site", region: "aws-us-east-1", ...more },
      lifecycle: { ignore: [{ path: "/spec/region", reason: value }] },
    });
    await write(group("first", ignoreRule()), variable("moved by support", {}));
    await fixture.stack.apply();
    await editOutOfBand({ description: "by hand" });
    await write({
      ...group("second", ignoreRule()),
      spec: { name: "renamed", description: "second" },
    });
    const saved = JSON.parse(JSON.stringify(await fixture.stack.plan())) as Awaited<
      ReturnType<TestStack["plan"]>
    >;
    expect(changeSummaries(saved.changes)).toContain("update UserGroup/team /name");
    await fixture.stack.apply({ savedPlan: saved, allowDeletes: 9 });
    expect(await liveGroup("renamed")).toMatchObject({ description: "by hand" });
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.apply({ replace: ["UserGroup/team"] });
    expect(await liveGroup("renamed")).toMatchObject({ description: "by hand" });
  });

  it("may be inside another, whose other parts are written", async () => {
    const site = (lifecycle: JsonObject): Doc => ({
      kind: "Workbook",
      name: "sales",
      spec: { deployment: "site", slug: "sales", dashboard: { title: "Ours", allowEmbed: true } },
      lifecycle,
    });
    const parent: Doc = {
      kind: "Deployment",
      name: "site",
      spec: { name: "site", region: "aws-us-east-1" },
    };
    const rule = { ignore: [{ path: "/spec/dashboard/title", reason: "theirs" }] };
    await write(parent, site(rule));
    await fixture.stack.apply();
    await write(parent, {
      ...site(rule),
      spec: { deployment: "site", slug: "sales", dashboard: { title: "New", allowEmbed: false } },
    });
    const { changes } = await fixture.stack.plan();
    expect(changeSummaries(changes)).toEqual(["update Workbook/sales /dashboard/allowEmbed"]);
    const { residual } = await fixture.stack.apply();
    expect(residual).toEqual([]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });

  it("is managed again the day after the rule expires, which is reported", async () => {
    const day = (text: string) => ({ now: () => new Date(text) });
    await write(group("first", ignoreRule("2027-03-01")));
    await fixture.stack.apply(day("2027-01-01T00:00:00Z"));
    await editOutOfBand({ description: "by hand" });
    expect((await fixture.stack.plan(day("2027-03-01T23:59:59Z"))).changes).toEqual([]);
    const after = await fixture.stack.plan(day("2027-03-02T00:00:00Z"));
    expect(changeSummaries(after.changes)).toEqual(["update UserGroup/team /description"]);
    expect(after.diagnostics).toMatchObject([
      { code: "ignore-expired", path: "/metadata/lifecycle/ignore/0" },
    ]);
    await fixture.stack.apply(day("2027-03-02T00:00:00Z"));
    expect(await liveGroup()).toMatchObject({ description: "first" });
  });

  it("that is as declared is reported as unused", async () => {
    await write(group("first", ignoreRule()));
    await fixture.stack.apply();
    expect(await codes()).toEqual(["ignore-unused"]);
  });

  it.each([
    ["/spec/name", "identifies the object and cannot be ignored"],
    ["/spec/descripton", "Did you mean /spec/description?"],
    ["/spec/description/0", "has no field"],
    ["/metadata/name", "/metadata/lifecycle/ignore/0/path"],
  ])("cannot be %s", async (wrong, message) => {
    await write(group("first", { ignore: [{ path: wrong, reason: "x" }] }));
    const [first, ...more] = await fixture.stack.manifestDiagnostics();
    expect(more).toEqual([]);
    expect(JSON.stringify(first)).toContain(message);
  });

  it("cannot be one that the API does not return, nor end on a day that does not exist", async () => {
    await write({
      kind: "EmbedUser",
      name: "jane",
      spec: { embedTenant: { external: "acme" }, externalId: "jane", picture: "https://a.example" },
      lifecycle: { ignore: [{ path: "/spec/picture", reason: "x" }] },
    });
    expect(await fixture.stack.manifestDiagnostics()).toMatchObject([
      { path: "/metadata/lifecycle/ignore/0/path" },
    ]);
    await write(group("first", ignoreRule("2027-02-30")));
    expect(await fixture.stack.manifestDiagnostics()).toMatchObject([
      { path: "/metadata/lifecycle/ignore/0/expires" },
    ]);
  });
});

describe("what is managed", () => {
  it("without update is created and then left unchanged", async () => {
    const once = { manage: ["observe", "create", "delete"] };
    await write(group("first", once));
    await fixture.stack.apply();
    await editOutOfBand({ description: "by hand" });
    await write(group("second", once));
    expect((await fixture.stack.plan()).changes).toEqual([]);
    expect(await codes()).toEqual(["ignored-difference"]);
    await write();
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "delete UserGroup/team /description",
    ]);
  });

  it("without delete is abandoned, and neither replaced", async () => {
    await write(group("first", { manage: ["observe", "create", "update"] }));
    await fixture.stack.apply();
    expect((await fixture.stack.plan({ replace: ["UserGroup/team"] })).diagnostics).toMatchObject([
      { code: "not-managed", severity: "error" },
    ]);
    await write();
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "forget UserGroup/team",
    ]);
    await fixture.stack.apply();
    expect(await liveGroup()).toBeDefined();
  });

  it("without create must exist", async () => {
    await write(group("first", { manage: ["observe", "update"] }));
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([{ code: "not-managed" }]);
    await fixture.service.send("POST", "/api/v1/user-groups", { body: { name: "team" } });
    expect(await codes()).toEqual(["inventory-missing", "not-owned"]);
    await fixture.stack.adopt();
    await fixture.stack.apply();
    expect(await liveGroup()).toMatchObject({ description: "first" });
  });

  it("with observe alone may belong to any stack, and is never written", async () => {
    const seen = { manage: ["observe"] };
    await write(group("ours", seen));
    expect((await fixture.stack.plan()).diagnostics).toMatchObject([
      { code: "not-managed", severity: "error" },
    ]);
    await fixture.service.send("POST", "/api/v1/user-groups", { body: { name: "team" } });
    const plan = await fixture.stack.plan({ adopt: () => true });
    expect([changeSummaries(plan.changes), plan.unchanged]).toEqual([
      ["create UserGroup/anchor"],
      1,
    ]);
    await fixture.stack.apply();
    await write();
    expect((await fixture.stack.plan()).changes).toEqual([]);
    expect((await liveGroup())?.description).toBeUndefined();
  });

  it("cannot be without observe", async () => {
    await write(group("first", { manage: ["create"] }));
    expect(await fixture.stack.manifestDiagnostics()).toMatchObject([
      { path: "/metadata/lifecycle/manage" },
    ]);
  });
});
