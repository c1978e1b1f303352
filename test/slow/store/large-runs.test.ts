// Tests runs of many changes that are killed, resumed, changed, undone and adopted, in every inventory store.
import { expect, it } from "vitest";
import type { ApplyResult } from "../../../reconciler/model/index.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { undo } from "../../../reconciler/undo.ts";
import { loseInventory, runInChild, soakLargeRun } from "../soak/large-run-soak.ts";
import { createTestDatabase, onPostgres } from "../../support/test-database.ts";
import { startService } from "../../support/test-service.ts";
import { makeStack } from "../../support/test-stack.ts";

/** More than a page, a call of many objects, or an append of the journal. */
const count = 1050;

const countDone = (applied: ApplyResult | undefined): number =>
  applied?.outcomes.filter(({ result }) => result === "done").length ?? 0;

it("of 1,050 changes at the service, or in a database", { timeout: 600_000 }, async () => {
  const inventory = onPostgres ? "postgres" : "service";
  const place = await createTestDatabase();
  const service = await startService({ data: ":memory:" });
  const env = { SVC_INVENTORY_URL: place.data };
  const options = { url: service.url, key: service.adminKey, inventory, env };
  const stack = await makeStack({ ...options, policy: { maxDeletes: 5000 } });
  try {
    const names = Array.from({ length: count }, (_, at) => `group-${at}`);
    const spec = (name: string) => ({ name, description: name.repeat(10) });
    const documents = names.map((name) => ({ kind: "UserGroup", name, spec: spec(name) }));
    await stack.write(documents);
    expect(await runInChild({ stack, service }, "apply", { killAt: count / 2 })).toBeUndefined();
    const resumed = await stack.apply();
    expect(countDone(resumed)).toBe(count);
    expect(resumed.unrecorded).toBeUndefined();
    await loseInventory({ stack, service, inventory });
    expect(await stack.adopt()).toHaveLength(count);
    await stack.write(documents.slice(0, 1));
    expect(countDone(await stack.apply())).toBe(count - 1);
    const past = await history({ ...stack.options, last: 1 });
    const run = past.ok ? (past.runs[0]?.id ?? "") : "";
    const undone = await undo({ ...stack.options, run, approve: async () => true });
    expect(countDone(undone.ok ? undone.applied : undefined)).toBe(count - 1);
    const groups = await service.db.selectFrom("user_groups").select("name").execute();
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
    expect(groups.filter(({ name }) => name.startsWith("group-"))).toHaveLength(count);
  } finally {
    await stack.dispose();
    await service.close();
    await place.drop();
  }
});

it.each(onPostgres ? [] : ["a file"])("of 1,050 changes in %s", { timeout: 600_000 }, async () => {
  const lines: string[] = [];
  const { killed, wrong } = await soakLargeRun({
    changes: count,
    inventory: "file",
    report: (line) => lines.push(line),
  });
  expect({ killed, wrong, lines: lines.length }).toEqual({ killed: 1, wrong: [], lines: 7 });
});
