// Rules on names and labels that a change tries to slip out of: by another label, another name, a removal, another stack, a new record.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Grants, noGrants } from "../../reconciler/caller/grants.ts";
import { history } from "../../reconciler/runs/history.ts";
import { undo } from "../../reconciler/runs/undo.ts";
import { liveState } from "../support/live.ts";
import { type Doc, inWords, makeStack } from "../support/stack.ts";
import { sceneForEach } from "./scene.ts";

const freeze = { to: "2027-01-01T00:00:00Z", reason: "end of the year", owner: "platform" };
const [during, after] = [new Date("2026-12-24T10:00:00Z"), new Date("2027-01-02T10:00:00Z")];
const frozen = (match: JsonObject): Grants => {
  return { ...noGrants, maxDeletes: 1000, freezes: [{ ...freeze, match }] };
};
const byLabel = frozen({ labels: { tier: "1" } });
const byName = frozen({ names: ["till*"] });
const group = (name: string, description: string, more: Partial<Doc> = {}): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name: "tills", description },
  ...more,
});
const [vital, plain] = [{ labels: { tier: "1" } }, { labels: { tier: "2" } }];

const scene = sceneForEach({ name: "shop" });
const refused = async (grants: Grants): Promise<void> => {
  const before = await liveState(scene.service);
  const file = join(scene.stack.folder, ".svc/shop.inventory.json");
  const record = await readFile(file, "utf8").catch(() => "none");
  await expect(scene.stack.apply({ grants, now: () => during })).rejects.toMatchObject({
    code: "closed",
  });
  expect(await liveState(scene.service)).toEqual(before);
  expect(await readFile(file, "utf8").catch(() => "none")).toBe(record);
};

beforeEach(async () => {
  await scene.stack.write([
    group("till", "who sell", vital),
    { ...group("other", "x"), spec: { name: "other" } },
  ]);
  await scene.stack.apply({ now: () => during });
});
const other = { ...group("other", "x"), spec: { name: "other" } };

