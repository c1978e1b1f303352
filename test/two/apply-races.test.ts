// What another actor does while a run waits, writes or ends: nothing is overwritten unseen, and no outcome is lost.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Plan } from "../../reconciler/model/index.ts";
import { apply } from "../../reconciler/verbs/verbs.ts";
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
      await stack.releaseClaims();
      await neighbor.write([group("3")]);
      await neighbor.apply({ adopt: () => true });
      return true;
    };
    const failure = { code: "stale" };
    await expect(apply({ ...stack.options, savedPlan, approve })).rejects.toMatchObject(failure);
    await neighbor.dispose();
  });
});

describe("a run whose inventory fails at the end", () => {
  it("keeps its outcomes and reports why", async () => {
    await stack.write([group("1")]);
    const lockFile = join(stack.folder, ".svc/conformance.inventory.json.lock");
    const applied = await stack.apply({
      progress: (event) => {
        if (event.event === "phase" && event.phase === "verify") writeFileSync(lockFile, "{");
      },
    });
    expect(applied.outcomes).toMatchObject([{ address: "UserGroup/sellers", result: "done" }]);
    expect(applied.unrecorded).toMatchObject({ code: "corrupt" });
  });
});
