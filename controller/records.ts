// Records what happens to the sources of a run. A record that cannot be written stops no source.
import { Failure, isFailure } from "../core/errors.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { planJson } from "../reconciler/sessions.ts";
import { systemClock } from "./clock.ts";
import { hasApi, type Source } from "./config.ts";
import type { ControllerOptions } from "./controller-options.ts";
import { type ActionEvent, failureEvent, type ReconciliationEvent } from "./events.ts";
import {
  lastDocument,
  type LastReconciliation,
  openRecorder,
  type SourceRecorder,
} from "./history.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { savePromotions } from "./promotions.ts";
import { documentsOf, parseDocument } from "./state-store.ts";

/** The records of all sources. */
export interface Records {
  /** Returns the last reconciliation of a source, also of an earlier run or by another replica. */
  last(source: string): Promise<LastReconciliation | undefined>;
  /** Returns the last reconciliation of a source in this run, or by another replica with the same configuration of the source. */
  lastOf(source: string): ReconciliationEvent | undefined;
  forget(source: string): void;
  /** Keeps the last reconciliation of a source by another replica, and returns it. */
  follow(source: Source, text: string): ReconciliationEvent | undefined;
  /** Forgets what another replica may have changed. */
  reopen(source: string): void;
  record(event: ReconciliationEvent, reconciliation: Reconciliation): Promise<void>;
  act(event: ActionEvent): Promise<void>;
}

/** Returns the records of a run. The plans are kept for the API only. */
export function createRecords(
  options: Pick<ControllerOptions, "config" | "kinds" | "onEvent" | "clock">,
  /** Whether this replica works on a source; undefined where the state is in a folder. */
  works?: (source: string) => boolean,
): Records {
  const { config, kinds, onEvent, clock = systemClock } = options;
  const recorders = new Map<string, Promise<SourceRecorder>>();
  const last = new Map<string, ReconciliationEvent>();
  /** The last reconciliations by other replicas. */
  const others = new Map<string, LastReconciliation>();
  const recorderOf = (name: string): Promise<SourceRecorder> => {
    const recorder = recorders.get(name) ?? openRecorder(documentsOf(config, { name }));
    recorders.set(name, recorder);
    // A history that cannot be read now may be readable later.
    recorder.catch(() => recorders.delete(name));
    return recorder;
  };
  const attempt = async (
    source: string,
    write: (recorder: SourceRecorder) => Promise<void>,
  ): Promise<void> => {
    try {
      await write(await recorderOf(source));
    } catch (error) {
      const failure = isFailure(error)
        ? error
        : new Failure("unavailable", `the record cannot be written: ${systemErrorText(error)}`);
      const time = clock.now().toISOString();
      onEvent?.({ time, event: "record-failed", source, failure: failureEvent(failure) });
    }
  };
  return {
    last: async (source) => others.get(source) ?? (await recorderOf(source)).last(),
    lastOf: (source) => last.get(source),
    forget: (source) => {
      for (const kept of [recorders, last, others]) kept.delete(source);
    },
    follow: (source, text) => {
      const saved = parseDocument(lastDocument, text);
      if (saved === undefined) return undefined;
      const event = saved.event as ReconciliationEvent;
      others.set(source.name, { event, since: saved.since, commit: saved.commit });
      if (saved.source === source.digest) last.set(source.name, event);
      else last.delete(source.name);
      return event;
    },
    reopen: (source) => {
      recorders.delete(source);
      others.delete(source);
    },
    record: (event, { plan, promotions, diagnostics, commit }) => {
      last.set(event.source, event);
      return attempt(event.source, async (recorder) => {
        await recorder.record(event);
        const documents = documentsOf(config, { name: event.source });
        if (works?.(event.source) === true) {
          const source = config.sources.find(({ name }) => name === event.source)?.digest;
          const shared = { ...recorder.last(), source };
          await documents.write(lastDocument, shared);
        }
        // Without a plan, nothing was read.
        if (plan === undefined || !hasApi(config)) return;
        await savePromotions(documents, promotions);
        const report = planJson(plan, { kinds, manifestDiagnostics: diagnostics });
        await recorder.keepPlan({ time: event.time, commit, report });
      });
    },
    act: (event) => attempt(event.source, (recorder) => recorder.act(event)),
  };
}
