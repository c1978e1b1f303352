// A controller over a folder of this machine: what it writes and what it leaves, round by round.
import { chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readController } from "../../reconciler/gitops/config.ts";
import { approvePlan } from "../../reconciler/gitops/controller.ts";
import { history } from "../../reconciler/runs/history.ts";
import { noGrants } from "../../reconciler/caller/grants.ts";
import { kinds } from "../../resources/index.ts";
import { began, type GitopsScene, group, openScene } from "./scene.ts";

let scene: GitopsScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const folder = "stacks/northwind";
const minute = 60_000;

async function runs() {
  const at = join(scene.home, folder);
  const told = await history({
    paths: [at],
    cwd: at,
    kinds,
    variables: {},
    grants: noGrants,
    env: scene.env,
  });
  return told.ok ? told.runs : [];
}

async function edit(name: string, description: string): Promise<void> {
  const { body } = await scene.service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find((one) => one.name === name)?.id ?? 0;
  await scene.service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { description } });
}

describe("a source", () => {
  it("is only looked at unless the configuration says apply", async () => {
    scene.stack(folder, [group("north")]);
    const [told] = await scene.once([{ folder, mode: undefined }]);
    expect(told).toMatchObject({
      mode: "plan",
      result: "changes",
      drift: { unshipped: 1, drifted: 0, conflict: 0 },
      changes: [{ address: "UserGroup/north", action: "create", direction: "unshipped" }],
    });
    expect(await scene.groups()).toEqual([]);
    expect(existsSync(join(scene.home, folder, ".svc"))).toBe(false);
  });

  it("is applied, and then there is nothing to do", async () => {
    scene.stack(folder, [group("north")]);
    const running = await scene.start([{ folder }]);
    expect(await scene.groups()).toEqual(["north"]);
    expect(running.events).toMatchObject([
      { event: "started", sources: ["northwind"] },
      {
        event: "round",
        result: "applied",
        changes: [{ result: "done" }],
        next: "2026-03-02T09:01:00.000Z",
      },
    ]);
    expect(await running.after(minute)).toMatchObject({ result: "unchanged", unchanged: 1 });
  });

  it("is repaired where somebody else has changed what it is for, and the record says so", async () => {
    scene.stack(folder, [group("north", "Ours.")]);
    const running = await scene.start([{ folder }]);
    await edit("north", "Theirs.");
    expect(await running.after(minute)).toMatchObject({
      result: "applied",
      drift: { unshipped: 0, drifted: 1, conflict: 0 },
      changes: [{ address: "UserGroup/north", action: "update", direction: "drifted" }],
    });
    scene.stack(folder, [group("north", "Ours."), group("south")]);
    await running.after(minute);
    expect((await runs()).map(({ by, message }) => [by, message])).toEqual([
      ["svc controller northwind", "1 unshipped"],
      ["svc controller northwind", "1 drifted"],
      ["svc controller northwind", "1 unshipped"],
    ]);
  });

  it("keeps what is there while its manifests have mistakes", async () => {
    scene.stack(folder, [group("north")]);
    const running = await scene.start([{ folder }]);
    scene.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    const told = await running.after(minute);
    expect(told).toMatchObject({ result: "mistakes" });
    expect(told.diagnostics?.map(({ code }) => code)).toContain("unknown-kind");
    expect(await scene.groups()).toEqual(["north"]);
    scene.stack(folder, [group("north"), group("south")]);
    expect(await running.after(minute)).toMatchObject({ result: "applied" });
  });

  it("is left alone while it is suspended, until the end of the last day", async () => {
    scene.stack(folder, [group("north")]);
    const suspend = { reason: "an incident", owner: "platform", expires: "2026-03-02" };
    const running = await scene.start([{ folder, suspend, interval: "8h" }]);
    expect(running.events[1]).toMatchObject({ result: "suspended" });
    expect(await running.after(8 * 60 * minute)).toMatchObject({ result: "suspended" });
    expect(await scene.groups()).toEqual([]);
    expect(await running.after(8 * 60 * minute)).toMatchObject({ result: "applied" });
  });

  it("waits for a freeze of the operator to end, and goes on as soon as it does", async () => {
    scene.stack(folder, [group("north")]);
    const freeze = { to: "2026-03-02T09:00:30Z", reason: "end of quarter", owner: "platform" };
    const running = await scene.start([{ folder, grants: { freezes: [freeze] } }]);
    expect(running.events[1]).toMatchObject({
      result: "closed",
      opens: "2026-03-02T09:00:30.000Z",
      next: "2026-03-02T09:00:30.000Z",
    });
    expect(await scene.groups()).toEqual([]);
    expect(await running.after(minute / 2)).toMatchObject({ result: "applied" });
  });
});

