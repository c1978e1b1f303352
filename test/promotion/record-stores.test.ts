// Tests the record of pipelines with inventories at the service and in a database.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { svcProgram } from "../support/svc-program.ts";
import { pipelineStatus, promote, rollback } from "../../promotion/promote.ts";
import { approve, hold, release } from "../../promotion/manual-actions.ts";
import {
  createTestDatabase,
  inventoryPlaces,
  type TestDatabase,
} from "../support/test-database.ts";
import {
  expectOk,
  newestVersion,
  olderVersion,
  openPromotionFixture,
  startPromoteChild,
  type PromotionFixture,
} from "./fixture.ts";
import { once } from "node:events";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

const approveAll = () => Promise.resolve(true);

describe.each(inventoryPlaces)(
  "pipelines whose record is kept by %s",
  { timeout: 60_000 },
  (inventory) => {
    let scene: PromotionFixture;
    let database: TestDatabase;
    beforeEach(async () => {
      database = await createTestDatabase();
      const env = { SVC_INVENTORY_URL: database.data };
      scene = await openPromotionFixture(undefined, { inventory, env });
    });
    afterEach(async () => {
      await scene.close();
      await database.drop();
    });

    it("promote a version, and share the record with another folder", async () => {
      await scene.writePipeline([{ soak: "2h" }, { promotion: "approval", batchSize: 1 }]);
      await scene.promote();
      scene.advanceClock(2 * 3_600_000);
      expectOk(await approve({ ...scene.options, stage: "staging", reason: "tested" }));
      await scene.promote();
      const all = {
        dev: newestVersion,
        prod: olderVersion,
        "staging-a": newestVersion,
        "staging-b": newestVersion,
      };
      expect(await scene.versions()).toEqual(all);
      expect(existsSync(join(scene.stack.folder, ".svc"))).toBe(false);
      const other = mkdtempSync(join(tmpdir(), "svc-elsewhere-"));
      await cp(scene.stack.folder, other, { recursive: true });
      const elsewhere = { ...scene.options, paths: [other], cwd: other };
      const { history, manualActions } = expectOk(await pipelineStatus(elsewhere));
      expect(history.map(({ stage, result }) => `${stage} ${result}`)).toEqual([
        "staging done",
        "dev done",
      ]);
      expect(manualActions).toMatchObject([{ action: "approved", reason: "tested" }]);
      expectOk(await rollback({ ...elsewhere, stage: "dev", mode: "direct", approve: approveAll }));
      expect(await scene.versions()).toMatchObject({ dev: olderVersion });
      expect((await scene.status()).stages[0]?.hold?.version).toBe(olderVersion);
      rmSync(other, { recursive: true });
    });

    it("allow one promotion at a time, and manual actions in the meantime", async () => {
      await scene.writePipeline([{}, { batchSize: 1 }]);
      await scene.verifyOnly();
      const staging = { ...scene.options, stage: "staging" };
      // The person who is asked answers late.
      let isAsked = false;
      let answer: (yes: boolean) => void = () => undefined;
      const approval = new Promise<boolean>((resolve) => {
        answer = resolve;
      });
      const going = scene.promote({
        approve: () => {
          isAsked = true;
          return approval;
        },
      });
      await vi.waitFor(() => expect(isAsked).toBe(true), { timeout: 60_000 });
      await expect(
        promote({ ...scene.options, mode: "direct", approve: approveAll }),
      ).rejects.toMatchObject({ code: "locked" });
      expectOk(await hold({ ...staging, reason: "users complain" }));
      answer(true);
      const { status } = await going;
      expect(await scene.versions()).toMatchObject({
        dev: newestVersion,
        "staging-a": olderVersion,
      });
      expect(status.stages[1]?.reasons).toMatchObject([{ code: "held" }]);
      expectOk(await release({ ...staging }));
      await scene.promote();
      expect(await scene.versions()).toMatchObject({
        "staging-a": newestVersion,
        "staging-b": newestVersion,
      });
    });

    it("continue after a kill, because the lock of a dead process is released", async () => {
      await scene.writePipeline([{}]);
      await scene.verifyOnly();
      const child = await startPromoteChild(scene, {
        mode: "direct",
        env: { PATH: process.env["PATH"] ?? "", SVC_INVENTORY_URL: database.data },
      });
      const isWrite = ({ method, path }: { method: string; path: string }): boolean =>
        method !== "GET" && path.includes("/deployments/");
      scene.alterResponses((request, body) => {
        if (isWrite(request)) child.kill("SIGKILL");
        return body;
      });
      await once(child, "close");
      expect(child.signalCode).toBe("SIGKILL");
      scene.alterResponses((_, body) => body);
      expect((await scene.status()).stages[0]?.rollout).toMatchObject({ version: newestVersion });
      // Its lock names a process that has ended, so the lock needs no manual release.
      const { history } = await scene.promote();
      expect(history.map(({ to, result }) => `${to} ${result}`)).toEqual([`${newestVersion} done`]);
      expect(await scene.versions()).toMatchObject({ dev: newestVersion });
    });
  },
);
