// What a history keeps of reconciliations in a row.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ReconciliationEvent } from "./events.ts";
import { folderStore } from "./folder-store.ts";
import { openRecorder, readHistory } from "./history.ts";
import { documentsOf } from "./state-store.ts";

const state = mkdtempSync(join(tmpdir(), "svc-history-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

it("keeps a wait for other sources until it ends, and then no second entry of the state before", async () => {
  const documents = documentsOf({ store: folderStore(state) }, { name: "app" });
  const recorder = await openRecorder(documents);
  let hour = 10;
  const record = async (
    result: ReconciliationEvent["result"],
    more: Partial<ReconciliationEvent> = {},
  ) => {
    const time = `2026-03-02T${hour++}:00:00.000Z`;
    const about = { event: "reconciliation", source: "app", mode: "apply", seconds: 1 } as const;
    await recorder.record({ ...about, time, result, ...more });
    return (await readHistory(documents)).map((entry) =>
      entry.event === "action" ? entry.action : `${entry.result} ${entry.time.slice(11, 13)}`,
    );
  };
  await record("unchanged", { commit: "a" });
  expect(await record("waiting", { commit: "a" })).toEqual(["waiting 11", "unchanged 10"]);
  expect(await record("unchanged", { commit: "a" })).toEqual(["unchanged 10"]);
  await record("waiting", { commit: "b" });
  const time = "2026-03-02T13:30:00.000Z";
  await recorder.act({ time, event: "action", source: "app", action: "reconcile", by: "ada" });
  expect(await record("unchanged", { commit: "b" })).toEqual([
    "unchanged 14",
    "reconcile",
    "unchanged 10",
  ]);
});
