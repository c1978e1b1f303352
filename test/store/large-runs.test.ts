// A run of many changes is applied and undone with its inventory at the service.
import { expect, it } from "vitest";
import { history } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/verbs/undo.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("of 2,000 changes", { timeout: 600_000 }, async () => {
  const service = await startService();
  const options = { url: service.url, key: service.adminKey, inventory: "service" };
  const stack = await makeStack({ ...options, policy: { maxDeletes: 5000 } });
  try {
    const names = Array.from({ length: 2000 }, (_, at) => `group-${at}`);
    const spec = (name: string) => ({ name, description: name.repeat(10) });
    await stack.write(names.map((name) => ({ kind: "UserGroup", name, spec: spec(name) })));
    const { outcomes, unrecorded } = await stack.apply();
    expect(outcomes.filter(({ result }) => result === "done")).toHaveLength(2000);
    expect(unrecorded).toBeUndefined();
    const past = await history({ ...stack.options, last: 1 });
    const run = past.ok ? (past.runs[0]?.id ?? "") : "";
    const undone = await undo({ ...stack.options, run, approve: async () => true });
    const results = undone.ok ? (undone.applied?.outcomes ?? []) : [];
    expect(results.filter(({ result }) => result === "done")).toHaveLength(2000);
  } finally {
    await stack.dispose();
    await service.close();
  }
});
