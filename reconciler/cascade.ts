// What goes along with an object that is deleted or replaced: live objects inside it that the plan says nothing of.
import type { Offer } from "../client/offer.ts";
import type { Diagnostic } from "../core/diagnostics.ts";
import { fieldsOf } from "../core/fields.ts";
import { address } from "../core/identity.ts";
import type { Kind, Reader, ScopeKey } from "../core/kind.ts";
import { observe } from "../lifecycle/observe.ts";
import { bondsOf, canTakeAlong } from "./goes-with.ts";
import type { Change, Plan } from "./model.ts";
import { counted } from "./report/visible.ts";

/** One object that a change takes along. */
interface Taken {
  readonly kind: string;
  readonly key: string;
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
}

/**
 * The plan with what its deletes and replaces take along: counted on the change, warned of, and refused where another stack
 * owns any of it. Reads the collections inside only where something with an inside goes; what a server cannot list stays unseen.
 */
export async function withCascades(plan: Plan, context: CascadeContext): Promise<Plan> {
  const sweeping = plan.changes.filter((change) => sweeps(change, context.kinds));
  if (sweeping.length === 0) return plan;
  const told = new Set(
    plan.changes
      .filter(({ action }) => action === "delete" || action === "replace")
      .map((change) => address(change.kind, liveKey(change))),
  );
  const found = new Map<string, readonly Taken[]>();
  for (const change of sweeping) {
    const inside = await insideOf(change, context);
    const taken = inside.filter(({ kind, key }) => !told.has(address(kind, key)));
    if (taken.length > 0) found.set(change.address, taken);
  }
  const changes = plan.changes.map((change) => marked(change, found.get(change.address) ?? []));
  const notes = sweeping.flatMap((change) => noteOn(change, found.get(change.address) ?? []));
  return { ...plan, changes, diagnostics: [...plan.diagnostics, ...notes] };
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

function sweeps({ action, kind, carriedBy }: Change, kinds: readonly Kind[]): boolean {
  const goes = (action === "delete" || action === "replace") && carriedBy === undefined;
  return goes && canTakeAlong(kind, kinds);
}

function liveKey({ from, key }: Change): string {
  return from?.key ?? key;
}

/** The objects in the collections inside, and of those beside it the ones that name it as their holder. */
async function insideOf(change: Change, context: CascadeContext): Promise<Taken[]> {
  const { kinds, offer, reader, signal, owner } = context;
  const places = kinds
    .filter((kind) => kind.life.observe.needs.every((operation) => offer.has(operation)))
    .flatMap((kind) => placesIn(kind, change));
  const seen = await Promise.all(
    places.map(async ({ kind, scope, bond }) => {
      const interest = new Set(bond === undefined ? [] : [bond]);
      const options = { reader, signal, interest, wanted: () => bond !== undefined };
      const { byKey, ambiguous } = await observe(kind, [scope], options);
      const keys =
        bond === undefined
          ? [...byKey.keys(), ...ambiguous.keys()]
          : [...byKey].filter(([, { spec }]) => spec[bond] === liveKey(change)).map(([key]) => key);
      return keys.map((key) => ({ kind: kind.name, key }));
    }),
  );
  return Promise.all(
    seen.flat().map(async ({ kind, key }) => ({ kind, key, owner: await owner(kind, key) })),
  );
}

/** A collection that holds what goes along: all of it, or what names the holder in the field `bond`. */
interface Place {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly bond?: string;
}

function placesIn(kind: Kind, change: Change): Place[] {
  const [name, ...more] = kind.scope;
  const bonds = bondsOf(kind).filter(({ holder }) => holder === change.kind);
  if (name === undefined) return bonds.map(({ field }) => ({ kind, scope: {}, bond: field }));
  const field = fieldsOf(kind).find((one) => one.name === name);
  if (more.length > 0 || field?.traits.refersTo !== change.kind) return [];
  return [{ kind, scope: { [name]: liveKey(change) } }];
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
