// Tests protected objects against everything that deletes them, on the real service, and which rules remain after the
// document is removed.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { protect } from "../../reconciler/verbs/protect.ts";
import { liveState } from "../support/live-state.ts";
import { type Doc, changeSummaries, type TestStack } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

function group(name: string, lifecycle?: JsonObject, more: JsonObject = {}): Doc {
  return {
    kind: "UserGroup",
    name,
    spec: { name, ...more },
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

function siteDocument(region: string, lifecycle?: JsonObject): Doc {
  return {
    kind: "Deployment",
    name: "site",
    spec: { name: "site", region },
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

const anchor = group("anchor");

async function apply(documents: readonly Doc[]): Promise<void> {
  await fixture.stack.write([anchor, ...documents]);
  await fixture.stack.apply();
}

async function liveGroups(): Promise<readonly string[]> {
  return Object.keys(await liveState(fixture.service)).filter((one) =>
    one.startsWith("UserGroup/"),
  );
}

async function liftProtection(address: string, isOn = false): Promise<readonly string[]> {
  const done = await protect({ ...fixture.stack.options, addresses: [address], protect: isOn });
  if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
  return done.changed;
}

/** Expects that the plan is shown completely, that the change is blocked, and that applying it writes nothing. */
async function expectRejected(address: string, action: string): Promise<void> {
  const plan = await fixture.stack.plan();
  const change = plan.changes.find((one) => one.address === address);
  expect([change?.action, change?.blockedBy.length]).toEqual([action, 1]);
  expect(plan.diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([
    { code: "protected", address },
  ]);
  fixture.proxy.arm();
  await expect(fixture.stack.apply({ allowDeletes: 1000 })).rejects.toMatchObject({
    code: "refused",
  });
  expect(fixture.proxy.writes()).toEqual([]);
}

describe("a protected object", () => {
  it("is kept without its document, and without the field before that, until its protection is lifted", async () => {
    await apply([group("kept", { protect: true })]);
    await apply([group("kept")]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.write([anchor, group("new")]);
    await expectRejected("UserGroup/kept", "delete");
    const plan = await fixture.stack.plan();
    expect(changeSummaries(plan.changes)).toEqual([
      "create UserGroup/new",
      "delete UserGroup/kept",
    ]);
    expect(await liftProtection("UserGroup/kept")).toEqual(["UserGroup/kept"]);
    await fixture.stack.apply();
    expect(await liveGroups()).toEqual(["UserGroup/anchor", "UserGroup/new"]);
  });

  it("is protected by a reviewed line where only that changes, and by the command", async () => {
    await apply([group("one"), group("two")]);
    await fixture.stack.write([anchor, group("one", { protect: true }), group("two")]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual(["none UserGroup/one"]);
    await fixture.stack.apply();
    expect((await fixture.stack.plan()).changes).toEqual([]);
    expect(await liftProtection("UserGroup/two", true)).toEqual(["UserGroup/two"]);
    expect(await liftProtection("UserGroup/two", true)).toEqual([]);
    await fixture.stack.write([anchor, group("one")]);
    await expectRejected("UserGroup/two", "delete");
  });

  it("may be changed in place, and keeps its protection through a rename of object and document", async () => {
    await apply([group("old", { protect: true })]);
    await apply([{ ...group("new", { movedFrom: "UserGroup/old" }), spec: { name: "renamed" } }]);
    expect(await liveGroups()).toEqual(["UserGroup/anchor", "UserGroup/renamed"]);
    await fixture.stack.write([anchor]);
    await expectRejected("UserGroup/new", "delete");
  });

  it("is not replaced, by its own field or by hand", async () => {
    const variable = (name: string): Doc => ({
      kind: "EnvironmentVariable",
      name: "stage",
      spec: { deployment: "site", name, value: "one" },
      lifecycle: { protect: true },
    });
    await apply([siteDocument("aws-us-east-1"), variable("STAGE")]);
    const plan = await fixture.stack.plan({ replace: ["EnvironmentVariable/stage"] });
    expect(plan.diagnostics.map(({ code }) => code)).toContain("protected");
    await fixture.stack.write([anchor, siteDocument("aws-us-east-1"), variable("LEVEL")]);
    await expectRejected("EnvironmentVariable/stage", "replace");
  });

  it("blocks the delete of its parent", async () => {
    const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-corp" } };
    const inside: Doc = {
      kind: "EmbedGroup",
      name: "viewers",
      spec: { embedTenant: "acme", name: "viewers" },
      lifecycle: { protect: true },
    };
    await apply([tenant, inside]);
    await fixture.stack.write([anchor]);
    const plan = await fixture.stack.plan();
    const errors = plan.diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, address }) => `${code} ${address}`).toSorted()).toEqual([
      "protected EmbedGroup/viewers",
      "protected EmbedTenant/acme",
    ]);
    fixture.proxy.arm();
    await expect(fixture.stack.apply({ allowDeletes: 9 })).rejects.toMatchObject({
      code: "refused",
    });
    expect(fixture.proxy.writes()).toEqual([]);
  });

  it("is created again, protected, after another client deleted it", async () => {
    await apply([group("kept", { protect: true })]);
    const { body } = await fixture.service.send("GET", "/api/v1/user-groups?search=kept");
    const [{ id }] = (body as { items: [{ id: number }] }).items;
    await fixture.service.send("DELETE", `/api/v1/user-groups/${id}`);
    await apply([group("kept")]);
    await fixture.stack.write([anchor]);
    await expectRejected("UserGroup/kept", "delete");
  });

  it("is not abandoned by a saved plan that was edited", async () => {
    await apply([group("kept", { protect: true })]);
    await fixture.stack.write([anchor]);
    const saved = JSON.parse(JSON.stringify(await fixture.stack.plan())) as Awaited<
      ReturnType<TestStack["plan"]>
    >;
    const changes = saved.changes.map((change) => ({ ...change, blockedBy: [] }));
    fixture.proxy.arm();
    await expect(
      fixture.stack.apply({ savedPlan: { ...saved, changes, diagnostics: [] } }),
    ).rejects.toMatchObject({ code: "stale" });
    expect(fixture.proxy.writes()).toEqual([]);
  });
});

describe("protecting by name", () => {
  it("knows only what the stack owns, and changes nothing where one is unknown", async () => {
    await apply([group("one")]);
    const addresses = ["UserGroup/one", "UserGroup/onne"];
    await expect(
      protect({ ...fixture.stack.options, addresses, protect: true }),
    ).rejects.toMatchObject({
      code: "not_found",
      remedy: "Did you mean UserGroup/one?",
    });
    expect(await liftProtection("UserGroup/one", true)).toEqual(["UserGroup/one"]);
  });

  it("lists the documents that protect again what was lifted", async () => {
    await apply([group("one", { protect: true })]);
    const addresses = ["UserGroup/one"];
    const done = await protect({ ...fixture.stack.options, addresses, protect: false });
    expect(done).toMatchObject({ changed: addresses, stillDeclared: addresses });
    await fixture.stack.apply();
    await fixture.stack.write([anchor]);
    await expectRejected("UserGroup/one", "delete");
  });
});

describe("what is to stay once its document is gone", () => {
  it("is abandoned as it was applied last, also where the stack prunes, and may be adopted", async () => {
    await apply([group("leaving", { onRemoval: "orphan" }), group("going")]);
    await fixture.stack.write([anchor]);
    const plan = await fixture.stack.plan();
    expect(changeSummaries(plan.changes)).toEqual([
      "delete UserGroup/going",
      "forget UserGroup/leaving",
    ]);
    expect(plan.changes[1]).toMatchObject({ abandoned: true });
    await fixture.stack.apply();
    expect(await liveGroups()).toEqual(["UserGroup/anchor", "UserGroup/leaving"]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.write([anchor, group("leaving")]);
    expect(await fixture.stack.adopt()).toEqual(["UserGroup/leaving"]);
  });

  it("is deleted once a document without protection was applied", async () => {
    await apply([group("going", { onRemoval: "orphan" })]);
    await apply([group("going")]);
    await fixture.stack.write([anchor]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "delete UserGroup/going",
    ]);
  });

  it("blocks the delete of its parent", async () => {
    const variable: Doc = {
      kind: "EnvironmentVariable",
      name: "stage",
      spec: { deployment: "site", name: "STAGE", value: "one" },
      lifecycle: { onRemoval: "orphan" },
    };
    await apply([siteDocument("aws-us-east-1"), variable]);
    await fixture.stack.write([anchor]);
    await expectRejected("Deployment/site", "delete");
  });

  it("is not abandoned if other documents are declared or it is protected", async () => {
    await apply([group("one", { onRemoval: "orphan", protect: true })]);
    await fixture.stack.write([anchor]);
    await expectRejected("UserGroup/one", "delete");
    await liftProtection("UserGroup/one");
    await fixture.stack.write([]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "orphan UserGroup/anchor",
      "orphan UserGroup/one",
    ]);
  });
});

describe("a stack that declares nothing", () => {
  const allowed = { allowEmpty: true };

  it("abandons or deletes its objects only on request, and another stack can then adopt them", async () => {
    await fixture.stack.write([group("leaving", { onRemoval: "orphan" }), group("going")]);
    await fixture.stack.apply();
    await fixture.stack.write([]);
    const kept = await fixture.stack.plan();
    expect(changeSummaries(kept.changes)).toEqual([
      "orphan UserGroup/going",
      "orphan UserGroup/leaving",
    ]);
    expect(kept.diagnostics).toMatchObject([
      { code: "empty-input", remedy: expect.stringContaining("--allow-empty") },
    ]);
    const plan = await fixture.stack.plan(allowed);
    expect(changeSummaries(plan.changes)).toEqual([
      "delete UserGroup/going",
      "forget UserGroup/leaving",
    ]);
    await fixture.stack.apply(allowed);
    expect(await liveGroups()).toEqual(["UserGroup/leaving"]);
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.write([group("leaving")]);
    expect(await fixture.stack.adopt()).toEqual(["UserGroup/leaving"]);
  });

  it("is emptied by a saved plan that says so, and keeps what is protected", async () => {
    await fixture.stack.write([group("one"), group("two", { protect: true })]);
    await fixture.stack.apply();
    await fixture.stack.write([]);
    await liftProtection("UserGroup/two");
    const saved = await fixture.stack.plan(allowed);
    await fixture.stack.apply({ savedPlan: saved });
    expect(await liveGroups()).toEqual([]);
    await fixture.stack.write([group("two", { protect: true })]);
    await fixture.stack.apply();
    await fixture.stack.write([]);
    const { changes, cost } = await fixture.stack.plan(allowed);
    expect(changes).toMatchObject([{ action: "delete", blockedBy: [{ code: "protected" }] }]);
    expect(cost.writeCalls).toBe(0);
  });
});

describe("a document that moved", () => {
  it("keeps its object although key and address are new", async () => {
    await apply([group("readers")]);
    const { body } = await fixture.service.send("GET", "/api/v1/user-groups?search=readers");
    await fixture.stack.write([
      anchor,
      { ...group("viewers", { movedFrom: "UserGroup/readers" }), spec: { name: "lookers" } },
    ]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "update UserGroup/viewers /name",
      "forget UserGroup/readers",
    ]);
    await fixture.stack.apply();
    const after = await fixture.service.send("GET", "/api/v1/user-groups?search=lookers");
    const idIn = (list: unknown) => (list as { items: { id: number }[] }).items[0]?.id;
    expect(idIn(after.body)).toBe(idIn(body));
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });

  it("is refused from another kind, from itself, from what is declared, and twice", async () => {
    await apply([group("one")]);
    const reported = async (documents: readonly Doc[]): Promise<readonly string[]> => {
      await fixture.stack.write([anchor, ...documents]);
      return (await fixture.stack.manifestDiagnostics()).map(({ code, path }) => `${code} ${path}`);
    };
    const wrong = "out-of-bounds /metadata/lifecycle/movedFrom";
    const twice = "duplicate-address /metadata/lifecycle/movedFrom";
    expect(await reported([group("two", { movedFrom: "EmbedTenant/one" })])).toEqual([wrong]);
    expect(await reported([group("two", { movedFrom: "UserGroup/two" })])).toEqual([wrong]);
    expect(await reported([group("two", { movedFrom: "nothing" })])).toEqual([wrong]);
    await fixture.stack.write([anchor, group("one"), group("two", { movedFrom: "UserGroup/one" })]);
    const { diagnostics } = await fixture.stack.plan();
    expect(diagnostics.map(({ code, path }) => `${code} ${path}`)).toEqual([twice]);
    const from = { movedFrom: "UserGroup/one" };
    expect(await reported([group("two", from), group("three", from)])).toEqual([twice]);
  });

  it("is refused for a Stack", async () => {
    await apply([]);
    const file = join(fixture.stack.folder, "stack.yaml");
    const document = JSON.parse(await readFile(file, "utf8")) as { metadata: JsonObject };
    const metadata = { ...document.metadata, lifecycle: { protect: true } };
    await writeFile(file, JSON.stringify({ ...document, metadata }));
    expect(await fixture.stack.manifestDiagnostics()).toMatchObject([
      { code: "unknown-field", path: "/metadata/lifecycle" },
    ]);
  });
});
