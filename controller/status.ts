// Tracks the status of the sources, which `/status` shows.
import type { JsonObject } from "../core/json.ts";
import type { ControllerConfig, Source } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { healthOf } from "./history.ts";
import { originOf } from "./overview.ts";
import type { Rounds } from "./rounds.ts";

/** The status of the sources. */
export interface SourceStatuses {
  record(event: ReconciliationEvent): void;
  /** Returns the last reconciliation, also by another replica; undefined if there was none. */
  last(source: string): ReconciliationEvent | undefined;
  forget(source: string): void;
  toJson(running: Rounds["running"]): JsonObject;
}

/** The state of a source, apart from its last reconciliations. */
interface SourceState {
  /** The last commit that was found; unchanged while the remote is unreachable. */
  readonly commit: string | undefined;
  /** ISO 8601: the end of the first of the reconciliations in a row that failed. */
  readonly failingSince: string | undefined;
}

/** Keeps the last reconciliation of each source, the last that wrote, the last commit, and since when a source fails. */
export function trackStatus(config: Pick<ControllerConfig, "sources">): SourceStatuses {
  const last = new Map<string, ReconciliationEvent>();
  const applied = new Map<string, ReconciliationEvent>();
  const states = new Map<string, SourceState>();
  return {
    record: (event) => {
      last.set(event.source, event);
      states.set(event.source, stateAfter(event, states.get(event.source)));
      if (["applied", "partial"].includes(event.result)) applied.set(event.source, event);
    },
    last: (source) => last.get(source),
    forget: (source) => {
      for (const kept of [last, applied, states]) kept.delete(source);
    },
    toJson: (running) => ({
      sources: config.sources.map((source) => {
        const { name, mode } = source;
        const [reconciliation, wrote] = [last.get(name), applied.get(name)];
        const state = {
          name,
          mode,
          from: originOf(source),
          commit: states.get(name)?.commit,
          failingSince: states.get(name)?.failingSince,
          waiting: reconciliation && waitingReason(source, reconciliation),
          next: reconciliation?.next,
          running: running.get(name),
          lastReconciliation: reconciliation,
          lastApplied: wrote && { time: wrote.time, commit: wrote.commit, changes: wrote.changes },
        };
        return JSON.parse(JSON.stringify(state)) as JsonObject;
      }),
    }),
  };
}

function stateAfter(event: ReconciliationEvent, before: SourceState | undefined): SourceState {
  const { time, commit } = event;
  const isFailing = healthOf(event) === "failing";
  return {
    commit: commit ?? before?.commit,
    failingSince: isFailing ? (before?.failingSince ?? time) : undefined,
  };
}

/** Returns the event that a source waits for, with the reason and the end of the wait. */
function waitingReason(
  { suspend }: Source,
  { result, failure, opens, next, suspension, held }: ReconciliationEvent,
) {
  switch (result) {
    case "suspended":
      return {
        for: "the end of the suspension",
        ...(suspension?.configured === false ? suspension : suspend),
      };
    case "held":
      if (held?.rejected !== undefined) return { for: "another plan", rejected: held.rejected };
      return { for: "an approval", reason: failure?.message, remedy: failure?.remedy };
    case "waiting":
      return { for: "other sources", reason: failure?.message };
    case "closed":
      return { for: "a maintenance window", reason: failure?.message, until: opens };
    case "invalid":
      return { for: "valid manifests" };
    case "failed":
    case "partial":
    case "unhealthy":
      return { for: "a retry", reason: failure?.message, until: next };
    default:
      return undefined;
  }
}
