// Tests that the dashboard and the alert rules of the controller name metrics that it has, and how many series these have.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controllerMetrics } from "../../controller/metrics.ts";
import { reconciliationResults } from "../../controller/reconciliation.ts";

const root = join(import.meta.dirname, "../..");
const examples = join(root, "examples/controller");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const event = { time: "2026-03-02T09:00:00Z", event: "reconciliation", seconds: 1 } as const;

/** Returns the names of the metrics, without the endings of a histogram's series. */
function namesIn(text: string, pattern: RegExp): readonly string[] {
  const names = [...text.matchAll(pattern)].map(([name]) => name);
  return [...new Set(names.map((name) => name.replace(/_(?:count|sum|bucket)$/u, "")))].toSorted();
}

async function exposed(): Promise<ReadonlySet<string>> {
  const text = await controllerMetrics().text();
  return new Set([...text.matchAll(/^# TYPE (\S+)/gmu)].map(([, name = ""]) => name));
}

it.each(["dashboard.json", "alerts.yaml", "alerts.test.yaml"])(
  "names only metrics that exist in %s",
  async (file) => {
    const names = namesIn(
      read(`examples/controller/${file}`),
      /\b(?:svc_controller|process|nodejs)_[a-z_]+/gu,
    );
    expect(names.length).toBeGreaterThan(5);
    const declared = await exposed();
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
  },
);

it("begins counters with 0, and has a bounded number of series", async () => {
  const metrics = controllerMetrics();
  const text = await metrics.text();
  expect(text).toContain('svc_controller_failures_total{code="unreachable"} 0');
  expect(text).toContain('svc_controller_reconcile_duration_seconds_count{result="applied"} 0');
  expect(text).toContain('svc_controller_sources{health="failing"} 0');
  const seriesIn = (all: string): number =>
    all.split("\n").filter((line) => line.startsWith("svc_")).length;
  const before = seriesIn(text);
  const sources = Array.from({ length: 300 }, (_, index) => `source-${index}`);
  const drift = { pending: 1, drifted: 0, conflict: 0 };
  for (const source of sources)
    for (const result of reconciliationResults)
      metrics.record({ ...event, source, mode: "apply", result, drift });
  expect(seriesIn(await metrics.text()) - before).toBe(300 * 9);
  for (const source of sources) metrics.forget(source);
  expect(seriesIn(await metrics.text())).toBe(before);
});

const promtool = ((): string | undefined => {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return "promtool";
  } catch {
    return undefined;
  }
})();

it.skipIf(promtool === undefined)(
  "has alert rules that promtool accepts, and that alert as their tests say",
  () => {
    const run = (...args: readonly string[]): string =>
      execFileSync(promtool ?? "", args, { cwd: examples, encoding: "utf8" });
    expect(run("check", "rules", "alerts.yaml")).toContain("SUCCESS");
    expect(run("test", "rules", "alerts.test.yaml")).toContain("SUCCESS");
  },
);
