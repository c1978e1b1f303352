// Everything about one object: what its document says, what is recorded, what is live, what would happen, and what keeps it.
import { type Diagnostic, hasErrors, type Place } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Fingerprint, readablePart, maskSecrets } from "../../core/record.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import type { LifecycleRules } from "../../core/lifecycle-rules.ts";
import { fingerprintsWith } from "../../core/fingerprints.ts";
import { closestMatch } from "../../core/naming.ts";
import { deleteLimitOf, deleteLimitExceeded } from "../engine/delete-limit.ts";
import { observedObjectOf } from "../engine/observe.ts";
import type { Change, Entry, Inventory, LiveState, Plan, DesiredObject } from "../model/index.ts";
import { deletions } from "../model/plan-filters.ts";
import { planWithPreflight } from "./preflight.ts";
import {
  type ObjectLocations,
  type Session,
  type VerbResult,
  type VerbOptions,
  withSession,
} from "./session.ts";
import { closureText, planWindowStatus, waitText } from "../policy/window-check.ts";

/** One field as the three tell it; secrets are left out, and a value that is not there is undefined. */
export interface FieldComparison {
  /** Name of the field in the spec. */
  readonly field: string;
  readonly declared: JsonValue | undefined;
  readonly lastApplied: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  /** The API does not show it, or not all of it: it counts as alike where its fingerprint is as it was. */
  readonly hidden: boolean;
  /** The declared value is the one that was applied last and that is live; a part that is not there at all does not count. */
  readonly inSync: boolean;
}

/** One thing that keeps the object's change from being carried out now. */
export interface Obstacle {
  /** `window`, `budget`, `needs` for a change that this one needs, `plan` for errors elsewhere, else the diagnostic's code. */
  readonly by: string;
  readonly why: string;
  readonly remedy: string | undefined;
}

/** One object of a stack, whole. */
export interface ObjectExplanation {
  readonly address: string;
  readonly stack: string;
  readonly origin: string;
  /** Undefined where no document declares it. */
  readonly declared:
    | { readonly place: Place; readonly key: string; readonly rules: LifecycleRules | undefined }
    | undefined;
  /** Undefined where the stack does not own it. */
  readonly owned:
    | Pick<Entry, "id" | "key" | "appliedAt" | "pending" | "guards" | "sink" | "knownAs">
    | undefined;
  /** Undefined where there is no such object on the server. */
  readonly live: { readonly id: string | undefined } | undefined;
  readonly fields: readonly FieldComparison[];
  /** What the plan would do about it; undefined where all is as wished. */
  readonly change: Change | undefined;
  /** What keeps the change from being carried out; empty where nothing does, or there is none. */
  readonly obstacles: readonly Obstacle[];
  /** When windows that keep it now will be open. */
  readonly opens: Date | undefined;
  /** Everything else that the plan says about it, rules that leave something alone among it. */
  readonly notes: readonly Diagnostic[];
}

/** Which object. */
export interface WhyOptions extends VerbOptions {
  /** `Kind/name`. */
  readonly address: string;
}

/**
 * Plans, and tells everything about one object. Writes nothing. Fails with `not_found` where neither a document nor the
 * inventory has the address.
 */
export async function why(
  options: WhyOptions,
): Promise<VerbResult<{ explanation: ObjectExplanation; plan: Plan } & ObjectLocations>> {
  return withSession<{ explanation: ObjectExplanation; plan: Plan }>(
    options,
    async (session, diagnostics) => {
      assertAddressKnown(options.address, session, await session.store.read());
      const planned = await planWithPreflight(session, { ...options, diagnostics });
      if (!planned.ok) return planned;
      const now = (options.now ?? (() => new Date()))();
      const explanation = explain(options.address, { ...planned, session, now });
      return { ok: true, explanation, plan: planned.plan, diagnostics };
    },
  );
}

function assertAddressKnown(address: string, { desired }: Session, { entries }: Inventory): void {
  const known = [...desired.objects.map((wish) => wish.address), ...Object.keys(entries)];
  if (known.includes(address)) return;
  const meant = closestMatch(address, known);
  throw new Failure(
    "not_found",
    `stack ${desired.stack.name} neither declares nor owns ${address}`,
    {
      remedy:
        meant === undefined
          ? "an address is Kind/name, as plans show it"
          : `did you mean ${meant}?`,
    },
  );
}

interface WhyContext {
  readonly session: Session;
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: LiveState;
  readonly now: Date;
}

function explain(address: string, known: WhyContext): ObjectExplanation {
  const { session, plan, inventory, live } = known;
  const wish = session.desired.objects.find((one) => one.address === address);
  const entry = Object.hasOwn(inventory.entries, address) ? inventory.entries[address] : undefined;
  const change = plan.changes.find((one) => one.address === address);
  const kind = session.kinds.find(({ name }) => name === (wish?.kind.name ?? entry?.kind));
  const sight = kind && observedObjectFor(kind, { desired: wish, entry, change, live });
  const { of } = fingerprintsWith(inventory.salt, session.fingerprintKey);
  const changes = change === undefined ? [] : [change];
  const { opens } = planWindowStatus({ changes }, session, known.now);
  const obstacles = change === undefined ? [] : obstaclesOf(change, known);
  const told = new Set(obstacles.map((one) => one.why));
  return {
    address,
    stack: plan.basis.stack,
    origin: plan.basis.origin,
    declared: wish && { place: wish.place, key: wish.key, rules: wish.rules },
    owned: entry && ownedPart(entry),
    live: sight && { id: sight.id },
    fields:
      kind === undefined
        ? []
        : fieldsOf(kind, { desired: wish, entry, observed: sight, change }, of),
    change,
    obstacles,
    opens,
    notes: plan.diagnostics.filter((one) => one.address === address && !told.has(one.summary)),
  };
}

