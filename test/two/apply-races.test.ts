// Tests changes of another actor while a run waits, writes or ends: nothing is overwritten without a report, and no outcome
// is lost.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import type { ApplyOptions } from "../../reconciler/apply.ts";
import { apply } from "../../reconciler/apply.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

const inventoryFile = () => join(stack.folder, ".svc/conformance.inventory.json");

const group = (description: string) => ({
  kind: "UserGroup",
  name: "sellers",
  spec: { name: "sellers", description },
});

describe("a saved plan with a slow approval", () => {
  it("is refused where a live object changes before the approval", async () => {
    await stack.write([group("1")]);
    await stack.apply();
    await stack.write([group("2")]);
    const savedPlan = JSON.parse(JSON.stringify(await stack.plan())) as Plan;
    const neighbor = await makeStack({ url: service.url, key: service.adminKey, name: "other" });
    const approve = async (): Promise<boolean> => {
      await neighbor.write([group("3")]);
      await neighbor.apply({ adopt: () => true });
      return true;
    };
    const failure = { code: "stale" };
    await expect(apply({ ...stack.options, savedPlan, approve })).rejects.toMatchObject(failure);
    await neighbor.dispose();
  });
});

describe("a run that starts while another one creates objects", () => {
  /** Applies, and returns the failure with the number of displayed plans. */
  const failing = async (progress?: ApplyOptions["progress"]) => {
    let shown = 0;
    const counting: ApplyOptions["progress"] = (event) => {
      if (event.event === "plan") shown += 1;
      progress?.(event);
    };
    const options = { ...stack.options, approve: async () => true, progress: counting };
    const failed = await apply(options).catch((error: unknown) => error);
    return { failed, shown };
  };

  it("is refused by the lock, not for the objects that the other run has created", async () => {
    await stack.write([group("1")]);
    await stack.apply();
    await stack.loseInventory();
    const store = fileInventory(inventoryFile(), "conformance");
    const lock = await store.lock("apply");
    const { failed, shown } = await failing();
    expect(failed).toMatchObject({ code: "locked", details: { id: lock.info.id } });
    expect(shown).toBe(0);
    await lock.release();
    expect((await failing()).failed).toMatchObject({ code: "refused" });
  });

  it("is stale if the other run ends before it has planned", async () => {
    await stack.write([group("1")]);
    await stack.apply();
    const written = readFileSync(inventoryFile());
    await stack.loseInventory();
    const { failed, shown } = await failing((event) => {
      if (event.event !== "phase" || event.phase !== "read") return;
      mkdirSync(join(stack.folder, ".svc"), { recursive: true });
      writeFileSync(inventoryFile(), written);
    });
    expect(failed).toMatchObject({ code: "stale" });
    expect(shown).toBe(0);
  });
});

describe("a run whose inventory fails at the end", () => {
  it("keeps its outcomes and reports why", async () => {
    await stack.write([group("1")]);
    const lockFile = `${inventoryFile()}.lock`;
    const applied = await stack.apply({
      progress: (event) => {
        if (event.event === "phase" && event.phase === "verify") writeFileSync(lockFile, "{");
      },
    });
    expect(applied.outcomes).toMatchObject([{ address: "UserGroup/sellers", result: "done" }]);
    expect(applied.unrecorded).toMatchObject({ code: "corrupt" });
  });
});
