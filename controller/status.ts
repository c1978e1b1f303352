// The status of the sources, shown by `/status`.
import type { JsonObject } from "../core/json.ts";
import type { Source } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";

/** The status of the sources. */
export interface SourceStatuses {
  record(event: ReconciliationEvent): void;
  /** Returns whether every source was reconciled once. */
  isReady(): boolean;
  toJson(): JsonObject;
}

/** Keeps the last reconciliation of each source, and the last that wrote. */
export function trackStatus(sources: readonly Source[]): SourceStatuses {
  const last = new Map<string, ReconciliationEvent>();
  const applied = new Map<string, ReconciliationEvent>();
  return {
    record: (event) => {
      last.set(event.source, event);
      if (["applied", "partial"].includes(event.result)) applied.set(event.source, event);
    },
    isReady: () => sources.every(({ name }) => last.has(name)),
    toJson: () => ({
      sources: sources.map((source) => {
        const { name, mode, git, folder } = source;
        const from =
          git === undefined ? { folder } : { url: git.url, ref: git.ref, path: git.path };
        const [reconciliation, wrote] = [last.get(name), applied.get(name)];
        const state = {
          name,
          mode,
          from,
          commit: reconciliation?.commit,
          waiting: reconciliation && waitingReason(source, reconciliation),
          next: reconciliation?.next,
          lastReconciliation: reconciliation,
          lastApplied: wrote && { time: wrote.time, commit: wrote.commit, changes: wrote.changes },
        };
        return JSON.parse(JSON.stringify(state)) as JsonObject;
      }),
    }),
  };
}

/** Returns what a source waits for, and until when. */
function waitingReason({ suspend }: Source, { result, failure, opens, next }: ReconciliationEvent) {
  switch (result) {
    case "suspended":
      return { for: "the end of the suspension", ...suspend };
    case "held":
      return { for: "an approval", reason: failure?.message, remedy: failure?.remedy };
    case "closed":
      return { for: "a maintenance window", reason: failure?.message, until: opens };
    case "invalid":
      return { for: "valid manifests" };
    case "failed":
    case "partial":
      return { for: "a retry", reason: failure?.message, until: next };
    default:
      return undefined;
  }
}
