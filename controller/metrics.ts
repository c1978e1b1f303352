// What a controller measures, in the text format that Prometheus reads: by source, and without anything that a source says.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ReconciliationEvent } from "./events.ts";

/** Takes rounds, and shows what came of them. */
export interface ControllerMetrics {
  readonly contentType: string;
  record(event: ReconciliationEvent): void;
  text(): Promise<string>;
}

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** Metrics that know nothing yet. */
export function controllerMetrics(): ControllerMetrics {
  const registers = [new Registry()] as const;
  const [registry] = registers;
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "svc_controller_reconcile_duration_seconds",
    help: "How long rounds took, by how they ended.",
    labelNames: ["source", "result"],
    buckets: seconds,
    registers: [...registers],
  });
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]): Gauge<T> =>
    new Gauge({ name: `svc_controller_${name}`, help, labelNames, registers: [...registers] });
  const succeeded = gauge(
    "last_success_timestamp_seconds",
    "When the last round ended that saw all it wanted to see and did all it was to do.",
    "source",
  );
  const drift = gauge(
    "drift",
    "Objects that the last plan would have written, by who moved.",
    "source",
    "direction",
  );
  const held = gauge("held", "Deletes and replaces that wait for an approval.", "source");
  const suspended = gauge("suspended", "1 while the source is suspended.", "source");
  const failures = new Counter({
    name: "svc_controller_failures_total",
    help: "Rounds that failed, by the code of the failure.",
    labelNames: ["source", "code"],
    registers: [...registers],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    record: (event) => {
      const { source, result } = event;
      duration.observe({ source, result }, event.seconds);
      suspended.set({ source }, result === "suspended" ? 1 : 0);
      held.set({ source }, event.held?.deletes ?? 0);
      for (const [direction, count] of Object.entries(event.drift ?? {}))
        drift.set({ source, direction }, count);
      if (["unchanged", "changes", "applied"].includes(result))
        succeeded.set({ source }, Date.parse(event.time) / 1000);
      if (["failed", "partial", "invalid"].includes(result))
        failures.inc({ source, code: event.failure?.code ?? result });
    },
  };
}