function ownedPart({
  id,
  key,
  appliedAt,
  pending,
  guards,
  sink,
  knownAs,
}: Entry): ObjectExplanation["owned"] {
  return {
    id,
    key,
    appliedAt,
    pending,
    ...(guards !== undefined && { guards }),
    ...(sink !== undefined && { sink }),
    ...(knownAs !== undefined && { knownAs }),
  };
}

interface ObjectRecords {
  readonly desired: DesiredObject | undefined;
  readonly entry: Entry | undefined;
}

function observedObjectFor(
  kind: Kind,
  {
    desired: wish,
    entry,
    change,
    live,
  }: ObjectRecords & Pick<WhyContext, "live"> & Pick<ObjectExplanation, "change">,
): ObservedObject | undefined {
  if (change !== undefined) return observedObjectOf(kind, change, live);
  const seen = live.get(kind.name);
  const byId = entry?.id === undefined ? undefined : seen?.byId.get(entry.id);
  return byId ?? seen?.byKey.get(wish?.key ?? entry?.key ?? "");
}

/** What is secret is in none of the three: the inventory never had it, and the others are veiled. */
function fieldsOf(
  kind: Kind,
  { desired: wish, entry, observed: sight, change }: ObjectRecords & ObservedState,
  of: Fingerprint,
): readonly FieldComparison[] {
  const shown = (spec: JsonObject | undefined) => spec && maskSecrets(kind, spec, of).visible;
  const readable = (spec: JsonObject | undefined) => spec && readablePart(kind, spec);
  const [declared, lastApplied, live] = [shown(wish?.spec), entry?.lastApplied, shown(sight?.spec)];
  const compared = [readable(wish?.spec), lastApplied, readable(sight?.spec)];
  const names = new Set([...Object.keys(declared ?? {}), ...Object.keys(lastApplied ?? {})]);
  return [...names].map((field) => {
    const views = {
      declared: declared?.[field],
      lastApplied: lastApplied?.[field],
      live: live?.[field],
    };
    const hidden = !equal(views.declared ?? null, compared[0]?.[field] ?? null);
    const changes = change?.fields.some((one) => one.field === field) === true;
    return { field, ...views, hidden, inSync: !changes && areInSync(compared, field) };
  });
}

interface ObservedState {
  readonly observed: ObservedObject | undefined;
  readonly change: Change | undefined;
}

/** A field that is not declared is left alone; one that is has to be in each of the others that there are. */
function areInSync(
  [declared, ...others]: readonly (JsonObject | undefined)[],
  field: string,
): boolean {
  const wished = declared?.[field];
  const views = others.flatMap((one) => (one === undefined ? [] : [one[field] ?? null]));
  const all = wished === undefined ? views : [wished, ...views];
  return all.every((value) => equal(value, all[0] ?? null));
}

function obstaclesOf(change: Change, known: WhyContext): readonly Obstacle[] {
  const { plan, session, inventory, now } = known;
  const own = plan.diagnostics.filter((one) => one.address === change.address);
  const blocked = change.blockedBy.map((reason): Obstacle => {
    const found = own.find(({ summary }) => summary === reason);
    if (found !== undefined) return { by: found.code, why: reason, remedy: found.remedy };
    const needed = `it needs ${reason}, which cannot be carried out`;
    return { by: "needs", why: needed, remedy: `see \`svc why ${reason}\`` };
  });
  const opening = planWindowStatus({ changes: [change] }, session, now);
  const windows = opening.closures.map((closure): Obstacle => {
    const ask = closure.owner === undefined ? "" : `, or ask ${closure.owner}`;
    const remedy = `${waitText(opening.opens)}${ask}`;
    return { by: "window", why: closureText(closure), remedy };
  });
  const owned = Object.keys(inventory.entries).length;
  const budget = deleteLimitOf(session.desired.stack.policy, owned);
  const excess = deleteLimitExceeded(plan, { budget, allowed: 0 });
  const counts = deletions({ changes: [change] }).length > 0;
  return [
    ...blocked,
    ...windows,
    ...(excess === undefined || !counts
      ? []
      : [{ by: "budget", why: excess.message, remedy: excess.remedy }]),
    ...otherErrors(plan, change.address),
  ];
}

/** A plan with an error is applied in no part. */
function otherErrors({ diagnostics }: Plan, address: string): readonly Obstacle[] {
  const errors = diagnostics.filter((one) => one.address !== address && hasErrors([one]));
  const [first] = errors;
  if (first === undefined) return [];
  const more = errors.length > 1 ? `, and ${errors.length - 1} more errors` : "";
  const reason = `nothing of the plan is applied while it has errors: ${first.summary}${more}`;
  return [{ by: "plan", why: reason, remedy: first.remedy }];
}
