// Keeps the Prometheus metrics of a controller. Labels contain no text from a source.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { driftDirections } from "../core/spec/diff.ts";
import type { ReconciliationEvent } from "./events.ts";

/** Records reconciliations as metrics. */
export interface ControllerMetrics {
  readonly contentType: string;
  record(event: ReconciliationEvent): void;
  forget(source: string): void;
  text(): Promise<string>;
}

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Returns new metrics. */
export function controllerMetrics(): ControllerMetrics {
  const registers = [new Registry()] as const;
  const [registry] = registers;
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "svc_controller_reconcile_duration_seconds",
    help: "Duration of reconciliations by result.",
    labelNames: ["source", "result"],
    buckets: seconds,
    registers: [...registers],
  });
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]): Gauge<T> =>
    new Gauge({ name: `svc_controller_${name}`, help, labelNames, registers: [...registers] });
  const succeeded = gauge(
    "last_success_timestamp_seconds",
    "Time of the last successful reconciliation.",
    "source",
  );
  const drift = gauge(
    "drift",
    "Changes of the last plan by direction of drift; none while the manifests are invalid.",
    "source",
    "direction",
  );
  const held = gauge("held", "Deletes and replacements that wait for a decision.", "source");
  const rejected = gauge("rejected", "1 while the held plan is rejected.", "source");
  const suspended = gauge("suspended", "1 while the source is suspended.", "source");
  const failures = new Counter({
    name: "svc_controller_failures_total",
    help: "Failed reconciliations by error code.",
    labelNames: ["source", "code"],
    registers: [...registers],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    forget: (source) => {
      for (const metric of [succeeded, held, rejected, suspended]) metric.remove({ source });
      for (const direction of driftDirections) drift.remove({ source, direction });
    },
    record: (event) => {
      const { source, result } = event;
      duration.observe({ source, result }, event.seconds);
      suspended.set({ source }, result === "suspended" ? 1 : 0);
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
      if (["failed", "partial", "invalid"].includes(result))
        failures.inc({ source, code: event.failure?.code ?? result });
    },
  };
}