describe("a freeze of the operator by labels", () => {
  it("holds for an object that the same change labels otherwise", async () => {
    await scene.stack.write([group("till", "who sell more", plain), other]);
    await refused(byLabel);
    await scene.stack.write([group("till", "who sell more"), other]);
    await refused(byLabel);
  });

  it("holds for an object that a change before labels otherwise, which is asked about itself", async () => {
    await scene.stack.write([group("till", "who sell", plain), other]);
    expect(inWords((await scene.stack.plan()).changes)).toEqual(["none UserGroup/till"]);
    await refused(byLabel);
    await scene.stack.write([group("till", "who sell more", plain), other]);
    await refused(byLabel);
  });

  it("lets go of an object that was labelled otherwise when nothing held", async () => {
    await scene.stack.write([group("till", "who sell", plain), other]);
    await scene.stack.apply({ now: () => after, grants: byLabel });
    expect((await scene.stack.plan()).changes).toEqual([]);
    await scene.stack.write([group("till", "who sell more", plain), other]);
    await scene.stack.apply({ now: () => during, grants: byLabel });
  });

  it("begins to hold for one with the label that it gets", async () => {
    await scene.stack.write([group("till", "who sell", vital), { ...other, ...vital }]);
    await scene.stack.apply({ now: () => during, grants: byLabel });
    await scene.stack.write([
      group("till", "who sell", vital),
      { ...other, ...vital, spec: { name: "other", description: "new" } },
    ]);
    await refused(byLabel);
  });

  it("holds for the delete, and for letting go of it, by the labels that it had", async () => {
    await scene.stack.write([group("till", "who sell", vital)]);
    await scene.stack.apply({ now: () => during, grants: byLabel });
    await scene.stack.write([other]);
    await refused(byLabel);
    await scene.stack.write([
      group("till", "who sell", { ...vital, lifecycle: { onRemoval: "orphan" } }),
      other,
    ]);
    await scene.stack.apply({ now: () => during });
    await scene.stack.write([other]);
    expect(inWords((await scene.stack.plan()).changes)).toEqual(["forget UserGroup/till"]);
    await refused(byLabel);
    await scene.stack.apply({ now: () => after, grants: byLabel });
  });

  it("holds for an object that is taken over, whatever labels it comes with", async () => {
    await scene.stack.loseInventory();
    await scene.stack.write([group("till", "who sell more", plain)]);
    await expect(
      scene.stack.apply({ grants: byLabel, now: () => during, adopt: () => true }),
    ).rejects.toMatchObject({ code: "closed" });
    // To take it over alone asks no rule, and so makes nothing known.
    expect(await scene.stack.adopt()).toEqual(["UserGroup/till"]);
    await refused(byLabel);
    await refused(byName);
    await scene.stack.apply({ now: () => after, grants: byLabel });
    await scene.stack.write([group("till", "who sell", plain)]);
    await scene.stack.apply({ now: () => during, grants: byLabel });
  });

  it("holds for an object that another stack of the same place has let go of", async () => {
    const letGo = { ...vital, lifecycle: { onRemoval: "orphan" } };
    await scene.stack.write([group("till", "who sell", letGo), other]);
    await scene.stack.apply({ now: () => during });
    await scene.stack.write([other]);
    await scene.stack.apply({ now: () => after, grants: byLabel });
    const second = await makeStack({
      url: scene.service.url,
      key: scene.service.adminKey,
      name: "second",
    });
    try {
      await second.write([group("till", "who sell more", plain)]);
      const taking = second.apply({ grants: byLabel, now: () => during, adopt: () => true });
      await expect(taking).rejects.toMatchObject({ code: "closed" });
    } finally {
      await second.dispose();
    }
  });

  it("holds for an undo, also of what no document declares any more", async () => {
    await scene.stack.write([group("till", "who sell more", vital), other]);
    await scene.stack.apply({ now: () => during });
    const told = await history(scene.stack.options);
    const run = (told.ok && told.runs[0]?.id) || "";
    for (const documents of [[group("till", "who sell more", plain), other], [other]]) {
      await scene.stack.write(documents);
      const back = undo({
        ...scene.stack.options,
        run,
        grants: byLabel,
        now: () => during,
        approve: async () => true,
      });
      await expect(back).rejects.toMatchObject({ code: "closed" });
    }
    const back = await undo({
      ...scene.stack.options,
      run,
      grants: byLabel,
      now: () => after,
      approve: async () => true,
    });
    expect(back).toMatchObject({ ok: true, applied: { outcomes: [{ result: "done" }] } });
  });
});

describe("a freeze of the operator by names", () => {
  it("holds for a document that gets another name, with movedFrom and without, alone and with a change", async () => {
    const moved = { lifecycle: { movedFrom: "UserGroup/till" }, ...vital };
    for (const renamed of [
      group("counter", "who sell", moved),
      group("counter", "who sell", vital),
      group("counter", "who sell more", moved),
      {
        ...group("counter", "who sell", moved),
        spec: { name: "counters", description: "who sell" },
      },
    ]) {
      await scene.stack.write([renamed, other]);
      await refused(byName);
    }
    await scene.stack.write([group("counter", "who sell", moved), other]);
    await scene.stack.apply({ now: () => after, grants: byName });
    await scene.stack.write([group("counter", "who sell more", moved), other]);
    await scene.stack.apply({ now: () => during, grants: byName });
  });
});

