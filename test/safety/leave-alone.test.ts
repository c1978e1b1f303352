// What a document leaves alone, on the real service: ignored fields are never written, and what is not managed is not done.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Doc, inWords, type TestStack } from "../support/stack.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach();

const path = "/spec/description";

function group(description: string, lifecycle?: JsonObject, name = "team"): Doc {
  return {
    kind: "UserGroup",
    name,
    spec: { name, description },
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

function ignoring(expires?: string): JsonObject {
  return {
    ignore: [{ path, reason: "edited by hand", ...(expires !== undefined && { expires }) }],
  };
}

const anchor = group("anchor", undefined, "anchor");

interface Live {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
}

async function live(name = "team"): Promise<Live | undefined> {
  const { body } = await scene.service.send("GET", "/api/v1/user-groups?first=100");
  return (body as { items: Live[] }).items.find((one) => one.name === name);
}

async function edit(change: JsonObject): Promise<void> {
  const { id } = (await live()) ?? { id: 0 };
  await scene.service.send("PATCH", `/api/v1/user-groups/${id}`, { body: change });
}

async function write(...documents: readonly Doc[]): Promise<void> {
  await scene.stack.write([anchor, ...documents]);
}

async function codes(): Promise<readonly string[]> {
  const { diagnostics } = await scene.stack.plan();
  return diagnostics.map(({ code }) => code);
}

describe("an ignored field", () => {
  it("is written once, when the object is made, and stays as it is from then on", async () => {
    await write(group("first", ignoring()));
    await scene.stack.apply();
    expect(await live()).toMatchObject({ description: "first" });
    await edit({ description: "by hand" });
    expect((await scene.stack.plan()).changes).toEqual([]);
    expect(await codes()).toEqual(["left-alone"]);
    await write(group("second", ignoring()));
    scene.proxy.arm();
    await scene.stack.apply();
    expect(scene.proxy.writes()).toEqual([]);
    expect(await live()).toMatchObject({ description: "by hand" });
  });

  it("is not touched by a write to its neighbour, nor by a replace, nor through a saved plan", async () => {
    const variable = (value: string, more: JsonObject): Doc => ({
      kind: "Deployment",
      name: "site",
      spec: { name: "site", region: "aws-us-east-1", ...more },
      lifecycle: { ignore: [{ path: "/spec/region", reason: value }] },
    });
    await write(group("first", ignoring()), variable("moved by support", {}));
    await scene.stack.apply();
    await edit({ description: "by hand" });
    await write({ ...group("second", ignoring()), spec: { name: "crew", description: "second" } });
    const saved = JSON.parse(JSON.stringify(await scene.stack.plan())) as Awaited<
      ReturnType<TestStack["plan"]>
    >;
    expect(inWords(saved.changes)).toContain("update UserGroup/team /name");
    await scene.stack.apply({ saved, allowDeletes: 9 });
    expect(await live("crew")).toMatchObject({ description: "by hand" });
    expect((await scene.stack.plan()).changes).toEqual([]);
    await scene.stack.apply({ replace: ["UserGroup/team"] });
    expect(await live("crew")).toMatchObject({ description: "by hand" });
  });

  it("may lie inside another, whose other parts are written", async () => {
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
    await scene.stack.apply();
    await write(parent, {
      ...site(rule),
      spec: { deployment: "site", slug: "sales", dashboard: { title: "New", allowEmbed: false } },
    });
    const { changes } = await scene.stack.plan();
    expect(inWords(changes)).toEqual(["update Workbook/sales /dashboard/allowEmbed"]);
    const { residual } = await scene.stack.apply();
    expect(residual).toEqual([]);
    expect((await scene.stack.plan()).changes).toEqual([]);
  });

  it("is ours again the day after the rule expires, which is told", async () => {
    const day = (text: string) => ({ now: () => new Date(text) });
    await write(group("first", ignoring("2027-03-01")));
    await scene.stack.apply(day("2027-01-01T00:00:00Z"));
    await edit({ description: "by hand" });
    expect((await scene.stack.plan(day("2027-03-01T23:59:59Z"))).changes).toEqual([]);
    const after = await scene.stack.plan(day("2027-03-02T00:00:00Z"));
    expect(inWords(after.changes)).toEqual(["update UserGroup/team /description"]);
    expect(after.diagnostics).toMatchObject([
      { code: "ignore-expired", path: "/metadata/lifecycle/ignore/0" },
    ]);
    await scene.stack.apply(day("2027-03-02T00:00:00Z"));
    expect(await live()).toMatchObject({ description: "first" });
  });

  it("that is as declared is told as unused", async () => {
    await write(group("first", ignoring()));
    await scene.stack.apply();
    expect(await codes()).toEqual(["ignore-unused"]);
  });

  it.each([
    ["/spec/name", "known by"],
    ["/spec/descripton", "Did you mean /spec/description?"],
    ["/spec/description/0", "has no field"],
    ["/metadata/name", "/metadata/lifecycle/ignore/0/path"],
  ])("cannot be %s", async (wrong, said) => {
    await write(group("first", { ignore: [{ path: wrong, reason: "x" }] }));
    const [first, ...more] = await scene.stack.diagnosticsOfFiles();
    expect(more).toEqual([]);
    expect(JSON.stringify(first)).toContain(said);
  });

  it("cannot be one that the API does not show, nor end on a day that there is not", async () => {
    await write({
      kind: "EmbedUser",
      name: "jane",
      spec: { embedTenant: { external: "acme" }, externalId: "jane", picture: "https://a.example" },
      lifecycle: { ignore: [{ path: "/spec/picture", reason: "x" }] },
    });
    expect(await scene.stack.diagnosticsOfFiles()).toMatchObject([
      { path: "/metadata/lifecycle/ignore/0/path" },
    ]);
    await write(group("first", ignoring("2027-02-30")));
    expect(await scene.stack.diagnosticsOfFiles()).toMatchObject([
      { path: "/metadata/lifecycle/ignore/0/expires" },
    ]);
  });
});

describe("what is managed", () => {
  it("without update is made and then left as it is", async () => {
    const once = { manage: ["observe", "create", "delete"] };
    await write(group("first", once));
    await scene.stack.apply();
    await edit({ description: "by hand" });
    await write(group("second", once));
    expect((await scene.stack.plan()).changes).toEqual([]);
    expect(await codes()).toEqual(["left-alone"]);
    await write();
    expect(inWords((await scene.stack.plan()).changes)).toEqual(["delete UserGroup/team"]);
  });

  it("without delete is let go of, and neither replaced", async () => {
    await write(group("first", { manage: ["observe", "create", "update"] }));
    await scene.stack.apply();
    expect((await scene.stack.plan({ replace: ["UserGroup/team"] })).diagnostics).toMatchObject([
      { code: "not-managed", severity: "error" },
    ]);
    await write();
    expect(inWords((await scene.stack.plan()).changes)).toEqual(["forget UserGroup/team"]);
    await scene.stack.apply();
    expect(await live()).toBeDefined();
  });

  it("without create has to be there", async () => {
    await write(group("first", { manage: ["observe", "update"] }));
    expect((await scene.stack.plan()).diagnostics).toMatchObject([{ code: "not-managed" }]);
    await scene.service.send("POST", "/api/v1/user-groups", { body: { name: "team" } });
    expect(await codes()).toEqual(["not-ours"]);
    await scene.stack.adopt();
    await scene.stack.apply();
    expect(await live()).toMatchObject({ description: "first" });
  });

  it("with observe alone may belong to anybody, and is never written", async () => {
    const seen = { manage: ["observe"] };
    await write(group("ours", seen));
    expect((await scene.stack.plan()).diagnostics).toMatchObject([
      { code: "not-managed", severity: "error" },
    ]);
    await scene.service.send("POST", "/api/v1/user-groups", { body: { name: "team" } });
    const plan = await scene.stack.plan({ adopt: () => true });
    expect([inWords(plan.changes), plan.unchanged]).toEqual([["create UserGroup/anchor"], 1]);
    await scene.stack.apply();
    await write();
    expect((await scene.stack.plan()).changes).toEqual([]);
    expect((await live())?.description).toBeUndefined();
  });

  it("cannot be without observe", async () => {
    await write(group("first", { manage: ["create"] }));
    expect(await scene.stack.diagnosticsOfFiles()).toMatchObject([
      { path: "/metadata/lifecycle/manage" },
    ]);
  });
});
