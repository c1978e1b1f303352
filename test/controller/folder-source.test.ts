// Tests a controller over a local folder: what it writes and what it keeps in each reconciliation.
import { chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Parser } from "yaml";
import { readControllerConfig } from "../../controller/read-config.ts";
import { approvePlan } from "../../controller/actions.ts";
import { planSource } from "../../controller/controller.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { kinds } from "../../resources/index.ts";
import { documentText } from "../support/test-stack.ts";
import {
  startTime,
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "./fixture.ts";

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

const folder = "stacks/northwind";
const minute = 60_000;

async function runs() {
  const at = join(fixture.home, folder);
  const verdict = await history({
    paths: [at],
    cwd: at,
    kinds,
    variables: {},
    grants: noGrants,
    env: fixture.env,
  });
  return verdict.ok ? verdict.runs : [];
}

async function editOutOfBand(name: string, description: string): Promise<void> {
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find((one) => one.name === name)?.id ?? 0;
  await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { description } });
}

describe("a source", () => {
  it("is only planned unless the mode is apply", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const [reconciliation] = await fixture.reconcileOnce([{ folder, mode: undefined }]);
    expect(reconciliation).toMatchObject({
      mode: "plan",
      result: "changes",
      drift: { pending: 1, drifted: 0, conflict: 0 },
      changes: [{ address: "UserGroup/north", action: "create", direction: "pending" }],
    });
    expect(await fixture.groupNames()).toEqual([]);
    expect(existsSync(join(fixture.home, folder, ".svc"))).toBe(false);
  });

  it("is parsed again only where a file changed", async () => {
    const parses = vi.spyOn(Parser.prototype, "parse");
    fixture.stack(folder, [groupDocument("north")]);
    const controller = await fixture.start([{ folder }]);
    parses.mockClear();
    await controller.advanceAndWait(2 * minute);
    expect(parses).not.toHaveBeenCalled();
    fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
    await controller.advanceAndWait(2 * minute);
    expect(parses).toHaveBeenCalled();
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    parses.mockRestore();
  });

  it("is applied, and is unchanged afterwards", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const running = await fixture.start([{ folder }]);
    expect(await fixture.groupNames()).toEqual(["north"]);
    expect(running.events).toMatchObject([
      { event: "started", sources: ["northwind"] },
      {
        event: "reconciliation",
        result: "applied",
        changes: [{ result: "done" }],
        next: "2026-03-02T09:01:00.000Z",
      },
    ]);
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "unchanged",
      unchanged: 1,
    });
  });

  it("says why an apply is partial", async () => {
    const attribute = { kind: "UserAttribute", name: "b", spec: { name: "b", type: "string" } };
    const partial = fixture.stack("stacks/northwind", [groupDocument("a"), attribute]);
    fixture.proxy.arm(2, "html", 10_000);
    const [event] = await fixture.reconcileOnce([{ folder: partial }]);
    expect(event).toMatchObject({
      result: "partial",
      failure: { message: expect.stringContaining("of 2 changes were not applied: User") },
    });
  });

  it("reverts drift, and the history says so", async () => {
    fixture.stack(folder, [groupDocument("north", "Ours.")]);
    const running = await fixture.start([{ folder }]);
    await editOutOfBand("north", "Theirs.");
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "applied",
      drift: { pending: 0, drifted: 1, conflict: 0 },
      changes: [{ address: "UserGroup/north", action: "update", direction: "drifted" }],
    });
    fixture.stack(folder, [groupDocument("north", "Ours."), groupDocument("south")]);
    await running.advanceAndWait(minute);
    expect((await runs()).map(({ by, message }) => [by, message])).toEqual([
      ["svc controller northwind", "1 pending"],
      ["svc controller northwind", "1 drifted"],
      ["svc controller northwind", "1 pending"],
    ]);
  });

  it("fails before the first write if a field was changed on both sides, unless it may overwrite", async () => {
    fixture.stack(folder, [groupDocument("north", "Ours.")]);
    const running = await fixture.start([{ folder }]);
    await editOutOfBand("north", "Theirs.");
    fixture.stack(folder, [groupDocument("north", "Ours, changed.")]);
    const drift = { pending: 0, drifted: 0, conflict: 1 };
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "failed",
      drift,
      failure: {
        code: "conflict",
        remedy: "Declare the live values, or set onConflict: overwrite in the source.",
      },
    });
    await running.stop();
    const [overwriting] = await fixture.reconcileOnce([{ folder, onConflict: "overwrite" }]);
    expect(overwriting).toMatchObject({ result: "applied", drift });
  });

  it("changes nothing while its manifests are invalid", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const running = await fixture.start([{ folder }]);
    fixture.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    const reconciliation = await running.advanceAndWait(minute);
    expect(reconciliation).toMatchObject({ result: "invalid" });
    expect(reconciliation.diagnostics?.map(({ code }) => code)).toContain("unknown-kind");
    expect(await fixture.groupNames()).toEqual(["north"]);
    fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
  });

  it("is skipped while it is suspended, until the end of the last day", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const suspend = { reason: "an incident", owner: "platform", expires: "2026-03-02" };
    const running = await fixture.start([{ folder, suspend, interval: "8h" }]);
    expect(running.events[1]).toMatchObject({ result: "suspended" });
    expect(await running.advanceAndWait(8 * 60 * minute)).toMatchObject({ result: "suspended" });
    expect(await fixture.groupNames()).toEqual([]);
    expect(await running.advanceAndWait(8 * 60 * minute)).toMatchObject({ result: "applied" });
  });

  it("waits for the end of an operator's freeze", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const freeze = { to: "2026-03-02T09:00:30Z", reason: "end of quarter", owner: "platform" };
    const running = await fixture.start([{ folder, grants: { freezes: [freeze] } }]);
    expect(running.events[1]).toMatchObject({
      result: "closed",
      opens: "2026-03-02T09:00:30.000Z",
      next: "2026-03-02T09:00:30.000Z",
    });
    expect(await fixture.groupNames()).toEqual([]);
    expect(await running.advanceAndWait(minute / 2)).toMatchObject({ result: "applied" });
  });
});