describe("a freeze of the operator on what goes along", () => {
  const tenant = (name = "acme-corp"): Doc => ({
    kind: "EmbedTenant",
    name: "acme",
    spec: { name },
  });
  const inside: Doc = {
    kind: "EmbedGroup",
    name: "viewers",
    spec: { embedTenant: "acme", name: "viewers" },
    labels: { tier: "7" },
  };
  const lastRun = async (): Promise<string> => {
    const told = await history(scene.stack.options);
    return (told.ok && told.runs[0]?.id) || "";
  };

  it("holds for an undo that says nothing of it, by kind, name and labels", async () => {
    const others = [group("till", "who sell", vital), other];
    await scene.stack.write([...others, tenant()]);
    await scene.stack.apply();
    const run = await lastRun();
    await scene.stack.write([...others, tenant(), inside]);
    await scene.stack.apply();
    const before = await liveState(scene.service);
    const back = (match: JsonObject, approve: boolean) =>
      undo({
        ...scene.stack.options,
        run,
        grants: frozen(match),
        now: () => during,
        approve: async () => approve,
      });
    for (const match of [
      { labels: { tier: "7" } },
      { names: ["view*"] },
      { kinds: ["EmbedGroup"] },
    ]) {
      await expect(back(match, true)).rejects.toMatchObject({
        code: "closed",
        message: expect.stringContaining(
          ") about EmbedGroup/viewers, which goes along with EmbedTenant/acme",
        ),
      });
    }
    expect(await liveState(scene.service)).toEqual(before);
    for (const match of [{ labels: { tier: "8" } }, { names: ["till*"], kinds: ["EmbedGroup"] }]) {
      expect(await back(match, false)).toMatchObject({ ok: true, applied: undefined });
    }
  });

  it("holds for a delete and a replace around what nobody declares, which may be called anything", async () => {
    await scene.stack.write([other, tenant(), inside]);
    await scene.stack.apply();
    // Its record goes, the group stays: nobody knows any more what it was.
    const letGo = { ...inside, lifecycle: { onRemoval: "orphan" } };
    await scene.stack.write([other, tenant(), letGo]);
    await scene.stack.apply();
    await scene.stack.write([other, tenant()]);
    await scene.stack.apply();
    for (const documents of [[other], [other, tenant("acme-retail")]]) {
      await scene.stack.write(documents);
      await refused(frozen({ kinds: ["EmbedGroup"] }));
      await refused(frozen({ kinds: ["EmbedGroup"], labels: { tier: "9" } }));
      await refused(frozen({ kinds: ["EmbedGroup"], names: ["other"] }));
      const { diagnostics } = await scene.stack.plan({
        grants: frozen({ kinds: ["EmbedGroup"] }),
        now: () => during,
      });
      expect(diagnostics.map(({ code }) => code)).toEqual(["takes-along", "window-closed"]);
      expect(diagnostics[1]?.summary).toContain(
        ") about an undeclared EmbedGroup, which goes along with EmbedTenant/acme",
      );
    }
    await scene.stack.apply({ grants: frozen({ kinds: ["EmbedUser"] }), now: () => during });
    expect((await scene.stack.plan()).changes).toEqual([]);
  });
});

describe("an inventory of an older version", () => {
  it("is read; what it does not know may be anything, until it is written", async () => {
    const file = join(scene.stack.folder, ".svc/shop.inventory.json");
    const written = JSON.parse(await readFile(file, "utf8")) as {
      format: number;
      entries: Record<string, { knownAs?: unknown }>;
    };
    expect(written).toMatchObject({
      format: 3,
      entries: { "UserGroup/till": { knownAs: { name: "till", labels: { tier: "1" } } } },
    });
    for (const entry of Object.values(written.entries)) delete entry.knownAs;
    await writeFile(file, JSON.stringify({ ...written, format: 2 }));
    expect((await scene.stack.plan()).changes).toEqual([]);
    await scene.stack.write([
      group("till", "who sell more", plain),
      { ...other, spec: { name: "other", description: "y" } },
    ]);
    await refused(byLabel);
    await refused(byName);
    await scene.stack.write([
      group("till", "who sell", vital),
      { ...other, spec: { name: "other", description: "y" } },
    ]);
    await scene.stack.apply({ now: () => during, grants: byName });
  });
});
