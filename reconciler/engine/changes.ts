// One wish against its live object: the change it needs, or what stands in its way.
import type { Capability } from "../../core/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import {
  compare,
  driftDirection,
  type DriftDirection,
  type FieldChange,
  secretMasks,
} from "../../core/diff.ts";
import { fieldsOf, containsSecret, isMasked } from "../../core/fields.ts";
import { keyOf, scopeOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { type Guards, guardsAfter, isObservedOnly, manages } from "../../core/lifecycle-rules.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { joinPointer, memberAt } from "../../core/pointer.ts";
import { decideOwnership } from "../../core/ownership.ts";
import { maskSecrets } from "../../core/record.ts";
import { member } from "../../core/schema.ts";
import type { Traits } from "../../core/traits.ts";
import { preconditionOf } from "./digest.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { withIgnoredFieldsAsRecorded, ignoreRuleNotes, withIgnoredFields } from "./ignore-rules.ts";
import { isMetadataChanged, recordedMetadata } from "../model/windows/window-subjects.ts";
import { type Match, parentNames } from "./match.ts";
import {
  isSecretLost,
  type GeneratedSecretContext,
  sinkAfter,
  sinkNotes,
  sinkObstacles,
} from "./generated-secret.ts";
import type { Action, Change, LiveObjects, PlannedField, DesiredObject } from "../model/index.ts";
import { matchesEntry, fieldsMatchEntry } from "../inventory/entry.ts";
import {
  ambiguousError,
  notOwnedError,
  otherStackError,
  keyTakenError,
  cannotClearError,
  notManagedErrors,
} from "./plan-rejections.ts";
import type { ReplacementImpact } from "./replacement-impact.ts";
import { unsupportedErrors } from "./server-support.ts";
import type { SecretSinkState } from "./secret-sinks.ts";

/** What planning one wish needs to know. */
export interface DesiredObjectContext {
  readonly match: Match;
  /** The address of our own object that has to give up the wished key first. */
  readonly waitsFor: string | undefined;
  /** Another object has the wished key and will not have given it up in time. */
  readonly keyTaken: boolean;
  /** What goes before this wish is carried out. */
  readonly impact: ReplacementImpact;
  readonly live: LiveObjects | undefined;
  readonly capability: Capability;
  /** Name of the other stack that owns the live object, if one does. */
  readonly otherStack: string | undefined;
  /** The stack owns nothing yet. */
  readonly isNew: boolean;
  readonly adopt: boolean;
  readonly fingerprints: Fingerprints;
  readonly layer: number;
  /** Asked for by name: the object is deleted and made anew, although nothing of it needs that. */
  readonly forceReplace: boolean;
  /** The file for its secret, as it was found; undefined for kinds that mint none. */
  readonly sink: SecretSinkState | undefined;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath: string | undefined;
  /** When it is, for rules that expire. */
  readonly now: Date;
}

/** A change, or nothing when all is as wished, and what is to be said. */
export interface ChangeDecision {
  readonly change: Change | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decides what happens to the object that `wish` describes, and tells what its document leaves alone. */
export function changeFor(wish: DesiredObject, context: DesiredObjectContext): ChangeDecision {
  const judged = decideChange(wish, context);
  const notes = ignoreRuleNotes(wish, context.match.observed, context.now);
  return notes.length === 0
    ? judged
    : { ...judged, diagnostics: [...judged.diagnostics, ...notes] };
}

function decideChange(wish: DesiredObject, context: DesiredObjectContext): ChangeDecision {
  const { match, live } = context;
  const ids = isKnownById(match) ? undefined : live?.ambiguous.get(wish.key);
  if (ids !== undefined) return refuseChange(wish, context, ambiguousError(wish, ids));
  if (isObservedOnly(wish.rules) && match.entry === undefined && match.observed !== undefined)
    return { change: undefined, diagnostics: [] };
  if (context.keyTaken)
    return refuseChange(wish, context, keyTakenError(wish, match.conflictingObject?.owner));
  const decision = decideOwnership({
    declared: true,
    live: match.observed !== undefined,
    owner: match.entry !== undefined ? "us" : context.otherStack === undefined ? "nobody" : "other",
    adopt: context.adopt,
    prune: false,
    release: false,
  });
  if (decision === "refuse-other-stack")
    return refuseChange(wish, context, otherStackError(wish, context.otherStack, context));
  if (decision === "refuse-foreign")
    return refuseChange(wish, context, notOwnedError(wish, context));
  if (match.observed === undefined) return decideCreate(wish, context);
  return decideUpdate(wish, match.observed, context);
}

/** True for an object that the inventory holds the id of: that others have the same key says nothing against it. */
function isKnownById({ observed: sight, entry }: Match): boolean {
  return entry?.id !== undefined && entry.id === sight?.id;
}

function decideCreate(wish: DesiredObject, context: DesiredObjectContext): ChangeDecision {
  const gone = context.match.entry !== undefined && !context.match.entry.pending;
  const built: ChangeParts = { action: "create", direction: gone ? "drifted" : "unshipped" };
  return withObstacles(buildChange(wish, context, built), wish, context);
}

function decideUpdate(
  declared: DesiredObject,
  sight: ObservedObject,
  context: DesiredObjectContext,
): ChangeDecision {
  const wish = context.impact.object ? declared : withIgnoredFields(declared, sight, context.now);
  const differing = plannedFields(wish, sight, context);
  const lost = manages(wish.rules, "update")
    ? invalidatedFields(wish, { sight, differing }, context)
    : [];
  const fields = [...differing, ...lost];
  const cleared = fields.filter(
    (field) => field.reason === "cleared" && context.capability.cannotClear.has(field.field),
  );
  const kept = fields.filter((field) => !cleared.includes(field));
  const action = actionFor(wish, kept, { ...context, recorded: isRecorded(wish, sight, context) });
  const diagnostics = [
    ...cleared.map((field) => cannotClearError(wish, field)),
    ...sinkNotes(wish, action, generatedSecretContext(context)),
  ];
  if (action === undefined) return { change: undefined, diagnostics };
  const built: ChangeParts = { action, direction: overallDirection(kept), fields: kept };
  const judged = withObstacles(buildChange(wish, context, built), wish, context);
  return { ...judged, diagnostics: [...diagnostics, ...judged.diagnostics] };
}

function withObstacles(
  change: Change,
  wish: DesiredObject,
  context: DesiredObjectContext,
): ChangeDecision {
  const diagnostics = [
    ...unsupportedErrors(change, wish, context.capability),
    ...notManagedErrors(change.action, wish),
    ...sinkObstacles(wish, change.action, generatedSecretContext(context)),
  ];
  return {
    change: { ...change, blockedBy: diagnostics.map(({ summary }) => summary) },
    diagnostics,
  };
}

function actionFor(
  wish: DesiredObject,
  fields: readonly FieldChange[],
  {
    match,
    impact: loss,
    forceReplace: remake,
    recorded,
  }: DesiredObjectContext & { recorded: boolean },
): Action | undefined {
  if (loss.object || fields.some((field) => field.replaces)) return "replace";
  if (match.entry === undefined) return "adopt";
  if (remake || isSecretLost(wish, match.entry)) return "replace";
  if (fields.length > 0) return "update";
  return recorded ? undefined : "none";
}

function generatedSecretContext({
  match,
  sink,
  fingerprints,
  displayPath: seenAt,
}: DesiredObjectContext): GeneratedSecretContext {
  return { entry: match.entry, sink, fingerprints, displayPath: seenAt };
}

function isRecorded(
  wish: DesiredObject,
  sight: ObservedObject,
  context: DesiredObjectContext,
): boolean {
  const { match, fingerprints } = context;
  if (match.entry === undefined || match.entryAddress !== wish.address) return false;
  const { kind, onlyFields: only } = wish;
  const spec = withIgnoredFieldsAsRecorded(wish, match.entry.lastApplied, context.now);
  if (only !== undefined) return fieldsMatchEntry(match.entry, spec, { kind, sight, only });
  const sink = sinkAfter(wish, undefined, generatedSecretContext(context));
  if (sink?.file !== match.entry.sink?.file) return false;
  if (!equal(guardsOf(wish, match), match.entry.guards ?? {})) return false;
  if (isMetadataChanged(recordedMetadata(match.entry), wish)) return false;
  return matchesEntry(match.entry, spec, { kind, sight, fingerprints });
}

function plannedFields(
  wish: DesiredObject,
  sight: ObservedObject,
  { match, fingerprints }: DesiredObjectContext,
): PlannedField[] {
  const { kind, spec } = wish;
  // What goes along with its parent has the parent's new name by then.
  const live = { ...(sight.spec as JsonObject), ...(match.movesWithParent && parentNames(wish)) };
  // What was only begun says nothing of what has been applied.
  const entry = match.entry?.pending === true ? undefined : match.entry;
  const known = {
    fingerprints: fingerprints.comparable(entry?.fingerprints ?? {}),
    fingerprint: fingerprints.of,
  };
  return compare(kind, spec, live, known).map((field) => {
    const moved = driftDirection(kind, field, spec, live, entry?.lastApplied, known);
    const base = moved === "conflict" ? memberAt(entry?.lastApplied, field.path) : undefined;
    return { ...field, direction: moved, ...(base !== undefined && { base }) };
  });
}

/** Fields that are as wished now and will not be, once what they refer to is made anew. */
function invalidatedFields(
  { kind, spec }: DesiredObject,
  {
    sight,
    differing,
  }: { readonly sight: ObservedObject; readonly differing: readonly FieldChange[] },
  { impact: loss }: DesiredObjectContext,
): PlannedField[] {
  const told = new Set(differing.map(({ field }) => field));
  return fieldsOf(kind)
    .filter(({ name }) => loss.fields.has(name) && !told.has(name))
    .map(({ name, schema }) => ({
      path: joinPointer([name]),
      field: name,
      before: containsSecret(schema) ? undefined : member(sight.spec, name),
      after: containsSecret(schema) ? secretMasks.after : spec[name],
      reason: "lost",
      replaces: false,
      sensitive: containsSecret(schema),
      direction: "unshipped",
    }));
}

/** Who moved, over all fields: a conflict anywhere is one, and so is shipping over somebody's edit of another field. */
function overallDirection(fields: readonly PlannedField[]): DriftDirection {
  const seen = new Set(fields.map((field) => field.direction));
  if (seen.has("conflict")) return "conflict";
  return seen.has("drifted") ? "drifted" : "unshipped";
}

interface ChangeParts {
  action: Action;
  direction: DriftDirection;
  fields?: readonly PlannedField[];
}

function buildChange(
  wish: DesiredObject,
  context: DesiredObjectContext,
  { action, direction: moved, fields = [] }: ChangeParts,
): Change {
  const { kind, spec, key, scope } = wish;
  const { match, waitsFor } = context;
  const { observed: sight } = match;
  const { visible: shown, secretFingerprints: secrets } = maskSecrets(
    kind,
    spec,
    context.fingerprints.of,
  );
  const sink = sinkAfter(wish, action, generatedSecretContext(context));
  const guards = guardsOf(wish, match);
  return {
    action,
    address: wish.address,
    kind: kind.name,
    name: wish.name,
    key,
    scope,
    id: sight?.id,
    from: previousIdentity(kind, key, sight),
    fields,
    direction: moved,
    desired: shown,
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(sink !== undefined && { secretTo: sink }),
    ...(Object.keys(guards).length > 0 && { guards }),
    ...metadataFields(wish, match),
    precondition: precondition(wish, context),
    layer: context.layer,
    dependsOn: waitsFor === undefined ? wish.dependsOn : [...wish.dependsOn, waitsFor],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: unreadableFields(kind, spec),
  };
}

/** What was somebody else's until now may have been known as anything. */
function metadataFields(
  { name, labels }: DesiredObject,
  { entry, observed: sight }: Match,
): Partial<Change> {
  const knownAs = { name, ...(labels && { labels }) };
  if (entry === undefined && sight === undefined) return { metadata: knownAs };
  return {
    metadata: knownAs,
    previousMetadata: entry === undefined ? {} : recordedMetadata(entry),
  };
}

function guardsOf({ rules, onlyFields: only }: DesiredObject, { entry }: Match): Guards {
  return only === undefined ? guardsAfter(entry?.guards, rules) : (entry?.guards ?? {});
}

/** What is to be made where another object of ours gives up its key finds that one there until then. */
function precondition(
  { kind, spec, key }: DesiredObject,
  { match, fingerprints: { of } }: DesiredObjectContext,
): Change["precondition"] {
  const { observed: sight, entry, conflictingObject: rival } = match;
  // One in a parent that is renamed is not called so yet.
  if (sight === undefined && rival !== undefined && keyOf(kind, rival.observed.spec) === key)
    return preconditionOf(kind, rival.observed, { fields: kind.key, of });
  const watched = [...Object.keys(spec), ...Object.keys(entry?.lastApplied ?? {})];
  return preconditionOf(kind, sight, { fields: watched, of });
}

function previousIdentity(
  kind: Kind,
  key: string,
  sight: ObservedObject | undefined,
): Change["from"] {
  if (sight === undefined) return undefined;
  const spec = sight.spec as JsonObject;
  const liveKey = keyOf(kind, spec);
  return liveKey === key ? undefined : { key: liveKey, scope: scopeOf(kind, spec) };
}

/** The given fields that the API never shows, or masks in this object. */
export function unreadableFields(kind: Kind, spec: JsonObject): string[] {
  return fieldsOf(kind)
    .filter(({ name, traits }) => spec[name] !== undefined && isHidden(traits, spec))
    .map(({ name }) => name);
}

function isHidden(traits: Traits, spec: JsonObject): boolean {
  return traits.writeOnly === true || isMasked(traits, spec);
}

function refuseChange(
  wish: DesiredObject,
  context: DesiredObjectContext,
  diagnostic: Diagnostic,
): ChangeDecision {
  const change = buildChange(wish, context, { action: "refuse", direction: "unshipped" });
  return { change: { ...change, blockedBy: [diagnostic.summary] }, diagnostics: [diagnostic] };
}
