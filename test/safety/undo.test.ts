// Tests undo: it restores fields, deletes created objects and recreates deleted ones with every safeguard of an apply, and
// reports what it cannot.
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { history } from "../../reconciler/verbs/history.ts";
import type { ApplyResult, Plan, ProgressEvent } from "../../reconciler/model/index.ts";
import { undo, type UndoOptions } from "../../reconciler/undo.ts";
import { liveState } from "../support/live-state.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const secret = "hunter2-in-an-undo-plan";
const group = (name: string, description: string, more: Partial<Doc> = {}): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
  ...more,
});
const variable = (value: string): Doc => ({
  kind: "EnvironmentVariable",
  name: "password",
  spec: { deployment: { external: "main" }, name: "DB_PASS", value },
});
const attribute = (displayName?: string): Doc => ({
  kind: "UserAttribute",
  name: "region",
  spec: { name: "region", type: "string", ...(displayName !== undefined && { displayName }) },
});

describe("the undo of a run", () => {
  const scene = setUpFixture({ name: "shop" });

  const lastRun = async (): Promise<string> => {
    const reported = await history(scene.stack.options);
    return (reported.ok && reported.runs[0]?.id) || "";
  };
  const undone = async (
    run: string,
    more: Partial<UndoOptions> = {},
  ): Promise<{
    plan: Plan;
    applied: ApplyResult | undefined;
    diagnostics: readonly Diagnostic[];
  }> => {
    const done = await undo({ ...scene.stack.options, run, approve: async () => true, ...more });
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    return done;
  };

  it("restores fields, deletes what the run created, recreates what it deleted, and changes nothing else", async () => {
    await scene.stack.write([
      group("sellers", "who sell"),
      group("gone", "was there"),
      attribute("Area"),
    ]);
    await scene.stack.apply();
    const before = await liveState(scene.service);
    await scene.stack.write([
      group("sellers", "who sell more"),
      group("made", "is new"),
      attribute("Region"),
    ]);
    await scene.stack.apply();
    const after = await liveState(scene.service);
    const run = await lastRun();
    // It does not affect changes that are not applied yet.
    await scene.stack.write([
      group("sellers", "who sell more"),
      group("made", "is new"),
      group("later", "comes later"),
    ]);
    const { plan, applied } = await undone(run.slice(0, -2));
    expect(plan.diagnostics.filter(({ code }) => code === "cannot-undo")).toEqual([]);
    expect(applied?.outcomes.every(({ result }) => result === "done")).toBe(true);
    expect(applied?.residual).toEqual([]);
    expect(await liveState(scene.service)).toEqual(before);
    const reported = await history(scene.stack.options);
    expect(reported.ok && reported.runs[0]).toMatchObject({
      verb: "undo",
      undoes: run,
      counts: { update: 2, create: 1, delete: 1 },
    });
    await undone(await lastRun());
    expect(await liveState(scene.service)).toEqual(after);
    const next = await scene.stack.plan();
    expect(next.changes.map(({ action, address }) => `${action} ${address}`).toSorted()).toEqual([
      "create UserGroup/later",
      "delete UserAttribute/region",
    ]);
  });

  it("shows the undone change as pending, so that the next apply makes it again", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    await scene.stack.write([group("sellers", "who sell more")]);
    await scene.stack.apply();
    const { diagnostics } = await undone(await lastRun());
    expect(diagnostics).toMatchObject([
      {
        code: "still-declared",
        summary: expect.stringContaining(
          "the next apply repeats the undone changes of UserGroup/sellers",
        ),
      },
    ]);
    const { changes } = await scene.stack.plan();
    expect(changes).toMatchObject([{ action: "update", direction: "pending" }]);
    expect((await undone(await lastRun(), { approve: async () => false })).applied).toBeUndefined();
  });

  it("does not speak of the manifests once they are reverted", async () => {
    await scene.stack.write([group("sellers", "who sell"), group("gone", "was there")]);
    await scene.stack.apply();
    await scene.stack.write([group("sellers", "who sell more"), group("made", "is new")]);
    await scene.stack.apply();
    const run = await lastRun();
    await scene.stack.write([group("sellers", "who sell"), group("gone", "was there")]);
    expect((await undone(run)).diagnostics).toEqual([]);
  });

  it("names the objects that the next apply would change, create or delete again", async () => {
    await scene.stack.write([group("sellers", "who sell"), group("gone", "was there")]);
    await scene.stack.apply();
    const { body } = await scene.service.send("GET", "/api/v1/user-groups");
    const { items } = body as { readonly items: readonly { id: number; name: string }[] };
    const { id } = items.find(({ name }) => name === "sellers") ?? {};
    const theirs = { body: { description: "theirs" } };
    await scene.service.send("PATCH", `/api/v1/user-groups/${id}`, theirs);
    await scene.stack.write([group("sellers", "who sell"), group("made", "is new")]);
    await scene.stack.apply();
    const { diagnostics } = await undone(await lastRun());
    expect(diagnostics).toMatchObject([{ code: "still-declared" }]);
    for (const name of ["sellers", "gone", "made"])
      expect(diagnostics[0]?.summary).toContain(`UserGroup/${name}`);
  });

  it("has nothing to do a second time, and records no run", async () => {
    const lasting = { labels: { tier: "1" }, lifecycle: { protect: true } };
    await scene.stack.write([
      attribute("Area"),
      group("sellers", "1", lasting),
      group("gone", "1"),
    ]);
    await scene.stack.apply();
    await scene.stack.write([
      attribute(),
      group("sellers", "2", lasting),
      group("made", "1"),
      variable(secret),
    ]);
    await scene.stack.apply();
    const run = await lastRun();
    await scene.stack.write([group("sellers", "2", { lifecycle: { protect: true } })]);
    const first = await undone(run);
    expect(first.plan.changes.map(({ action }) => action)).not.toContain("none");
    expect(first.plan.changes.map(({ lifecycle }) => lifecycle?.onRemoval)).not.toContain("orphan");
    const back = await lastRun();
    const second = await undone(run, { approve: async () => false });
    expect(second.plan.changes).toEqual([]);
    await undone(run);
    expect(await lastRun()).toBe(back);
  });

  it("names what it cannot restore: secrets, and objects that were deleted with one", async () => {
    await scene.stack.write([group("sellers", "who sell"), variable(secret)]);
    await scene.stack.apply();
    await scene.stack.write([group("sellers", "who sell more"), variable(`${secret} 2`)]);
    await scene.stack.apply();
    const changed = await undone(await lastRun());
    const notes = changed.plan.diagnostics.filter(({ code }) => code === "cannot-undo");
    expect(notes).toMatchObject([{ address: "EnvironmentVariable/password" }]);
    expect(changed.plan.changes).toMatchObject([{ address: "UserGroup/sellers" }]);
    await scene.stack.write([group("sellers", "who sell more")]);
    await scene.stack.apply();
    const removed = await undone(await lastRun());
    expect(removed.plan.diagnostics.map(({ code }) => code)).toContain("cannot-undo");
    expect(JSON.stringify([changed, removed])).not.toContain(secret);
  });

  it("reports that a replaced object cannot be restored, and keeps the new one", async () => {
    const typed = (type: string, displayName: string): Doc => ({
      kind: "UserAttribute",
      name: "region",
      spec: { name: "region", type, displayName },
    });
    await scene.stack.write([typed("string", "Area"), group("sellers", "who sell")]);
    await scene.stack.apply();
    await scene.stack.write([typed("number", "Region"), group("sellers", "who sell more")]);
    expect((await scene.stack.plan()).changes.map(({ action }) => action)).toContain("replace");
    await scene.stack.apply();
    const { plan, applied } = await undone(await lastRun());
    expect(plan.diagnostics).toMatchObject([
      { code: "cannot-undo", severity: "warning", address: "UserAttribute/region" },
    ]);
    expect(plan.diagnostics[0]?.summary).toBe("it was replaced; the old object cannot be restored");
    expect(applied?.outcomes).toMatchObject([{ address: "UserGroup/sellers", result: "done" }]);
    expect((await liveState(scene.service))["UserAttribute/region"]).toMatchObject({
      type: "number",
    });
  });

  it("respects the delete limit, protections and confirmations", async () => {
    const many = Array.from({ length: 3 }, (_, index) => group(`g${index}`, "new"));
    await scene.stack.write(many);
    await scene.stack.apply();
    const run = await lastRun();
    const tight = await makeStack({
      url: scene.service.url,
      key: scene.service.adminKey,
      name: "shop",
      policy: { maxDeletes: 2 },
    });
    await tight.write([
      group("a", "1"),
      group("b", "1"),
      group("c", "1", { lifecycle: { protect: true } }),
    ]);
    await tight.apply();
    const reported = await history(tight.options);
    const id = (reported.ok && reported.runs[0]?.id) || "";
    const shown: Plan[] = [];
    const progress = (event: ProgressEvent): void =>
      void (event.event === "plan" && shown.push(event.plan));
    const refused = undo({ ...tight.options, run: id, progress, approve: async () => true });
    await expect(refused).rejects.toMatchObject({ code: "refused" });
    const guarded = shown[0]?.changes.filter(({ blockedBy }) => blockedBy.length > 0);
    expect(guarded).toMatchObject([{ address: "UserGroup/c" }]);
    await tight.dispose();
    const { applied } = await undone(run, { allowDeletes: 3 });
    expect(applied?.outcomes).toHaveLength(3);
    await expect(undone("20990101")).rejects.toMatchObject({ code: "not_found" });
  });

  it("cascades to nothing that is protected, whether it is inside or refers to what is deleted", async () => {
    const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-corp" } };
    const user: Doc = {
      kind: "User",
      name: "robot",
      spec: { email: "robot@corp.example", username: "robot", isAdmin: true },
    };
    const lifecycle = { protect: true };
    const spec = { embedTenant: "acme", name: "viewers" };
    const inside: Doc = { kind: "EmbedGroup", name: "viewers", spec, lifecycle };
    const key: Doc = {
      kind: "ApiKey",
      name: "ci",
      spec: { name: "ci", owner: "robot" },
      lifecycle,
    };
    await scene.stack.write([tenant, user]);
    await scene.stack.apply();
    const run = await lastRun();
    await scene.stack.write([tenant, user, inside, key]);
    await scene.stack.apply();
    const before = await liveState(scene.service);
    const shown: Plan[] = [];
    const progress = (event: ProgressEvent): void =>
      void (event.event === "plan" && shown.push(event.plan));
    await expect(undone(run, { progress })).rejects.toMatchObject({ code: "refused" });
    const guarded = shown[0]?.changes.filter(({ blockedBy }) => blockedBy.length > 0);
    expect(guarded?.map(({ address }) => address).toSorted()).toEqual([
      "EmbedTenant/acme",
      "User/robot",
    ]);
    expect(await liveState(scene.service)).toEqual(before);
  });

  it("does not change an object that another run created at the address", async () => {
    const named = (name: string, displayName: string): Doc => ({
      kind: "UserAttribute",
      name: "x",
      spec: { name, type: "string", displayName },
    });
    await scene.stack.write([named("attr_old", "Old"), group("stays", "here")]);
    await scene.stack.apply();
    const changingRun = await lastRun();
    await scene.stack.write([named("attr_old", "Older"), group("stays", "here")]);
    await scene.stack.apply();
    const changed = await lastRun();
    await scene.stack.write([group("stays", "here")]);
    await scene.stack.apply();
    await scene.stack.write([named("attr_new", "New"), group("stays", "here still")]);
    await scene.stack.apply();
    // What it created is gone.
    const first = await undone(changingRun, {
      approve: async () => false,
      onConflict: "overwrite",
    });
    expect(first.plan.changes.map(({ address }) => address)).toEqual(["UserGroup/stays"]);
    expect(first.plan.diagnostics).toEqual([]);
    const second = await undone(changed);
    expect(second.plan.changes).toEqual([]);
    expect(second.plan.diagnostics).toMatchObject([
      { code: "cannot-undo", address: "UserAttribute/x" },
      { code: "nothing-to-undo" },
    ]);
  });

  it("respects the current documents: their freezes, and the actions that they do not manage", async () => {
    const labels = { tier: "1" };
    await scene.stack.write([
      group("sellers", "1", { labels }),
      group("kept", "1", { lifecycle: { onRemoval: "orphan" } }),
      group("fixed", "1"),
    ]);
    await scene.stack.apply();
    const changingRun = await lastRun();
    await scene.stack.write([
      group("sellers", "2", { labels }),
      group("kept", "1", { lifecycle: { onRemoval: "orphan" } }),
      group("fixed", "2"),
    ]);
    await scene.stack.apply();
    const changed = await lastRun();
    await scene.stack.write([
      group("sellers", "2", { labels }),
      group("kept", "1"),
      group("fixed", "2", { lifecycle: { manage: ["observe", "create"] } }),
    ]);
    const frozen = (tier: string) => ({
      ...scene.stack.options.grants,
      freezes: [
        { to: "2999-01-01T00:00:00Z", reason: "audit", owner: "ops", match: { labels: { tier } } },
      ],
    });
    await expect(undone(changed, { grants: frozen("1") })).rejects.toMatchObject({
      code: "window_closed",
    });
    const back = await undone(changed, { grants: frozen("2") });
    const secondUndo = await undone(changingRun);
    const notes = [back, secondUndo].map(({ plan }) =>
      plan.diagnostics.flatMap(({ code, address }) => (code === "cannot-undo" ? address : [])),
    );
    expect(notes).toEqual([
      ["UserGroup/fixed"],
      expect.arrayContaining(["UserGroup/kept", "UserGroup/fixed"]),
    ]);
    expect(secondUndo.plan.changes.map(({ address }) => address)).toEqual(["UserGroup/sellers"]);
  });

  it("reports that the secret of an adopted object cannot be created again", async () => {
    await scene.stack.write([variable(secret)]);
    await scene.stack.apply();
    await scene.stack.loseInventory();
    await scene.stack.adopt();
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    const { plan } = await undone(await lastRun(), { approve: async () => false });
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({ code: "cannot-undo", address: "EnvironmentVariable/password" }),
    );
    expect(plan.changes.map(({ address }) => address)).toEqual(["UserGroup/sellers"]);
  });

  it("moves content back into a folder that it creates again", async () => {
    const within = { deployment: { external: "main" } };
    const folder: Doc = { kind: "Folder", name: "plans", spec: { ...within, name: "Plans" } };
    const workbook = (more: Doc["spec"]): Doc => ({
      kind: "Workbook",
      name: "sales",
      spec: { ...within, slug: "sales", ...more },
    });
    await scene.stack.write([folder, workbook({ folder: "plans" })]);
    await scene.stack.apply();
    const before = await liveState(scene.service);
    // The server moves the content of the folder to the root.
    await scene.stack.write([workbook({})]);
    await scene.stack.apply();
    expect(await liveState(scene.service)).not.toEqual(before);
    const { plan } = await undone(await lastRun());
    expect(plan.diagnostics).toEqual([]);
    expect(await liveState(scene.service)).toEqual(before);
  });

  it("writes nothing if it is stopped before its first write", async () => {
    await scene.stack.write([group("sellers", "who sell")]);
    await scene.stack.apply();
    const run = await lastRun();
    const before = await liveState(scene.service);
    const stopped = new AbortController();
    stopped.abort();
    const late = await undone(run, { signal: stopped.signal }).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: "aborted" });
    expect(await liveState(scene.service)).toEqual(before);
  });
});
