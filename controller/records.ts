// Records what happens to the sources of a run. A record that cannot be written stops no source.
import { Failure, isFailure } from "../core/errors.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { planJson } from "../reconciler/sessions.ts";
import { systemClock } from "./clock.ts";
import { hasApi } from "./config.ts";
import type { ControllerOptions } from "./controller-options.ts";
import { type ActionEvent, failureEvent, type ReconciliationEvent } from "./events.ts";
import { openRecorder, type SourceRecorder } from "./history.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { savePromotions } from "./promotions.ts";
import { documentsOf } from "./state-store.ts";

/** The records of all sources. */
export interface Records {
  recorderOf(source: string): Promise<SourceRecorder>;
  /** Returns the last reconciliation of a source in this run. */
  lastOf(source: string): ReconciliationEvent | undefined;
  forget(source: string): void;
  record(event: ReconciliationEvent, reconciliation: Reconciliation): Promise<void>;
  act(event: ActionEvent): Promise<void>;
}

/** Returns the records of a run. The plans are kept for the API only. */
export function createRecords(
  options: Pick<ControllerOptions, "config" | "kinds" | "onEvent" | "clock">,
): Records {
  const { config, kinds, onEvent, clock = systemClock } = options;
  const recorders = new Map<string, Promise<SourceRecorder>>();
  const last = new Map<string, ReconciliationEvent>();
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
    recorderOf,
    lastOf: (source) => last.get(source),
    forget: (source) => {
      recorders.delete(source);
      last.delete(source);
    },
    record: (event, { plan, promotions, diagnostics, commit }) => {
      last.set(event.source, event);
      return attempt(event.source, async (recorder) => {
        await recorder.record(event);
        // Without a plan, nothing was read.
        if (plan === undefined || !hasApi(config)) return;
        await savePromotions(documentsOf(config, { name: event.source }), promotions);
        const report = planJson(plan, { kinds, manifestDiagnostics: diagnostics });
        await recorder.keepPlan({ time: event.time, commit, report });
      });
    },
    act: (event) => attempt(event.source, (recorder) => recorder.act(event)),
  };
}
