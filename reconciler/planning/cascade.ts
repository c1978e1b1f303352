// What goes along with an object that is deleted or replaced: live objects inside it that the plan says nothing of.
import type { Offer } from "../../client/offer.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { fieldsOf } from "../../core/fields.ts";
import { address, nameText, parseKey } from "../../core/identity.ts";
import type { Kind, Reader, ScopeKey } from "../../core/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { bondsOf, canTakeAlong, holdersOf } from "./goes-with.ts";
import type { Change, Entry, Inventory, Plan, TakenAs } from "../model.ts";
import { holding } from "./protection.ts";
import { counted } from "../report/visible.ts";
import { knownBy } from "../windows/known-as.ts";

/** One object that a change takes along. */
interface Taken {
  readonly kind: string;
  readonly key: string;
  readonly id: string | undefined;
  /** The other stack that owns it, if one does. */
  readonly owner: string | undefined;
}

/** What looking inside needs. */
export interface CascadeContext {
  readonly kinds: readonly Kind[];
  readonly offer: Offer;
  readonly reader: Reader;
  readonly signal: AbortSignal | undefined;
  /** Which other stack owns an object, by kind name and natural key. */
  readonly owner: (kind: string, key: string) => Promise<string | undefined>;
  /** What the stack owns and the plan is about, by address. */
  readonly owned: Inventory["entries"];
  /** What the stack owns and the plan says nothing of, by address: what of it is protected does not go along. */
  readonly beyond: Inventory["entries"];
}

/**
 * The plan with what its deletes and replaces take along: counted on the change, warned of, and refused where another stack
 * owns any of it. Reads the collections inside only where something with an inside goes; what a server cannot list stays unseen.
 */
export async function withCascades(plan: Plan, context: CascadeContext): Promise<Plan> {
  const going = plan.changes.filter(({ action }) => action === "delete" || action === "replace");
  const sweeping = going.filter((change) => sweeps(change, context.kinds));
  if (sweeping.length === 0) return plan;
  const told = new Set(going.map((change) => address(change.kind, liveKey(change))));
  const found = new Map<string, readonly Taken[]>();
  for (const change of sweeping) {
    const inside = await insideOf(change, context);
    const taken = inside.filter(({ kind, key }) => !told.has(address(kind, key)));
    if (taken.length > 0) found.set(change.address, taken);
  }
  const records = recordsOf(context);
  const guarded = new Map<string, readonly Diagnostic[]>();
  const known = new Map<string, readonly TakenAs[]>();
  for (const change of going) {
    const taken = found.get(change.address) ?? [];
    const inside = records.goingWith(change, taken);
    guarded.set(change.address, guardedWith(change, inside));
    known.set(change.address, takenAs(taken, inside, records));
  }
  const changes = plan.changes.map((change) => {
    const kept = marked(change, found.get(change.address) ?? []);
    const why = (guarded.get(change.address) ?? []).map(({ summary }) => summary);
    const as = known.get(change.address) ?? [];
    return {
      ...kept,
      ...(as.length > 0 && { takenAs: as }),
      blockedBy: [...kept.blockedBy, ...why],
    };
  });
  const notes = sweeping.flatMap((change) => noteOn(change, found.get(change.address) ?? []));
  const refusals = [...guarded.values()].flat();
  return { ...plan, changes, diagnostics: [...plan.diagnostics, ...notes, ...refusals] };
}

/** What the stack owns, looked up by what goes. */
interface Records {
  readonly of: (one: Taken) => Entry | undefined;
  /** Of what the plan says nothing of: what goes with a change, as it is live or as it was recorded. */
  readonly goingWith: (change: Change, taken: readonly Taken[]) => Map<string, Entry>;
}

function recordsOf({ owned, beyond, kinds }: CascadeContext): Records {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const byHolder = new Map<string, string[]>();
  for (const [at, entry] of Object.entries(beyond)) {
    const kind = byName.get(entry.kind);
    const holders = kind && holdersOf(kind, { ...entry.lastApplied, ...entry.scope }, byName);
    for (const holder of holders ?? []) byHolder.set(holder, [...(byHolder.get(holder) ?? []), at]);
  }
  const all = Object.entries({ ...owned, ...beyond });
  const byKey = new Map(all.map(([at, { kind, key }]) => [address(kind, key), at]));
  const byId = new Map(
    all.flatMap(([at, { kind, id }]) => (id === undefined ? [] : [[address(kind, id), at]])),
  );
  const entries = new Map(all);
  const at = ({ kind, key, id }: Taken): string | undefined =>
    byKey.get(address(kind, key)) ?? (id === undefined ? undefined : byId.get(address(kind, id)));
  return {
    of: (one) => entries.get(at(one) ?? ""),
    goingWith: (change, taken) => {
      const held = byHolder.get(address(change.kind, liveKey(change))) ?? [];
      const going = [...taken.flatMap((one) => at(one) ?? []), ...held];
      const records = going.map((one) => [one, beyond[one]] as const);
      return new Map(records.flatMap(([one, entry]) => (entry ? [[one, entry]] : [])));
    },
  };
}

