// Explains one object: its document, its inventory entry, its live state, its planned change, and the
// reasons that the change is blocked.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Fingerprint, readablePart, splitSecrets } from "../../core/spec/record.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { LifecycleRules } from "../../core/kind/lifecycle-rules.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { unreadableFields } from "../engine/unreadable-fields.ts";
import { deleteLimitWarnings } from "../engine/delete-limit.ts";
import { observedObjectOf } from "../engine/observe.ts";
import { firstError } from "./refusal.ts";
import type { Change, Entry, Inventory, LiveState, Plan, DesiredObject } from "../model/index.ts";
import { deletions } from "../model/plan-filters.ts";
import type { Session } from "./session.ts";
import { closureText, planWindowStatus, waitText } from "../policy/window-check.ts";

/** One field in its three states. Secrets are omitted; a missing value is undefined. */
export interface FieldComparison {
  /** Name of the field in the spec. */
  readonly field: string;
  readonly declared: JsonValue | undefined;
  readonly lastApplied: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  /** The API does not always return it completely; it is in sync if its fingerprint is unchanged. */
  readonly hidden: boolean;
  /** The API does not return it for this object, so that a change on the server is not seen. */
  readonly unverified: boolean;
  /** True if the declared, last applied and live values agree, as far as they exist. */
  readonly inSync: boolean;
}

/** One reason why the change of the object is blocked. */
export interface Obstacle {
  /** `window`, `delete-limit`, `dependency`, `plan` for errors elsewhere, otherwise the code of the diagnostic. */
  readonly code: string;
  readonly reason: string;
  readonly remedy: string | undefined;
}

/** One object of a stack. */
export interface ObjectExplanation {
  readonly address: string;
  readonly stack: string;
  readonly origin: string;
  /** Undefined if no document declares it. */
  readonly declared:
    | { readonly place: Place; readonly key: string; readonly rules: LifecycleRules | undefined }
    | undefined;
  /** Undefined if the stack does not own it. */
  readonly owned:
    | Pick<Entry, "id" | "key" | "appliedAt" | "pending" | "lifecycle" | "secretTo" | "metadata">
    | undefined;
  /** Undefined if the object does not exist on the server. */
  readonly live: { readonly id: string | undefined } | undefined;
  readonly fields: readonly FieldComparison[];
  /** The planned change; undefined if there is nothing to do. */
  readonly change: Change | undefined;
  /** Reasons why the change is blocked; empty if it is not, or if there is none. */
  readonly obstacles: readonly Obstacle[];
  /** When the blocking windows open. */
  readonly opensAt: Date | undefined;
  /** All other diagnostics about the object, such as ignore rules. */
  readonly notes: readonly Diagnostic[];
}

/** A plan with its inputs, from which an object is explained. */
export interface WhyContext {
  readonly session: Session;
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: LiveState;
  readonly now: Date;
}

/** Explains the object at an address that a document or the inventory contains. */
export function explainObject(address: string, context: WhyContext): ObjectExplanation {
  const { session, plan, inventory, live } = context;
  const desiredObject = session.desired.objects.find((object) => object.address === address);
  const entry = Object.hasOwn(inventory.entries, address) ? inventory.entries[address] : undefined;
  const change = plan.changes.find((item) => item.address === address);
  const kind = session.kinds.find(({ name }) => name === (desiredObject?.kind.name ?? entry?.kind));
  const observed = kind && observedObjectFor(kind, { desired: desiredObject, entry, change, live });
  const { of } = fingerprintsWith(inventory.salt, session.fingerprintKey);
  const changes = change === undefined ? [] : [change];
  const { opens: opensAt } = planWindowStatus({ changes }, session, context.now);
  const obstacles = change === undefined ? [] : obstaclesOf(change, context);
  const reported = new Set(obstacles.map((obstacle) => obstacle.reason));
  return {
    address,
    stack: plan.basis.stack,
    origin: plan.basis.origin,
    declared: desiredObject && {
      place: desiredObject.place,
      key: desiredObject.key,
      rules: desiredObject.rules,
    },
    owned: entry && ownedPart(entry),
    live: observed && { id: observed.id },
    fields:
      kind === undefined
        ? []
        : fieldsOf(kind, { desired: desiredObject, entry, observed, change }, of),
    change,
    obstacles,
    opensAt,
    notes: plan.diagnostics.filter(
      (note) => note.address === address && !reported.has(note.summary),
    ),
  };
}

function ownedPart({
  id,
  key,
  appliedAt,
  pending,
  lifecycle,
  secretTo,
  metadata,
}: Entry): ObjectExplanation["owned"] {
  return {
    id,
    key,
    appliedAt,
    pending,
    ...(lifecycle !== undefined && { lifecycle }),
    ...(secretTo !== undefined && { secretTo }),
    ...(metadata !== undefined && { metadata }),
  };
}

