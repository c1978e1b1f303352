// The record of pipelines where the inventory is no file: at the service, and in a database. What a promotion needs of it holds there too.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pipelineStatus, promote, rollback } from "../../reconciler/promote/promote.ts";
import { approve, hold, release } from "../../reconciler/promote/words.ts";
import { freshPlace, onPostgres, type Place } from "../support/store.ts";
import { good, newest, older, openScene, promotingChild, type Scene } from "./scene.ts";
import { once } from "node:events";

const yes = () => Promise.resolve(true);

describe.each(onPostgres ? (["service", "postgres"] as const) : (["service"] as const))(
  "pipelines whose record is kept by %s",
  { timeout: 60_000 },
  (inventory) => {
    let scene: Scene;
    let database: Place;
    beforeEach(async () => {
      database = await freshPlace();
      const env = { SVC_INVENTORY_URL: database.data };
      scene = await openScene(undefined, { inventory, env });
    });
    afterEach(async () => {
      await scene.close();
      await database.drop();
    });

    it("bring a version through, and are known from another folder", async () => {
      await scene.pipeline([{ soak: "2h" }, { promotion: "approval", atOnce: 1 }]);
      await scene.promote();
      scene.pass(2 * 3_600_000);
      good(await approve({ ...scene.options, stage: "staging", reason: "tested" }));
      await scene.promote();
      const all = { dev: newest, prod: older, "staging-a": newest, "staging-b": newest };
      expect(await scene.versions()).toEqual(all);
      expect(existsSync(join(scene.stack.folder, ".svc"))).toBe(false);
      const other = mkdtempSync(join(tmpdir(), "svc-elsewhere-"));
      await cp(scene.stack.folder, other, { recursive: true });
      const elsewhere = { ...scene.options, paths: [other], cwd: other };
      const { history, words } = good(await pipelineStatus(elsewhere));
      expect(history.map(({ stage, result }) => `${stage} ${result}`)).toEqual([
        "staging done",
        "dev done",
      ]);
      expect(words).toMatchObject([{ did: "approved", reason: "tested" }]);
      good(await rollback({ ...elsewhere, stage: "dev", way: "direct", approve: yes }));
      expect(await scene.versions()).toMatchObject({ dev: older });
      expect((await scene.status()).stages[0]?.hold?.version).toBe(older);
      rmSync(other, { recursive: true });
    });

    it("let one promote at a time, and people have their say meanwhile", async () => {
      await scene.pipeline([{}, { atOnce: 1 }]);
      await scene.settle();
      const staging = { ...scene.options, stage: "staging" };
      // Whoever is asked takes their time.
      let isAsked = false;
      let answer: (yes: boolean) => void = () => undefined;
      const asked = new Promise<boolean>((resolve) => {
        answer = resolve;
      });
      const going = scene.promote({
        approve: () => {
          isAsked = true;
          return asked;
        },
      });
      await vi.waitFor(() => expect(isAsked).toBe(true), { timeout: 20_000 });
      await expect(
        promote({ ...scene.options, way: "direct", approve: yes }),
      ).rejects.toMatchObject({ code: "locked" });
      good(await hold({ ...staging, reason: "users complain" }));
      answer(true);
      const { status } = await going;
      expect(await scene.versions()).toMatchObject({ dev: newest, "staging-a": older });
      expect(status.stages[1]?.reasons).toMatchObject([{ code: "held" }]);
      good(await release({ ...staging }));
      await scene.promote();
      expect(await scene.versions()).toMatchObject({ "staging-a": newest, "staging-b": newest });
    });

    it("are gone on with after a kill, as the lock of the dead is over at once", async () => {
      await scene.pipeline([{}]);
      await scene.settle();
      const child = promotingChild(scene, {
        way: "direct",
        env: { PATH: process.env["PATH"] ?? "", SVC_INVENTORY_URL: database.data },
      });
      const isWrite = ({ method, path }: { method: string; path: string }): boolean =>
        method !== "GET" && path.includes("/deployments/");
      scene.alter((request, body) => {
        if (isWrite(request)) child.kill("SIGKILL");
        return body;
      });
      await once(child, "close");
      expect(child.signalCode).toBe("SIGKILL");
      scene.alter((_, body) => body);
      expect((await scene.status()).stages[0]?.rollout).toMatchObject({ version: newest });
      // Its lock names the process, which is gone, so nobody has to break it.
      const { history } = await scene.promote();
      expect(history.map(({ to, result }) => `${to} ${result}`)).toEqual([`${newest} done`]);
      expect(await scene.versions()).toMatchObject({ dev: newest });
    });
  },
);
