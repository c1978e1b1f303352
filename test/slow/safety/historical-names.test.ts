// Tests that a change cannot evade rules on names and labels by another label, another name, a removal, another stack or a
// new inventory.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Grants, noGrants } from "../../../reconciler/operator/grants.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { undo } from "../../../reconciler/undo.ts";
import { liveState } from "../../support/live-state.ts";
import { type Doc, changeSummaries, makeStack } from "../../support/test-stack.ts";
import { setUpFixture } from "../../safety/fixture.ts";

const freeze = { to: "2027-01-01T00:00:00Z", reason: "end of the year", owner: "platform" };
const [during, after] = [new Date("2026-12-24T10:00:00Z"), new Date("2027-01-02T10:00:00Z")];
const grantsFreezing = (match: JsonObject): Grants => {
  return { ...noGrants, maxDeletes: 1000, freezes: [{ ...freeze, match }] };
};
const byLabel = grantsFreezing({ labels: { tier: "1" } });
const byName = grantsFreezing({ names: ["till*"] });
const group = (name: string, description: string, more: Partial<Doc> = {}): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name: "tills", description },
  ...more,
});
const [vital, plain] = [{ labels: { tier: "1" } }, { labels: { tier: "2" } }];

const fixture = setUpFixture({ name: "shop" });
const expectRejected = async (grants: Grants): Promise<void> => {
  const before = await liveState(fixture.service);
  const file = join(fixture.stack.folder, ".svc/shop.inventory.json");
  const record = await readFile(file, "utf8").catch(() => "none");
  await expect(fixture.stack.apply({ grants, now: () => during })).rejects.toMatchObject({
    code: "window_closed",
  });
  expect(await liveState(fixture.service)).toEqual(before);
  expect(await readFile(file, "utf8").catch(() => "none")).toBe(record);
};

beforeEach(async () => {
  await fixture.stack.write([
    group("till", "who sell", vital),
    { ...group("other", "x"), spec: { name: "other" } },
  ]);
  await fixture.stack.apply({ now: () => during });
});
const other = { ...group("other", "x"), spec: { name: "other" } };