describe("deletes", () => {
  const both = [group("north"), group("south")];

  async function held() {
    scene.stack(folder, both);
    const running = await scene.start([{ folder }]);
    scene.stack(folder, [group("north"), group("east")]);
    return { running, told: await running.after(minute) };
  }

  it("keep the whole plan from being applied until somebody approves it", async () => {
    const { running, told } = await held();
    expect(told).toMatchObject({ result: "held", held: { deletes: 1, allowed: 0 } });
    const plan = told.held?.plan ?? "";
    const file = join(scene.home, "controller.yaml");
    expect(told.failure?.remedy).toContain(
      `svc controller approve northwind ${plan} --config ${file}`,
    );
    expect(await scene.groups()).toEqual(["north", "south"]);
    const config = readController(file);
    const approved = { source: "northwind", by: "ada", reason: "they left" };
    expect(() => approvePlan(config, { ...approved, plan: "another", at: began })).toThrow(
      /UserGroup\/south/,
    );
    expect(approvePlan(config, { ...approved, plan, at: began })).toMatchObject({ deletes: 1 });
    expect(await running.after(minute)).toMatchObject({ result: "applied" });
    expect(await scene.groups()).toEqual(["east", "north"]);
    expect((await runs())[0]?.message).toBe(`2 unshipped; ${plan} approved by ada: they left`);
    expect(() => approvePlan(config, { ...approved, plan, at: began })).toThrow("waits for no");
  });

  it("that were approved are not those that came after", async () => {
    const { running, told } = await held();
    const config = readController(join(scene.home, "controller.yaml"));
    approvePlan(config, { source: "northwind", by: "ada", plan: told.held?.plan ?? "", at: began });
    scene.stack(folder, [group("east")]);
    const other = await running.after(minute);
    expect(other).toMatchObject({ result: "held", held: { deletes: 2 } });
    expect(other.held?.plan).not.toBe(told.held?.plan);
    expect(await scene.groups()).toEqual(["north", "south"]);
  });

  it("of a stack that was emptied wait for an approval, however many are granted", async () => {
    const kept = { ...group("south"), lifecycle: { onRemoval: "orphan" } };
    scene.stack(folder, [group("north"), kept]);
    const running = await scene.start([{ folder, grants: { maxDeletes: 5 } }]);
    scene.stack(folder, []);
    const told = await running.after(minute);
    expect(told).toMatchObject({ result: "held", held: { deletes: 2, allowed: 0 } });
    expect(await running.after(minute)).toMatchObject({ result: "held", held: told.held });
    expect(await scene.groups()).toEqual(["north", "south"]);
    const config = readController(join(scene.home, "controller.yaml"));
    const asked = { source: "northwind", by: "ada", plan: told.held?.plan ?? "", at: began };
    const { changes } = approvePlan(config, asked);
    expect(changes.toSorted()).toEqual(["delete UserGroup/north", "forget UserGroup/south"]);
    expect(await running.after(minute)).toMatchObject({ result: "applied" });
    expect(await scene.groups()).toEqual(["south"]);
    expect(await running.after(minute)).toMatchObject({ result: "unchanged" });
  });

  it("of what is protected are told as that, and no approval is asked for", async () => {
    const guarded = { ...group("north"), lifecycle: { protect: true } };
    scene.stack(folder, [guarded, group("south"), group("east")]);
    const running = await scene.start([{ folder }]);
    scene.stack(folder, [group("east")]);
    const told = await running.after(minute);
    expect(told.failure?.message).toContain("UserGroup/north is protected");
    expect(told.failure?.remedy).not.toContain("--allow-deletes");
    expect(await scene.groups()).toEqual(["east", "north", "south"]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    "may be approved by another user: the file goes to the one that the controller runs as (skipped: takes root)",
    async () => {
      const { told } = await held();
      const own = join(scene.home, "state/sources/northwind");
      chownSync(own, 65_534, 65_534);
      const plan = told.held?.plan ?? "";
      const config = readController(join(scene.home, "controller.yaml"));
      approvePlan(config, { source: "northwind", by: "ada", plan, at: began });
      const { uid, mode } = statSync(join(own, "approved.json"));
      expect([uid, mode & 0o777]).toEqual([65_534, 0o600]);
    },
  );

  it("whose approval cannot be read are told so, instead of asked for again", async () => {
    const { running } = await held();
    mkdirSync(join(scene.home, "state/sources/northwind/approved.json"));
    expect(await running.after(minute)).toMatchObject({
      result: "failed",
      failure: { code: "unavailable", message: expect.stringContaining("approved.json cannot") },
    });
  });

  it("go without an approval where the operator grants some, and the Stack does as well", async () => {
    scene.stack(folder, both);
    const running = await scene.start([{ folder, grants: { maxDeletes: 1 } }]);
    scene.stack(folder, [group("north")]);
    expect(await running.after(minute)).toMatchObject({ result: "applied" });
    scene.stack(folder, [group("east")], { prune: true, maxDeletes: 0 });
    expect(await running.after(minute)).toMatchObject({ result: "held" });
  });
});
