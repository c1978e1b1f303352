// What the state keeps about the past of each source: its history, a bounded list of the reconciliations that differ
// from the one before and of actions, and the plan of its last reconciliation.
import { type Static, Type } from "typebox";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { digest } from "../reconciler/sessions.ts";
import type { Health, RecordedPlan } from "./api-types.ts";
import type { ActionEvent, ReconciliationEvent } from "./events.ts";
import type { Documents } from "./state-store.ts";

// Later versions may add members to an event.
const historySchema = Type.Array(
  Type.Object({ time: Type.String(), event: Type.Enum(["reconciliation", "action"]) }),
);
const planSchema = Type.Object({
  time: Type.String(),
  commit: Type.Optional(Type.String()),
  report: Type.Object({}),
  moreChanges: Type.Optional(Type.Integer()),
});

for (const schema of [historySchema, planSchema]) declaredValidator(schema);

export const historyDocument = { name: "history", schema: historySchema } as const;
const planDocument = { name: "plan", schema: planSchema } as const;

/** An entry of a history. */
export type HistoryEntry = ReconciliationEvent | ActionEvent;

/** The last reconciliation of a source, and since when it has its health. */
export interface LastReconciliation {
  readonly event: ReconciliationEvent;
  /** ISO 8601. */
  readonly since: string;
  /** The last that was looked up, which a suspended source does not do. */
  readonly commit?: string | undefined;
}

/** A change of the health of a source. */
export interface HealthChange {
  /** Undefined for the first reconciliation. */
  readonly before: Health | undefined;
  readonly after: Health;
}

/** The last reconciliation of a source, for the other replicas of the controller. */
export const lastDocument = {
  name: "last",
  schema: Type.Object({
    event: Type.Object({ time: Type.String(), event: Type.Literal("reconciliation") }),
    since: Type.String(),
    commit: Type.Optional(Type.String()),
    /** The digest of its configuration. */
    source: Type.String(),
  }),
} as const;

declaredValidator(lastDocument.schema);

/** Records what happens to one source. */
export interface SourceRecorder {
  /** Undefined if the source was never reconciled. */
  last(): LastReconciliation | undefined;
  /** Writes an entry unless it equals the one before. Throws the error of the store. */
  record(event: ReconciliationEvent): Promise<HealthChange>;
  act(event: ActionEvent): Promise<void>;
  /** Writes a plan unless it equals the one before. Throws the error of the store. */
  keepPlan(plan: RecordedPlan): Promise<void>;
}

/** Returns the recorder of a source with these documents. */
export async function openRecorder(documents: Documents): Promise<SourceRecorder> {
  const reconciliations = (await readHistory(documents)).filter(isReconciliation);
  let last = lastOf(reconciliations);
  let lastKey = last && keyOf(last.event);
  let planDigest: string | undefined;
  const change = (to: (entries: readonly HistoryEntry[]) => readonly HistoryEntry[]) =>
    documents.change(historyDocument, (entries) => bounded(to(entriesOf(entries))));
  return {
    last: () => last,
    record: async (event) => {
      const [before, after] = [last && healthOf(last.event), healthOf(event)];
      const since = last !== undefined && before === after ? last.since : event.time;
      last = { event, since, commit: event.commit ?? last?.commit };
      const key = keyOf(event);
      const isNews = key !== lastKey;
      // One that cannot be written is news again.
      if (isNews) await change((entries) => withReconciliation(entries, event));
      lastKey = key;
      return { before, after };
    },
    act: (event) => change((entries) => [event, ...entries]),
    keepPlan: async (plan) => {
      const { changes = null, diagnostics = null } = plan.report;
      const content = [plan.commit ?? null, changes, diagnostics];
      const next = digest(JSON.parse(JSON.stringify(content)) as JsonValue);
      if (next === planDigest) return;
      await documents.write(planDocument, withinBytes(plan));
      planDigest = next;
    },
  };
}

/** Returns the history of a source, the newest entry first. */
export async function readHistory(documents: Documents): Promise<readonly HistoryEntry[]> {
  return entriesOf(await documents.read(historyDocument));
}

function entriesOf(entries: Static<typeof historySchema> = []): readonly HistoryEntry[] {
  return entries as unknown as readonly HistoryEntry[];
}