describe("a freeze of the operator by labels", () => {
  it("holds for an object that the same change labels otherwise", async () => {
    await fixture.stack.write([group("till", "who sell more", plain), other]);
    await expectRejected(byLabel);
    await fixture.stack.write([group("till", "who sell more"), other]);
    await expectRejected(byLabel);
  });

  it("holds for an object that a change before labels otherwise, which is asked about itself", async () => {
    await fixture.stack.write([group("till", "who sell", plain), other]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual(["none UserGroup/till"]);
    await expectRejected(byLabel);
    await fixture.stack.write([group("till", "who sell more", plain), other]);
    await expectRejected(byLabel);
  });

  it("abandons an object that was labelled otherwise when nothing held", async () => {
    await fixture.stack.write([group("till", "who sell", plain), other]);
    await fixture.stack.apply({ now: () => after, grants: byLabel });
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.write([group("till", "who sell more", plain), other]);
    await fixture.stack.apply({ now: () => during, grants: byLabel });
  });

  it("begins to hold for one with the label that it gets", async () => {
    await fixture.stack.write([group("till", "who sell", vital), { ...other, ...vital }]);
    await fixture.stack.apply({ now: () => during, grants: byLabel });
    await fixture.stack.write([
      group("till", "who sell", vital),
      { ...other, ...vital, spec: { name: "other", description: "new" } },
    ]);
    await expectRejected(byLabel);
  });

  it("holds for the delete, and for abandoning it, by the labels that it had", async () => {
    await fixture.stack.write([group("till", "who sell", vital)]);
    await fixture.stack.apply({ now: () => during, grants: byLabel });
    await fixture.stack.write([other]);
    await expectRejected(byLabel);
    await fixture.stack.write([
      group("till", "who sell", { ...vital, lifecycle: { onRemoval: "orphan" } }),
      other,
    ]);
    await fixture.stack.apply({ now: () => during });
    await fixture.stack.write([other]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      "forget UserGroup/till",
    ]);
    await expectRejected(byLabel);
    await fixture.stack.apply({ now: () => after, grants: byLabel });
  });

  it("holds for an object that is adopted, whatever labels it comes with", async () => {
    await fixture.stack.loseInventory();
    await fixture.stack.write([group("till", "who sell more", plain)]);
    await expect(
      fixture.stack.apply({ grants: byLabel, now: () => during, adopt: () => true }),
    ).rejects.toMatchObject({ code: "window_closed" });
    // Adopting evaluates no rule, so it does not record names or labels.
    expect(await fixture.stack.adopt()).toEqual(["UserGroup/till"]);
    await expectRejected(byLabel);
    await expectRejected(byName);
    await fixture.stack.apply({ now: () => after, grants: byLabel });
    await fixture.stack.write([group("till", "who sell", plain)]);
    await fixture.stack.apply({ now: () => during, grants: byLabel });
  });

  it("holds for an object that another stack of the same place has abandons", async () => {
    const orphaned = { ...vital, lifecycle: { onRemoval: "orphan" } };
    await fixture.stack.write([group("till", "who sell", orphaned), other]);
    await fixture.stack.apply({ now: () => during });
    await fixture.stack.write([other]);
    await fixture.stack.apply({ now: () => after, grants: byLabel });
    const second = await makeStack({
      url: fixture.service.url,
      key: fixture.service.adminKey,
      name: "second",
    });
    try {
      await second.write([group("till", "who sell more", plain)]);
      const taking = second.apply({ grants: byLabel, now: () => during, adopt: () => true });
      await expect(taking).rejects.toMatchObject({ code: "window_closed" });
    } finally {
      await second.dispose();
    }
  });

  it("holds for an undo, also of what no document declares any more", async () => {
    await fixture.stack.write([group("till", "who sell more", vital), other]);
    await fixture.stack.apply({ now: () => during });
    const reported = await history(fixture.stack.options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    for (const documents of [[group("till", "who sell more", plain), other], [other]]) {
      await fixture.stack.write(documents);
      const back = undo({
        ...fixture.stack.options,
        run,
        grants: byLabel,
        now: () => during,
        approve: async () => true,
      });
      await expect(back).rejects.toMatchObject({ code: "window_closed" });
    }
    const back = await undo({
      ...fixture.stack.options,
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
      await fixture.stack.write([renamed, other]);
      await expectRejected(byName);
    }
    await fixture.stack.write([group("counter", "who sell", moved), other]);
    await fixture.stack.apply({ now: () => after, grants: byName });
    await fixture.stack.write([group("counter", "who sell more", moved), other]);
    await fixture.stack.apply({ now: () => during, grants: byName });
  });
});

describe("a freeze of the operator on what a delete cascades to", () => {
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
    const reported = await history(fixture.stack.options);
    return (reported.ok && reported.runs[0]?.id) || "";
  };

  it("holds for an undo that says nothing of it, by kind, name and labels", async () => {
    const others = [group("till", "who sell", vital), other];
    await fixture.stack.write([...others, tenant()]);
    await fixture.stack.apply();
    const run = await lastRun();
    await fixture.stack.write([...others, tenant(), inside]);
    await fixture.stack.apply();
    const before = await liveState(fixture.service);
    const back = (match: JsonObject, approve: boolean) =>
      undo({
        ...fixture.stack.options,
        run,
        grants: grantsFreezing(match),
        now: () => during,
        approve: async () => approve,
      });
    for (const match of [
      { labels: { tier: "7" } },
      { names: ["view*"] },
      { kinds: ["EmbedGroup"] },
    ]) {
      await expect(back(match, true)).rejects.toMatchObject({
        code: "window_closed",
        message: expect.stringContaining(
          ") that applies to EmbedGroup/viewers, which is deleted with EmbedTenant/acme",
        ),
      });
    }
    expect(await liveState(fixture.service)).toEqual(before);
    for (const match of [{ labels: { tier: "8" } }, { names: ["till*"], kinds: ["EmbedGroup"] }]) {
      expect(await back(match, false)).toMatchObject({ ok: true, applied: undefined });
    }
  });

  it("holds for a delete and a replace around what no document declares, which may be called anything", async () => {
    await fixture.stack.write([other, tenant(), inside]);
    await fixture.stack.apply();
    // Its record is deleted, but the group stays, so its earlier name is unknown.
    const orphaned = { ...inside, lifecycle: { onRemoval: "orphan" } };
    await fixture.stack.write([other, tenant(), orphaned]);
    await fixture.stack.apply();
    await fixture.stack.write([other, tenant()]);
    await fixture.stack.apply();
    for (const documents of [[other], [other, tenant("acme-retail")]]) {
      await fixture.stack.write(documents);
      await expectRejected(grantsFreezing({ kinds: ["EmbedGroup"] }));
      await expectRejected(grantsFreezing({ kinds: ["EmbedGroup"], labels: { tier: "9" } }));
      await expectRejected(grantsFreezing({ kinds: ["EmbedGroup"], names: ["other"] }));
      const { diagnostics } = await fixture.stack.plan({
        grants: grantsFreezing({ kinds: ["EmbedGroup"] }),
        now: () => during,
      });
      expect(diagnostics.map(({ code }) => code)).toEqual(["cascade-delete", "window-closed"]);
      expect(diagnostics[1]?.summary).toContain(
        ") that applies to an undeclared EmbedGroup, which is deleted with EmbedTenant/acme",
      );
    }
    await fixture.stack.apply({
      grants: grantsFreezing({ kinds: ["EmbedUser"] }),
      now: () => during,
    });
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });
});

describe("an inventory without the names and labels of documents", () => {
  it("may be about any of them, until it is written", async () => {
    const file = join(fixture.stack.folder, ".svc/shop.inventory.json");
    const written = JSON.parse(await readFile(file, "utf8")) as {
      format: number;
      entries: Record<string, { metadata?: unknown }>;
    };
    expect(written).toMatchObject({
      format: 11,
      entries: { "UserGroup/till": { metadata: { name: "till", labels: { tier: "1" } } } },
    });
    for (const entry of Object.values(written.entries)) delete entry.metadata;
    await writeFile(file, JSON.stringify(written));
    expect((await fixture.stack.plan()).changes).toEqual([]);
    await fixture.stack.write([
      group("till", "who sell more", plain),
      { ...other, spec: { name: "other", description: "y" } },
    ]);
    await expectRejected(byLabel);
    await expectRejected(byName);
    await fixture.stack.write([
      group("till", "who sell", vital),
      { ...other, spec: { name: "other", description: "y" } },
    ]);
    await fixture.stack.apply({ now: () => during, grants: byName });
  });
});
