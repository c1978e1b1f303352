// A rollback that is asked for again: it goes on with the way back that is under way, or stays where it came, and condemns nothing more.
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rollback } from "../../reconciler/promote/promote.ts";
import type { JsonObject } from "../../core/json.ts";
import { patience, yes } from "./each.ts";
import { good, newest, older, promotingChild } from "./scene.ts";
import { type Acting, ways } from "./ways.ts";

const oldest = "1.7.12";

describe.each(ways)("a rollback that is asked for again, by $way", patience, ({ way, open }) => {
  let acting: Acting;
  beforeEach(async () => {
    acting = await open();
  });
  afterEach(() => acting.close());

  /** Dev has verified two versions, one after the other, and runs the newer one. */
  async function settled(more: JsonObject = {}): Promise<void> {
    await acting.scene.list(oldest, "latest");
    await acting.pipeline([more]);
    for (const version of [oldest, older]) await bring(version);
  }

  /** Asks for a version, and does all that follows from that. */
  async function bring(version: string): Promise<void> {
    await applied(await acting.scene.promote({ ...acting.acts, to: "dev", version }));
  }

  /** What was committed is applied and verified. */
  async function applied({ diff }: { readonly diff: string }): Promise<void> {
    if (diff !== "") await acting.scene.stack.apply();
    await acting.promote();
  }

  async function back(more: object = {}) {
    const { scene, acts } = acting;
    const told = { ...scene.options, ...acts, stage: "dev", approve: yes, ...more };
    return good(await rollback(told));
  }

  /** What dev runs, what was found wanting there, and what holds it. */
  async function state(): Promise<readonly unknown[]> {
    const { stages, cells } = await acting.scene.status();
    const failed = cells.filter((one) => one.stage === "dev" && one.verification === "failed");
    const { dev } = await acting.scene.versions();
    return [dev, failed.map(({ version }) => version), stages[0]?.hold?.version];
  }

  it("after an automatic one stays where that came, and holds it", async () => {
    await settled({ onFailure: "rollback" });
    acting.scene.site.sickOnce.set("/dev", 500);
    await bring(newest);
    expect(await state()).toEqual([older, [newest], undefined]);
    const { words } = await back({ reason: "paged" });
    expect(await state()).toEqual([older, [newest], older]);
    expect(words[0]).toMatchObject({ did: "rolled back", version: older, reason: "paged" });
    await acting.promote();
    expect(await state()).toEqual([older, [newest], older]);
  });

  it("after a person's own stays there too, and goes further back where that fails", async () => {
    await settled();
    await bring(newest);
    await applied(await back());
    await applied(await back());
    expect(await state()).toEqual([older, [newest], older]);
    acting.scene.site.sick.set("/dev", 500);
    acting.scene.pass(2000);
    await acting.pipeline([{ validFor: "1s" }]);
    await acting.promote();
    acting.scene.site.sick.clear();
    await acting.pipeline([{}]);
    await applied(await back());
    expect(await state()).toEqual([oldest, [newest, older], oldest]);
  });

  if (way === "--direct") {
    it("after a kill goes on to the same version", async () => {
      await settled();
      await bring(newest);
      const env = { PATH: process.env["PATH"] ?? "" };
      const child = promotingChild(acting.scene, { way: "direct", env, rolledBack: "dev" });
      acting.scene.proxy.arm(1, () => {
        child.kill("SIGKILL");
        return Promise.resolve("pass");
      });
      await once(child, "close");
      await acting.scene.proxy.idle();
      acting.scene.proxy.arm();
      const { history } = await back();
      expect(await state()).toEqual([older, [newest], older]);
      expect(history[0]).toMatchObject({ to: older, cause: "rollback", result: "done" });
    });
  } else {
    it("while it waits for its apply goes on to the same version, and commits nothing more", async () => {
      await settled({ onFailure: "rollback" });
      const { scene, acts } = acting;
      await scene.promote({ ...acts, to: "dev", version: newest });
      await scene.stack.apply();
      scene.site.sickOnce.set("/dev", 500);
      await scene.promote(acts);
      expect((await scene.status()).stages[0]).toMatchObject({
        rollout: { version: older, cause: "rollback" },
        reasons: [{ code: "waits-for-apply" }],
      });
      for (const reason of [undefined, "paged", "paged again"]) {
        expect((await back({ reason })).diff).toBe("");
      }
      await scene.stack.apply();
      await acting.promote();
      expect(await state()).toEqual([older, [newest], older]);
    });
  }
});