/** Returns the plan that the last reconciliation with one had. */
export async function readRecordedPlan(documents: Documents): Promise<RecordedPlan | undefined> {
  return (await documents.read(planDocument)) as RecordedPlan | undefined;
}

/** Returns the last reconciliation of a history, the newest first, and since when the source has its health. */
export function lastOf(
  reconciliations: readonly ReconciliationEvent[],
): LastReconciliation | undefined {
  const [event] = reconciliations;
  if (event === undefined) return undefined;
  const health = healthOf(event);
  const end = reconciliations.findIndex((entry) => healthOf(entry) !== health);
  const same = end === -1 ? reconciliations : reconciliations.slice(0, end);
  const commit = reconciliations.find((entry) => entry.commit !== undefined)?.commit;
  return { event, since: same.at(-1)?.time ?? event.time, commit };
}

export function isReconciliation(entry: HistoryEntry): entry is ReconciliationEvent {
  return entry.event === "reconciliation";
}

/** Every health. */
export const healths = [
  "ok",
  "changes",
  "waiting",
  "failing",
  "suspended",
  "unknown",
] as const satisfies readonly Health[];

/** Returns the health of a source after a reconciliation. */
export function healthOf({ result }: Pick<ReconciliationEvent, "result">): Health {
  switch (result) {
    case "unchanged":
    case "applied":
      return "ok";
    case "changes":
      return "changes";
    case "held":
    case "waiting":
    case "closed":
      return "waiting";
    case "suspended":
      return "suspended";
    case "failed":
    case "partial":
    case "unhealthy":
    case "invalid":
      return "failing";
    default:
      return "unknown";
  }
}

/** Returns what two entries of a history have in common when nothing new happened. */
function keyOf(event: ReconciliationEvent): string {
  const { time, seconds: _seconds, next: _next, failures: _failures, ...rest } = event;
  // What was written is news, also if the same was written before.
  return event.changes?.some(({ result }) => result !== undefined) === true
    ? JSON.stringify([time, rest])
    : JSON.stringify(rest);
}

/**
 * Adds a reconciliation, unless it only ends a wait for other sources: the wait goes, whatever comes after it. Of several in a row
 * that differ in their commit only, the first and the last stay.
 */
function withReconciliation(
  entries: readonly HistoryEntry[],
  event: ReconciliationEvent,
): readonly HistoryEntry[] {
  const kept = entries.filter((entry) => !isReconciliation(entry) || entry.result !== "waiting");
  const before = kept.find(isReconciliation);
  if (before !== undefined && keyOf(before) === keyOf(event)) return kept;
  const differsInCommit = (entry: HistoryEntry | undefined): boolean =>
    entry !== undefined &&
    isReconciliation(entry) &&
    keyOf({ ...entry, commit: "" }) === keyOf({ ...event, commit: "" });
  const isRepeated = differsInCommit(kept[0]) && differsInCommit(kept[1]);
  return [event, ...(isRepeated ? kept.slice(1) : kept)];
}

function bounded(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let room: number = limits.controllerHistoryBytes;
  const kept = entries.slice(0, limits.controllerHistory);
  const end = kept.findIndex((entry) => (room -= JSON.stringify(entry).length) < 0);
  return end === -1 ? kept : kept.slice(0, Math.max(end, 1));
}

/** Returns a plan whose report has as many changes as there is room for. */
function withinBytes(plan: RecordedPlan): RecordedPlan {
  const { changes, diagnostics } = plan.report;
  if (JSON.stringify(plan).length <= limits.controllerPlanBytes) return plan;
  const first = (items: JsonValue | undefined, room: number): JsonValue[] => {
    const all = Array.isArray(items) ? (items as JsonValue[]) : [];
    let left = room;
    const end = all.findIndex((item) => (left -= JSON.stringify(item).length) < 0);
    return end === -1 ? all : all.slice(0, end);
  };
  const half = limits.controllerPlanBytes / 2;
  const [shown, told] = [first(changes, half), first(diagnostics, half)];
  const total = Array.isArray(changes) ? changes.length : 0;
  const report: JsonObject = { ...plan.report, changes: shown, diagnostics: told };
  return { ...plan, report, moreChanges: total - shown.length };
}
