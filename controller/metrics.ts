// Keeps the Prometheus metrics of a controller. A source has at most nine series of its own, which end with it; what grows with
// every result or error has no label of a source. Labels contain no text from a source.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { errorCodes } from "../core/errors.ts";
import { driftDirections } from "../core/spec/diff.ts";
import type { Health, RoundInfo } from "./api-types.ts";
import type { ReconciliationEvent } from "./events.ts";
import { healthOf, healths } from "./history.ts";
import { reconciliationResults } from "./reconciliation.ts";

/** Records reconciliations as metrics. */
export interface ControllerMetrics {
  readonly contentType: string;
  record(event: ReconciliationEvent): void;
  /** Shows a source as its last reconciliation left it, which another replica counts. */
  show(event: ReconciliationEvent): void;
  /** Ends the series of a source. */
  forget(source: string): void;
  /** Ends the series of all other sources. */
  retain(sources: ReadonlySet<string>): void;
  /** Returns the metrics, with those of the reconciliations that run. */
  text(running?: readonly Pick<RoundInfo, "since">[]): Promise<string>;
}

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Returns new metrics. Counters begin with 0. */
export function controllerMetrics(): ControllerMetrics {
  const registers = [new Registry()] as const;
  const [registry] = registers;
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "svc_controller_reconcile_duration_seconds",
    help: "Duration of reconciliations by result.",
    labelNames: ["result"],
    buckets: seconds,
    registers: [...registers],
  });
  const failures = new Counter({
    name: "svc_controller_failures_total",
    help: "Failed reconciliations by error code.",
    labelNames: ["code"],
    registers: [...registers],
  });
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]): Gauge<T> =>
    new Gauge({ name: `svc_controller_${name}`, help, labelNames, registers: [...registers] });
  const { show, shown, forget, countSources } = sourceGauges(gauge);
  const setRounds = roundGauges(gauge);
  for (const result of reconciliationResults) duration.zero({ result });
  for (const code of Object.keys(errorCodes)) failures.inc({ code }, 0);
  return {
    contentType: registry.contentType,
    text: (running = []) => {
      countSources();
      setRounds(running);
      return registry.metrics();
    },
    retain: (kept) => {
      for (const source of shown()) if (!kept.has(source)) forget(source);
    },
    forget,
    show,
    record: (event) => {
      show(event);
      duration.observe({ result: event.result }, event.seconds);
      if (healthOf(event) === "failing") failures.inc({ code: event.failure?.code ?? "invalid" });
    },
  };
}

/** Returns the functions that set the metrics of sources. Those of all sources are counted for a reader only. */
function sourceGauges(
  gauge: <T extends string>(name: string, help: string, ...labels: T[]) => Gauge<T>,
) {
  const healthBySource = new Map<string, Health>();
  const sources = gauge("sources", "Sources by health.", "health");
  const succeeded = gauge(
    "last_success_timestamp_seconds",
    "Time of the last successful reconciliation.",
    "source",
  );
  const failing = gauge("failing", "1 while reconciliations of the source fail.", "source");
  const drift = gauge(
    "drift",
    "Changes of the last plan by direction of drift; none while the manifests are invalid.",
    "source",
    "direction",
  );
  const held = gauge("held", "Deletes and replacements that wait for a decision.", "source");
  const rejected = gauge("rejected", "1 while the held plan is rejected.", "source");
  const waiting = gauge("waiting", "1 while the source waits for other sources.", "source");
  const suspended = gauge("suspended", "1 while the source is suspended.", "source");
  const countSources = (): void => {
    for (const health of healths) sources.set({ health }, 0);
    for (const health of healthBySource.values()) sources.inc({ health });
  };
  const forget = (source: string): void => {
    healthBySource.delete(source);
    for (const metric of [succeeded, failing, held, rejected, waiting, suspended])
      metric.remove({ source });
    for (const direction of driftDirections) drift.remove({ source, direction });
  };
  const show = (event: ReconciliationEvent): void => {
    const { source, result } = event;
    const health = healthOf(event);
    healthBySource.set(source, health);
    failing.set({ source }, health === "failing" ? 1 : 0);
    suspended.set({ source }, result === "suspended" ? 1 : 0);
    waiting.set({ source }, event.waitsFor === undefined ? 0 : 1);
    const isRejected = event.held?.rejected !== undefined;
    held.set({ source }, isRejected ? 0 : (event.held?.deletes ?? 0));
    rejected.set({ source }, isRejected ? 1 : 0);
    // The last plan was of another commit.
    if (result === "invalid")
      for (const direction of driftDirections) drift.remove({ source, direction });
    for (const [direction, count] of Object.entries(event.drift ?? {}))
      drift.set({ source, direction }, count);
    if (["unchanged", "changes", "applied"].includes(result))
      succeeded.set({ source }, Date.parse(event.time) / 1000);
  };
  return { show, forget, shown: () => [...healthBySource.keys()], countSources };
}

/** Returns the function that sets the metrics of the reconciliations that run. */
function roundGauges(
  gauge: (name: string, help: string) => Gauge,
): (running: readonly Pick<RoundInfo, "since">[]) => void {
  const inProgress = gauge("in_progress", "Reconciliations that run.");
  const oldest = gauge(
    "oldest_in_progress_timestamp_seconds",
    "When the reconciliation that has run for longest began; 0 if none runs.",
  );
  return (running) => {
    inProgress.set(running.length);
    const starts = running.map(({ since }) => Date.parse(since) / 1000);
    oldest.set(starts.length === 0 ? 0 : Math.min(...starts));
  };
}