describe("deletes", () => {
  const both = [groupDocument("north"), groupDocument("south")];

  async function held() {
    fixture.stack(folder, both);
    const running = await fixture.start([{ folder }]);
    fixture.stack(folder, [groupDocument("north"), groupDocument("east")]);
    return { running, reconciliation: await running.advanceAndWait(minute) };
  }

  it("hold the whole plan until it is approved", async () => {
    const { running, reconciliation } = await held();
    expect(reconciliation).toMatchObject({ result: "held", held: { deletes: 1, allowed: 0 } });
    const plan = reconciliation.held?.plan ?? "";
    const file = join(fixture.home, "controller.yaml");
    expect(reconciliation.failure?.remedy).toContain(
      `svc controller approve northwind ${plan} --config ${file}`,
    );
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    const config = readControllerConfig(file);
    const approved = { source: "northwind", by: "ada", reason: "they left" };
    await expect(
      approvePlan(config, { ...approved, plan: "another", at: startTime }),
    ).rejects.toThrow(/UserGroup\/south/);
    expect(await approvePlan(config, { ...approved, plan, at: startTime })).toMatchObject({
      deletes: 1,
    });
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["east", "north"]);
    expect((await runs())[0]?.message).toBe(`2 pending; ${plan} approved by ada: they left`);
    await expect(approvePlan(config, { ...approved, plan, at: startTime })).rejects.toThrow(
      "has no held plan",
    );
  });

  it.each([
    { what: "deletes", names: ["east"], deletes: 2 },
    { what: "changes beside the same deletes", names: ["north", "east", "west"], deletes: 1 },
  ])("with other $what after an approval need another one", async ({ names, deletes }) => {
    const { running, reconciliation } = await held();
    const config = readControllerConfig(join(fixture.home, "controller.yaml"));
    await approvePlan(config, {
      source: "northwind",
      by: "ada",
      plan: reconciliation.held?.plan ?? "",
      at: startTime,
    });
    fixture.stack(
      folder,
      names.map((name) => groupDocument(name)),
    );
    const other = await running.advanceAndWait(minute);
    expect(other).toMatchObject({ result: "held", held: { deletes } });
    expect(other.held?.plan).not.toBe(reconciliation.held?.plan);
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
  });

  it("beside a secret that goes to another file are another plan, and without a change the same", async () => {
    const owner = { username: "u", email: "u@example.com" };
    const always = [groupDocument("north"), { kind: "User", name: "u", spec: owner }];
    const key = { kind: "ApiKey", name: "robot", spec: { name: "robot", owner: "u" } };
    fixture.stack(folder, [...always, groupDocument("south")]);
    const running = await fixture.start([{ folder }]);
    fixture.stack(folder, always);
    const ids: (string | undefined)[] = [];
    for (const file of ["secrets/robot", "secrets/robot", "public/robot"]) {
      const text = documentText(key).replace("secrets/robot", file);
      fixture.write(`${folder}/key.yaml`, text);
      ids.push((await running.advanceAndWait(minute)).held?.plan);
    }
    const [first, again, other] = ids;
    expect(first).toMatch(/^[0-9a-f]{32}$/u);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it("of an emptied stack need an approval, whatever the delete limit", async () => {
    const kept = { ...groupDocument("south"), lifecycle: { onRemoval: "orphan" } };
    fixture.stack(folder, [groupDocument("north"), kept]);
    const running = await fixture.start([{ folder, grants: { maxDeletes: 5 } }]);
    fixture.stack(folder, []);
    const reconciliation = await running.advanceAndWait(minute);
    expect(reconciliation).toMatchObject({ result: "held", held: { deletes: 2, allowed: 0 } });
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "held",
      held: reconciliation.held,
    });
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    const config = readControllerConfig(join(fixture.home, "controller.yaml"));
    const approval = {
      source: "northwind",
      by: "ada",
      plan: reconciliation.held?.plan ?? "",
      at: startTime,
    };
    const shown = await planSource({ config, kinds, env: fixture.env }, "northwind");
    expect(shown.plan?.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      "delete UserGroup/north",
      "forget UserGroup/south",
    ]);
    expect(shown.plan?.diagnostics).toContainEqual(
      expect.objectContaining({
        code: "held-plan",
        summary: expect.stringContaining(approval.plan),
        remedy: expect.stringContaining(`svc controller approve northwind ${approval.plan}`),
      }),
    );
    const { changes } = await approvePlan(config, approval);
    expect(changes.toSorted()).toEqual(["delete UserGroup/north", "forget UserGroup/south"]);
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["south"]);
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "unchanged" });
  });

  it("of protected objects are refused, and cannot be approved", async () => {
    const guarded = { ...groupDocument("north"), lifecycle: { protect: true } };
    fixture.stack(folder, [guarded, groupDocument("south"), groupDocument("east")]);
    const running = await fixture.start([{ folder }]);
    fixture.stack(folder, [groupDocument("east")]);
    const reconciliation = await running.advanceAndWait(minute);
    expect(reconciliation.failure?.message).toContain("UserGroup/north is protected");
    expect(reconciliation.failure?.remedy).not.toContain("--allow-deletes");
    expect(await fixture.groupNames()).toEqual(["east", "north", "south"]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    "may be approved by another user: the file goes to the one that the controller runs as (skipped: takes root)",
    async () => {
      const { reconciliation } = await held();
      const own = join(fixture.home, "state/sources/northwind");
      chownSync(own, 65_534, 65_534);
      const plan = reconciliation.held?.plan ?? "";
      const config = readControllerConfig(join(fixture.home, "controller.yaml"));
      await approvePlan(config, { source: "northwind", by: "ada", plan, at: startTime });
      const { uid, mode } = statSync(join(own, "decision.json"));
      expect([uid, mode & 0o777]).toEqual([65_534, 0o600]);
    },
  );

  it("fail if the approval file cannot be read", async () => {
    const { running } = await held();
    mkdirSync(join(fixture.home, "state/sources/northwind/decision.json"));
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "failed",
      failure: { code: "unavailable", message: expect.stringContaining("decision.json cannot") },
    });
  });

  it("need no approval within the delete limits of the operator and the Stack", async () => {
    fixture.stack(folder, both);
    const running = await fixture.start([{ folder, grants: { maxDeletes: 1 } }]);
    fixture.stack(folder, [groupDocument("north")]);
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
    fixture.stack(folder, [groupDocument("east")], { prune: true, maxDeletes: 0 });
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "held" });
  });
});
