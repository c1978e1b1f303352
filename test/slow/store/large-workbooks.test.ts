// Tests large workbooks that are created with a kill, changed, undone and adopted, in every inventory store.
import { expect, it } from "vitest";
import { history } from "../../../reconciler/verbs/history.ts";
import { undo } from "../../../reconciler/undo.ts";
import { type LargeRun, loseInventory, runInChild } from "../soak/large-run-soak.ts";
import { createTestDatabase, onPostgres } from "../../support/test-database.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack } from "../../support/test-stack.ts";

const widgetBytes = 1000;

/** One of 900 kB, and more than are applied concurrently of 10 kB. */
const sizes = [900_000, ...Array.from({ length: 12 }, () => 10_000)];

/** Returns workbooks of these sizes, with text that JSON escapes and characters of several bytes. */
function workbooks(mark: string): Doc[] {
  const text = `${mark} ${'é"\\x'.repeat(widgetBytes / 8)}`;
  return sizes.map((bytes, at) => {
    const widgets = Array.from({ length: bytes / widgetBytes }, (_, y) => ({
      id: `w${y}`,
      type: "TEXT",
      position: { x: 0, y, w: 12, h: 1 },
      config: { text },
    }));
    const name = `book-${at}`;
    const dashboard = { title: "Large", widgets };
    const spec = { deployment: { external: "main" }, slug: name, name, dashboard };
    return { kind: "Workbook", name, spec };
  });
}

it.each(onPostgres ? (["postgres"] as const) : (["service", "file"] as const))(
  "of 10 kB and of 900 kB, with the inventory at: %s",
  { timeout: 300_000 },
  async (inventory) => {
    const place = await createTestDatabase();
    const service = await startService({ data: ":memory:" });
    const env = { SVC_INVENTORY_URL: place.data };
    const stackOptions = { url: service.url, key: service.adminKey, inventory, env };
    const stack = await makeStack({ ...stackOptions, policy: { maxDeletes: 100 } });
    const run: Pick<LargeRun, "stack" | "service" | "inventory"> = { stack, service, inventory };
    const expectClean = async (mark: string): Promise<void> => {
      await stack.write(workbooks(mark));
      const { changes } = await stack.plan();
      expect(changes.filter(({ action }) => action !== "none")).toEqual([]);
    };
    try {
      await stack.write(workbooks("first"));
      expect(await runInChild(run, "apply", { killAt: 4 })).toBeUndefined();
      expect((await stack.apply()).unrecorded).toBeUndefined();
      await expectClean("first");
      await stack.write(workbooks("second"));
      const { outcomes } = await stack.apply();
      expect(outcomes.filter(({ result }) => result === "done")).toHaveLength(sizes.length);
      await expectClean("second");
      const past = await history({ ...stack.options, last: 1 });
      const last = past.ok ? (past.runs[0]?.id ?? "") : "";
      await undo({ ...stack.options, run: last, approve: async () => true });
      await expectClean("first");
      await loseInventory(run);
      expect(await stack.adopt()).toHaveLength(sizes.length);
      await expectClean("first");
    } finally {
      await stack.dispose();
      await service.close();
      await place.drop();
    }
  },
);