/** What keeps a change from being made: protected objects that it takes along. */
function guardedWith(change: Change, inside: ReadonlyMap<string, Entry>): Diagnostic[] {
  return [...inside]
    .filter(([, entry]) => entry.guards?.protect === true)
    .map(([one]) => holding(change, one, "is protected"));
}

/** What goes along as rules know it, each once: what the stack owns as it was written last, of anything else its kind alone. */
function takenAs(
  taken: readonly Taken[],
  inside: ReadonlyMap<string, Entry>,
  records: Records,
): readonly TakenAs[] {
  const as = (kind: string, entry: Entry | undefined): TakenAs => {
    return { kind, ...(entry && knownBy(entry)) };
  };
  const known = [
    ...taken.map((one) => as(one.kind, records.of(one))),
    ...[...inside.values()].map((entry) => as(entry.kind, entry)),
  ];
  return [...new Map(known.map((one) => [JSON.stringify(one), one])).values()];
}

/** How many objects the changes take along. */
export function takenAlong(changes: readonly Change[]): number {
  const counts = changes.flatMap(({ takesAlong = {} }) => Object.values(takesAlong));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** `2 EmbedGroup, 1 EmbedUser`; empty where a change takes nothing along. */
export function alongText({ takesAlong = {} }: Change): string {
  return Object.entries(takesAlong)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

function sweeps({ kind, carriedBy }: Change, kinds: readonly Kind[]): boolean {
  return carriedBy === undefined && canTakeAlong(kind, kinds);
}

function liveKey({ from, key }: Change): string {
  return from?.key ?? key;
}

/** The objects in the collections inside, and of those beside it the ones that name it as their holder. */
async function insideOf(change: Change, context: CascadeContext): Promise<Taken[]> {
  const { kinds, offer, reader, signal, owner } = context;
  const name = liveName(change, kinds);
  const places = kinds
    .filter((kind) => kind.life.observe.needs.every((operation) => offer.has(operation)))
    .flatMap((kind) => placesIn(kind, change.kind, name));
  const seen = await Promise.all(
    places.map(async ({ kind, scope, bond }) => {
      const interest = new Set(bond === undefined ? [] : [bond]);
      const options = { reader, signal, interest, wanted: () => bond !== undefined };
      const { byKey, ambiguous } = await observe(kind, [scope], options);
      const all = [...byKey].map(([key, { id, spec }]) => ({ kind: kind.name, key, id, spec }));
      if (bond !== undefined) return all.filter(({ spec }) => spec[bond] === name);
      const alike = [...ambiguous.keys()];
      return [...all, ...alike.map((key) => ({ kind: kind.name, key, id: undefined }))];
    }),
  );
  return Promise.all(
    seen
      .flat()
      .map(async ({ kind, key, id }) => ({ kind, key, id, owner: await owner(kind, key) })),
  );
}

/** A collection that holds what goes along: all of it, or what names the holder in the field `bond`. */
interface Place {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly bond?: string;
}

function placesIn(kind: Kind, holder: string, name: string): Place[] {
  const [first, ...more] = kind.scope;
  const bonds = bondsOf(kind).filter((bond) => bond.holder === holder);
  if (first === undefined) return bonds.map(({ field }) => ({ kind, scope: {}, bond: field }));
  const field = fieldsOf(kind).find((one) => one.name === first);
  if (more.length > 0 || field?.traits.refersTo !== holder) return [];
  return [{ kind, scope: { [first]: name } }];
}

/** What others call the object that a change is about, as long as it has its live name. */
function liveName(change: Change, kinds: readonly Kind[]): string {
  const kind = kinds.find(({ name }) => name === change.kind);
  const key = kind && parseKey(kind, liveKey(change));
  return kind === undefined || key === undefined ? liveKey(change) : nameText(kind, key);
}

function marked(change: Change, taken: readonly Taken[]): Change {
  if (taken.length === 0) return change;
  const byKind = Map.groupBy(taken, ({ kind }) => kind);
  const takesAlong = Object.fromEntries([...byKind].map(([kind, list]) => [kind, list.length]));
  const blockedBy = [...change.blockedBy, ...foreign(change, taken).map(({ summary }) => summary)];
  return { ...change, takesAlong, blockedBy };
}

function noteOn(change: Change, taken: readonly Taken[]): Diagnostic[] {
  if (taken.length === 0) return [];
  const what = alongText(marked(change, taken));
  const verb = change.action === "delete" ? "deleting" : "replacing";
  return [
    {
      code: "takes-along",
      severity: "warning",
      address: change.address,
      summary: `${verb} ${change.address} takes ${counted(taken.length, "object")} along that this stack does not make again: ${what}`,
      remedy: "declare what is to come back, or keep the object; each counts against maxDeletes",
    },
    ...foreign(change, taken),
  ];
}

/** One refusal for each other stack, naming an object of it. */
function foreign(change: Change, taken: readonly Taken[]): Diagnostic[] {
  const owned = taken.filter(({ owner }) => owner !== undefined);
  return [...Map.groupBy(owned, ({ owner }) => owner)].map(([owner, list]) => ({
    code: "other-stack",
    severity: "error",
    address: change.address,
    summary: `${change.address} holds ${counted(list.length, "object")} of stack ${owner}, such as ${list[0]?.kind} ${list[0]?.key}`,
    remedy: "remove them from that stack first",
  }));
}