interface ObjectRecords {
  readonly desired: DesiredObject | undefined;
  readonly entry: Entry | undefined;
}

function observedObjectFor(
  kind: Kind,
  {
    desired: desiredObject,
    entry,
    change,
    live,
  }: ObjectRecords & Pick<WhyContext, "live"> & Pick<ObjectExplanation, "change">,
): ObservedObject | undefined {
  if (change !== undefined) return observedObjectOf(kind, change, live);
  const seen = live.get(kind.name);
  const byId = entry?.id === undefined ? undefined : seen?.byId.get(entry.id);
  return byId ?? seen?.byKey.get(desiredObject?.key ?? entry?.key ?? "");
}

/** Secrets are in none of the three: the inventory never contains them, the others are masked. */
function fieldsOf(
  kind: Kind,
  { desired: desiredObject, entry, observed, change }: ObjectRecords & ObservedState,
  of: Fingerprint,
): readonly FieldComparison[] {
  const shown = (spec: JsonObject | undefined) => spec && splitSecrets(kind, spec, of).visible;
  const readable = (spec: JsonObject | undefined) => spec && readablePart(kind, spec);
  const [declared, lastApplied, live] = [
    shown(desiredObject?.spec),
    entry?.lastApplied,
    shown(observed?.spec),
  ];
  const compared = [readable(desiredObject?.spec), lastApplied, readable(observed?.spec)];
  const spec = desiredObject?.spec ?? {};
  const names = new Set([...Object.keys(spec), ...Object.keys(lastApplied ?? {})]);
  const unreadable = new Set(unreadableFields(kind, spec));
  return [...names].map((field) => {
    const views = {
      declared: declared?.[field],
      lastApplied: lastApplied?.[field],
      live: live?.[field],
    };
    const hidden = !equal(spec[field] ?? null, compared[0]?.[field] ?? null);
    const changes = change?.fields.some((item) => item.field === field) === true;
    const inSync = !changes && areInSync(compared, field);
    return { field, ...views, hidden, unverified: unreadable.has(field), inSync };
  });
}

interface ObservedState {
  readonly observed: ObservedObject | undefined;
  readonly change: Change | undefined;
}

/** An undeclared field is not changed; a declared one must match the other states that exist. */
function areInSync(
  [declared, ...others]: readonly (JsonObject | undefined)[],
  field: string,
): boolean {
  const declaredValue = declared?.[field];
  const views = others.flatMap((view) => (view === undefined ? [] : [view[field] ?? null]));
  const all = declaredValue === undefined ? views : [declaredValue, ...views];
  return all.every((value) => equal(value, all[0] ?? null));
}

function obstaclesOf(change: Change, context: WhyContext): readonly Obstacle[] {
  const { plan, session, inventory, now } = context;
  const about = plan.diagnostics.filter((diagnostic) => diagnostic.address === change.address);
  const blocked = change.blockedBy.flatMap((reason): readonly Obstacle[] => {
    if (reason.code !== "dependency") {
      return about
        .filter(({ code, severity }) => code === reason.code && severity === "error")
        .map(({ code, summary, remedy }) => ({ code, reason: summary, remedy }));
    }
    const { code, address } = reason;
    const needed = `it depends on ${address}, which is blocked`;
    return [{ code, reason: needed, remedy: `See \`svc why ${address}\`.` }];
  });
  const windowStatus = planWindowStatus({ changes: [change] }, session, now);
  const windows = windowStatus.closures.map((closure): Obstacle => {
    const ask = closure.owner === undefined ? "" : `, or ask ${closure.owner}`;
    const remedy = `${waitText(windowStatus.opens)}${ask}.`;
    return { code: "window", reason: closureText(closure), remedy };
  });
  const owned = Object.keys(inventory.entries).length;
  const { policy } = session.desired.stack;
  const [excess] = deleteLimitWarnings(plan, { policy, owned });
  const counts = deletions({ changes: [change] }).length > 0;
  return [
    ...blocked,
    ...windows,
    ...(excess === undefined || !counts
      ? []
      : [{ code: "delete-limit", reason: excess.summary, remedy: excess.remedy }]),
    ...otherErrors(plan, change.address),
  ];
}

/** A plan with an error is not applied at all. */
function otherErrors({ diagnostics }: Plan, address: string): readonly Obstacle[] {
  const error = firstError(diagnostics.filter((diagnostic) => diagnostic.address !== address));
  if (error === undefined) return [];
  const reason = `nothing is applied while the plan has errors: ${error.summary}`;
  return [{ code: "plan", reason, remedy: error.remedy }];
}
