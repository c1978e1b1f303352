// Tests runs that wrote an object in part: the history says so, and an undo reverts what was written.
import { describe, expect, it } from "vitest";
import type { Plan } from "../../reconciler/model/index.ts";
import { historyText } from "../../reconciler/report/history-text.ts";
import { history, type History } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/undo.ts";
import { liveState } from "../support/live-state.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ name: "shop" });

const board = (name: string, title: string): Doc => ({
  kind: "Workbook",
  name: "sales",
  spec: { deployment: { external: "main" }, slug: "sales", name, dashboard: { title } },
});

const pastRuns = async (): Promise<History> => {
  const reported = await history(fixture.stack.options);
  if (!reported.ok) throw new Error(JSON.stringify(reported.diagnostics));
  return reported;
};

const undoLast = async (): Promise<Plan> => {
  const { runs } = await pastRuns();
  const run = runs[0]?.id ?? "";
  const undone = await undo({ ...fixture.stack.options, run, approve: async () => true });
  if (!undone.ok) throw new Error(JSON.stringify(undone.diagnostics));
  expect(undone.applied?.outcomes.every(({ result }) => result === "done")).toBe(true);
  return undone.plan;
};

/** Applies documents; all writes from number `at` fail. */
const applyUntil = async (write: number, documents: readonly Doc[]): Promise<void> => {
  await fixture.stack.write(documents);
  fixture.proxy.arm(write, "conflict", Infinity);
  const { outcomes } = await fixture.stack.apply();
  fixture.proxy.arm();
  expect(outcomes).toMatchObject([{ address: "Workbook/sales", result: "failed", partial: true }]);
};

describe("a partly written update", () => {
  it("is shown in the history, and an undo reverts the fields that were written", async () => {
    await fixture.stack.write([board("Sales", "Sales")]);
    await fixture.stack.apply();
    const before = await liveState(fixture.service);
    await applyUntil(2, [board("Revenue", "Revenue")]);
    expect(await liveState(fixture.service)).not.toEqual(before);
    const past = await pastRuns();
    expect(past.runs[0]?.changes).toMatchObject([{ address: "Workbook/sales", result: "partial" }]);
    const text = historyText({ ...past, runs: past.runs.slice(0, 1) }, true);
    expect(text).toContain("apply: 1 partly written");
    expect(text).not.toContain("nothing changed");
    expect(text).toContain("update Workbook/sales (partly written)");
    const plan = await undoLast();
    expect(plan.changes).toMatchObject([{ action: "update", fields: [{ field: "name" }] }]);
    expect(await liveState(fixture.service)).toEqual(before);
    const next = await fixture.stack.plan();
    expect(next.changes).toMatchObject([
      { fields: [{ direction: "pending" }, { direction: "pending" }] },
    ]);
  });

  it("is completed by the next apply", async () => {
    await fixture.stack.write([board("Sales", "Sales")]);
    await fixture.stack.apply();
    await applyUntil(2, [board("Revenue", "Revenue")]);
    const { changes } = await fixture.stack.plan();
    expect(changes).toMatchObject([{ fields: [{ field: "dashboard", direction: "pending" }] }]);
    await fixture.stack.apply();
    expect((await fixture.stack.plan()).changes).toEqual([]);
  });

  it("of an adopted object leaves it to the stack, which reverts it", async () => {
    await fixture.stack.write([board("Sales", "Sales")]);
    await fixture.stack.apply();
    const before = await liveState(fixture.service);
    await fixture.stack.loseInventory();
    await fixture.stack.write([board("Revenue", "Revenue")]);
    fixture.proxy.arm(2, "conflict", Infinity);
    const { outcomes } = await fixture.stack.apply({ adopt: () => true });
    fixture.proxy.arm();
    expect(outcomes).toMatchObject([{ action: "adopt", result: "failed", partial: true }]);
    await undoLast();
    expect(await liveState(fixture.service)).toEqual(before);
  });
});

describe("a partly written create", () => {
  it("is deleted by an undo", async () => {
    const before = await liveState(fixture.service);
    await applyUntil(2, [board("Sales", "Sales")]);
    const plan = await undoLast();
    expect(plan.changes).toMatchObject([{ action: "delete", address: "Workbook/sales" }]);
    expect(await liveState(fixture.service)).toEqual(before);
  });
});
