// One wish against its live object: the change it needs, or what stands in its way.
import type { Capability } from "../../core/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import {
  compare,
  direction,
  type Direction,
  type FieldChange,
  secretMasks,
} from "../../core/diff.ts";
import { fieldsOf, holdsSecret, isMasked } from "../../core/fields.ts";
import { keyOf, scopeOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { type Guards, guardsAfter, isObservedOnly, manages } from "../../core/lifecycle-rules.ts";
import type { Kind, Sight } from "../../core/kind.ts";
import { joinPointer, memberAt } from "../../core/pointer.ts";
import { decide } from "../../core/ownership.ts";
import { veil } from "../../core/record.ts";
import { member } from "../../core/schema.ts";
import type { Traits } from "../../core/traits.ts";
import { preconditionOf } from "./digest.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { asRecorded, notesOnRules, settled } from "./leave-alone.ts";
import { isOtherwise, knownBy } from "../windows/known-as.ts";
import { type Match, parentNames } from "./match.ts";
import { isLost, type MintedContext, sinkAfter, sinkNotes, sinkObstacles } from "./minted.ts";
import type { Action, Change, LiveKind, PlannedField, Wish } from "../model.ts";
import { recordedAs, recordedInPart } from "../inventory/record.ts";
import { ambiguous, foreign, owned, taken, uncleared, unmanaged } from "./refusals.ts";
import type { Loss } from "./remade.ts";
import { obstacles } from "./servable.ts";
import type { SinkState } from "../sinks.ts";

/** What planning one wish needs to know. */
export interface WishContext {
  readonly match: Match;
  /** The address of our own object that has to give up the wished key first. */
  readonly waitsFor: string | undefined;
  /** Another object has the wished key and will not have given it up in time. */
  readonly taken: boolean;
  /** What goes before this wish is carried out. */
  readonly loss: Loss;
  readonly live: LiveKind | undefined;
  readonly capability: Capability;
  /** Name of the other stack that owns the live object, if one does. */
  readonly otherStack: string | undefined;
  /** The stack owns nothing yet. */
  readonly isNew: boolean;
  readonly adopt: boolean;
  readonly fingerprints: Fingerprints;
  readonly layer: number;
  /** Asked for by name: the object is deleted and made anew, although nothing of it needs that. */
  readonly remake: boolean;
  /** The file for its secret, as it was found; undefined for kinds that mint none. */
  readonly sink: SinkState | undefined;
  /** The stack's folder as commands in messages name it. */
  readonly seenAt: string | undefined;
  /** When it is, for rules that expire. */
  readonly now: Date;
}

/** A change, or nothing when all is as wished, and what is to be said. */
export interface Judged {
  readonly change: Change | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decides what happens to the object that `wish` describes, and tells what its document leaves alone. */
export function changeFor(wish: Wish, context: WishContext): Judged {
  const judged = judge(wish, context);
  const notes = notesOnRules(wish, context.match.sight, context.now);
  return notes.length === 0
    ? judged
    : { ...judged, diagnostics: [...judged.diagnostics, ...notes] };
}

function judge(wish: Wish, context: WishContext): Judged {
  const { match, live } = context;
  const ids = isKnownById(match) ? undefined : live?.ambiguous.get(wish.key);
  if (ids !== undefined) return refuse(wish, context, ambiguous(wish, ids));
  if (isObservedOnly(wish.rules) && match.entry === undefined && match.sight !== undefined)
    return { change: undefined, diagnostics: [] };
  if (context.taken) return refuse(wish, context, taken(wish, match.rival?.home));
  const decision = decide({
    wanted: true,
    live: match.sight !== undefined,
    owner: match.entry !== undefined ? "us" : context.otherStack === undefined ? "nobody" : "other",
    adopt: context.adopt,
    prune: false,
    release: false,
  });
  if (decision === "refuse-other-stack")
    return refuse(wish, context, owned(wish, context.otherStack, context));
  if (decision === "refuse-foreign") return refuse(wish, context, foreign(wish, context));
  if (match.sight === undefined) return creation(wish, context);
  return comparison(wish, match.sight, context);
}

/** True for an object that the inventory holds the id of: that others have the same key says nothing against it. */
function isKnownById({ sight, entry }: Match): boolean {
  return entry?.id !== undefined && entry.id === sight?.id;
}

function creation(wish: Wish, context: WishContext): Judged {
  const gone = context.match.entry !== undefined && !context.match.entry.pending;
  const built: Built = { action: "create", direction: gone ? "drifted" : "unshipped" };
  return checked(build(wish, context, built), wish, context);
}

function comparison(declared: Wish, sight: Sight, context: WishContext): Judged {
  const wish = context.loss.object ? declared : settled(declared, sight, context.now);
  const differing = planned(wish, sight, context);
  const lost = manages(wish.rules, "update") ? lostFields(wish, { sight, differing }, context) : [];
  const fields = [...differing, ...lost];
  const cleared = fields.filter(
    (field) => field.reason === "cleared" && context.capability.cannotClear.has(field.field),
  );
  const kept = fields.filter((field) => !cleared.includes(field));
  const action = actionFor(wish, kept, { ...context, recorded: isRecorded(wish, sight, context) });
  const diagnostics = [
    ...cleared.map((field) => uncleared(wish, field)),
    ...sinkNotes(wish, action, mintedContext(context)),
  ];
  if (action === undefined) return { change: undefined, diagnostics };
  const built: Built = { action, direction: overall(kept), fields: kept };
  const judged = checked(build(wish, context, built), wish, context);
  return { ...judged, diagnostics: [...diagnostics, ...judged.diagnostics] };
}

function checked(change: Change, wish: Wish, context: WishContext): Judged {
  const diagnostics = [
    ...obstacles(change, wish, context.capability),
    ...unmanaged(change.action, wish),
    ...sinkObstacles(wish, change.action, mintedContext(context)),
  ];
  return {
    change: { ...change, blockedBy: diagnostics.map(({ summary }) => summary) },
    diagnostics,
  };
}

function actionFor(
  wish: Wish,
  fields: readonly FieldChange[],
  { match, loss, remake, recorded }: WishContext & { recorded: boolean },
): Action | undefined {
  if (loss.object || fields.some((field) => field.replaces)) return "replace";
  if (match.entry === undefined) return "adopt";
  if (remake || isLost(wish, match.entry)) return "replace";
  if (fields.length > 0) return "update";
  return recorded ? undefined : "none";
}

function mintedContext({ match, sink, fingerprints, seenAt }: WishContext): MintedContext {
  return { entry: match.entry, sink, fingerprints, seenAt };
}

function isRecorded(wish: Wish, sight: Sight, context: WishContext): boolean {
  const { match, fingerprints } = context;
  if (match.entry === undefined || match.entryAddress !== wish.address) return false;
  const { kind, only } = wish;
  const spec = asRecorded(wish, match.entry.lastApplied, context.now);
  if (only !== undefined) return recordedInPart(match.entry, spec, { kind, sight, only });
  const sink = sinkAfter(wish, undefined, mintedContext(context));
  if (sink?.file !== match.entry.sink?.file) return false;
  if (!equal(guardsOf(wish, match), match.entry.guards ?? {})) return false;
  if (isOtherwise(knownBy(match.entry), wish)) return false;
  return recordedAs(match.entry, spec, { kind, sight, fingerprints });
}

function planned(wish: Wish, sight: Sight, { match, fingerprints }: WishContext): PlannedField[] {
  const { kind, spec } = wish;
  // What goes along with its parent has the parent's new name by then.
  const live = { ...(sight.spec as JsonObject), ...(match.follows && parentNames(wish)) };
  // What was only begun says nothing of what has been applied.
  const entry = match.entry?.pending === true ? undefined : match.entry;
  const known = {
    fingerprints: fingerprints.comparable(entry?.fingerprints ?? {}),
    fingerprint: fingerprints.of,
  };
  return compare(kind, spec, live, known).map((field) => {
    const moved = direction(kind, field, spec, live, entry?.lastApplied, known);
    const base = moved === "conflict" ? memberAt(entry?.lastApplied, field.path) : undefined;
    return { ...field, direction: moved, ...(base !== undefined && { base }) };
  });
}

/** Fields that are as wished now and will not be, once what they refer to is made anew. */
function lostFields(
  { kind, spec }: Wish,
  { sight, differing }: { readonly sight: Sight; readonly differing: readonly FieldChange[] },
  { loss }: WishContext,
): PlannedField[] {
  const told = new Set(differing.map(({ field }) => field));
  return fieldsOf(kind)
    .filter(({ name }) => loss.fields.has(name) && !told.has(name))
    .map(({ name, schema }) => ({
      path: joinPointer([name]),
      field: name,
      before: holdsSecret(schema) ? undefined : member(sight.spec, name),
      after: holdsSecret(schema) ? secretMasks.after : spec[name],
      reason: "lost",
      replaces: false,
      sensitive: holdsSecret(schema),
      direction: "unshipped",
    }));
}

/** Who moved, over all fields: a conflict anywhere is one, and so is shipping over somebody's edit of another field. */
function overall(fields: readonly PlannedField[]): Direction {
  const seen = new Set(fields.map((field) => field.direction));
  if (seen.has("conflict")) return "conflict";
  return seen.has("drifted") ? "drifted" : "unshipped";
}

interface Built {
  action: Action;
  direction: Direction;
  fields?: readonly PlannedField[];
}

function build(
  wish: Wish,
  context: WishContext,
  { action, direction: moved, fields = [] }: Built,
): Change {
  const { kind, spec, key, scope } = wish;
  const { match, waitsFor } = context;
  const { sight } = match;
  const { shown, secrets } = veil(kind, spec, context.fingerprints.of);
  const sink = sinkAfter(wish, action, mintedContext(context));
  const guards = guardsOf(wish, match);
  return {
    action,
    address: wish.address,
    kind: kind.name,
    name: wish.name,
    key,
    scope,
    id: sight?.id,
    from: origin(kind, key, sight),
    fields,
    direction: moved,
    desired: shown,
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(sink !== undefined && { secretTo: sink }),
    ...(Object.keys(guards).length > 0 && { guards }),
    ...knownIn(wish, match),
    precondition: precondition(wish, context),
    layer: context.layer,
    needs: waitsFor === undefined ? wish.needs : [...wish.needs, waitsFor],
    carriedBy: undefined,
    blockedBy: [],
    notVerifiable: unreadable(kind, spec),
  };
}

/** What was somebody else's until now may have been known as anything. */
function knownIn({ name, labels }: Wish, { entry, sight }: Match): Partial<Change> {
  const knownAs = { name, ...(labels && { labels }) };
  if (entry === undefined && sight === undefined) return { knownAs };
  return { knownAs, wasKnownAs: entry === undefined ? {} : knownBy(entry) };
}

function guardsOf({ rules, only }: Wish, { entry }: Match): Guards {
  return only === undefined ? guardsAfter(entry?.guards, rules) : (entry?.guards ?? {});
}

/** What is to be made where another object of ours gives up its key finds that one there until then. */
function precondition(
  { kind, spec, key }: Wish,
  { match, fingerprints: { of } }: WishContext,
): Change["precondition"] {
  const { sight, entry, rival } = match;
  // One in a parent that is renamed is not called so yet.
  if (sight === undefined && rival !== undefined && keyOf(kind, rival.sight.spec) === key)
    return preconditionOf(kind, rival.sight, { fields: kind.key, of });
  const watched = [...Object.keys(spec), ...Object.keys(entry?.lastApplied ?? {})];
  return preconditionOf(kind, sight, { fields: watched, of });
}

function origin(kind: Kind, key: string, sight: Sight | undefined): Change["from"] {
  if (sight === undefined) return undefined;
  const spec = sight.spec as JsonObject;
  const liveKey = keyOf(kind, spec);
  return liveKey === key ? undefined : { key: liveKey, scope: scopeOf(kind, spec) };
}

/** The given fields that the API never shows, or masks in this object. */
export function unreadable(kind: Kind, spec: JsonObject): string[] {
  return fieldsOf(kind)
    .filter(({ name, traits }) => spec[name] !== undefined && isHidden(traits, spec))
    .map(({ name }) => name);
}

function isHidden(traits: Traits, spec: JsonObject): boolean {
  return traits.writeOnly === true || isMasked(traits, spec);
}

function refuse(wish: Wish, context: WishContext, diagnostic: Diagnostic): Judged {
  const change = build(wish, context, { action: "refuse", direction: "unshipped" });
  return { change: { ...change, blockedBy: [diagnostic.summary] }, diagnostics: [diagnostic] };
}
