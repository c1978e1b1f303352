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
export function changeFor(
  desiredObject: DesiredObject,
  context: DesiredObjectContext,
): ChangeDecision {
  const judged = decideChange(desiredObject, context);
  const notes = ignoreRuleNotes(desiredObject, context.match.observed, context.now);
  return notes.length === 0
    ? judged
    : { ...judged, diagnostics: [...judged.diagnostics, ...notes] };
}

function decideChange(desiredObject: DesiredObject, context: DesiredObjectContext): ChangeDecision {
  const { match, live } = context;
  const ids = isKnownById(match) ? undefined : live?.ambiguous.get(desiredObject.key);
  if (ids !== undefined)
    return refuseChange(desiredObject, context, ambiguousError(desiredObject, ids));
  if (
    isObservedOnly(desiredObject.rules) &&
    match.entry === undefined &&
    match.observed !== undefined
  )
    return { change: undefined, diagnostics: [] };
  if (context.keyTaken)
    return refuseChange(
      desiredObject,
      context,
      keyTakenError(desiredObject, match.conflictingObject?.owner),
    );
  const decision = decideOwnership({
    declared: true,
    live: match.observed !== undefined,
    owner: match.entry !== undefined ? "us" : context.otherStack === undefined ? "none" : "other",
    adopt: context.adopt,
    prune: false,
    release: false,
  });
  if (decision === "reject-other-stack")
    return refuseChange(
      desiredObject,
      context,
      otherStackError(desiredObject, context.otherStack, context),
    );
  if (decision === "reject-unmanaged")
    return refuseChange(desiredObject, context, notOwnedError(desiredObject, context));
  if (match.observed === undefined) return decideCreate(desiredObject, context);
  return decideUpdate(desiredObject, match.observed, context);
}

/** True for an object that the inventory holds the id of: that others have the same key says nothing against it. */
function isKnownById({ observed, entry }: Match): boolean {
  return entry?.id !== undefined && entry.id === observed?.id;
}

function decideCreate(desiredObject: DesiredObject, context: DesiredObjectContext): ChangeDecision {
  const gone = context.match.entry !== undefined && !context.match.entry.pending;
  const built: ChangeParts = { action: "create", direction: gone ? "drifted" : "pending" };
  return withObstacles(buildChange(desiredObject, context, built), desiredObject, context);
}

function decideUpdate(
  declared: DesiredObject,
  observed: ObservedObject,
  context: DesiredObjectContext,
): ChangeDecision {
  const desiredObject = context.impact.object
    ? declared
    : withIgnoredFields(declared, observed, context.now);
  const differing = plannedFields(desiredObject, observed, context);
  const lost = manages(desiredObject.rules, "update")
    ? invalidatedFields(desiredObject, { sight: observed, differing }, context)
    : [];
  const fields = [...differing, ...lost];
  const cleared = fields.filter(
    (field) => field.reason === "cleared" && context.capability.cannotClear.has(field.field),
  );
  const kept = fields.filter((field) => !cleared.includes(field));
  const action = actionFor(desiredObject, kept, {
    ...context,
    recorded: isRecorded(desiredObject, observed, context),
  });
  const diagnostics = [
    ...cleared.map((field) => cannotClearError(desiredObject, field)),
    ...sinkNotes(desiredObject, action, generatedSecretContext(context)),
  ];
  if (action === undefined) return { change: undefined, diagnostics };
  const built: ChangeParts = { action, direction: overallDirection(kept), fields: kept };
  const judged = withObstacles(buildChange(desiredObject, context, built), desiredObject, context);
  return { ...judged, diagnostics: [...diagnostics, ...judged.diagnostics] };
}

function withObstacles(
  change: Change,
  desiredObject: DesiredObject,
  context: DesiredObjectContext,
): ChangeDecision {
  const diagnostics = [
    ...unsupportedErrors(change, desiredObject, context.capability),
    ...notManagedErrors(change.action, desiredObject),
    ...sinkObstacles(desiredObject, change.action, generatedSecretContext(context)),
  ];
  return {
    change: { ...change, blockedBy: diagnostics.map(({ summary }) => summary) },
    diagnostics,
  };
}

function actionFor(
  desiredObject: DesiredObject,
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
  if (remake || isSecretLost(desiredObject, match.entry)) return "replace";
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
  desiredObject: DesiredObject,
  observed: ObservedObject,
  context: DesiredObjectContext,
): boolean {
  const { match, fingerprints } = context;
  if (match.entry === undefined || match.entryAddress !== desiredObject.address) return false;
  const { kind, onlyFields: only } = desiredObject;
  const spec = withIgnoredFieldsAsRecorded(desiredObject, match.entry.lastApplied, context.now);
  if (only !== undefined)
    return fieldsMatchEntry(match.entry, spec, { kind, sight: observed, only });
  const sink = sinkAfter(desiredObject, undefined, generatedSecretContext(context));
  if (sink?.file !== match.entry.sink?.file) return false;
  if (!equal(guardsOf(desiredObject, match), match.entry.guards ?? {})) return false;
  if (isMetadataChanged(recordedMetadata(match.entry), desiredObject)) return false;
  return matchesEntry(match.entry, spec, { kind, sight: observed, fingerprints });
}

function plannedFields(
  desiredObject: DesiredObject,
  observed: ObservedObject,
  { match, fingerprints }: DesiredObjectContext,
): PlannedField[] {
  const { kind, spec } = desiredObject;
  // What goes along with its parent has the parent's new name by then.
  const live = {
    ...(observed.spec as JsonObject),
    ...(match.movesWithParent && parentNames(desiredObject)),
  };
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
    sight: observed,
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
      before: containsSecret(schema) ? undefined : member(observed.spec, name),
      after: containsSecret(schema) ? secretMasks.after : spec[name],
      reason: "reference-replaced",
      replaces: false,
      sensitive: containsSecret(schema),
      direction: "pending",
    }));
}

/** Who moved, over all fields: a conflict anywhere is one, and so is shipping over somebody's edit of another field. */
function overallDirection(fields: readonly PlannedField[]): DriftDirection {
  const seen = new Set(fields.map((field) => field.direction));
  if (seen.has("conflict")) return "conflict";
  return seen.has("drifted") ? "drifted" : "pending";
}

interface ChangeParts {
  action: Action;
  direction: DriftDirection;
  fields?: readonly PlannedField[];
}

function buildChange(
  desiredObject: DesiredObject,
  context: DesiredObjectContext,
  { action, direction: moved, fields = [] }: ChangeParts,
): Change {
  const { kind, spec, key, scope } = desiredObject;
  const { match, waitsFor } = context;
  const { observed } = match;
  const { visible: shown, secretFingerprints: secrets } = maskSecrets(
    kind,
    spec,
    context.fingerprints.of,
  );
  const sink = sinkAfter(desiredObject, action, generatedSecretContext(context));
  const guards = guardsOf(desiredObject, match);
  return {
    action,
    address: desiredObject.address,
    kind: kind.name,
    name: desiredObject.name,
    key,
    scope,
    id: observed?.id,
    from: previousIdentity(kind, key, observed),
    fields,
    direction: moved,
    desired: shown,
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(sink !== undefined && { secretTo: sink }),
    ...(Object.keys(guards).length > 0 && { guards }),
    ...metadataFields(desiredObject, match),
    precondition: precondition(desiredObject, context),
    layer: context.layer,
    dependsOn:
      waitsFor === undefined ? desiredObject.dependsOn : [...desiredObject.dependsOn, waitsFor],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: unreadableFields(kind, spec),
  };
}

/** What was somebody else's until now may have been known as anything. */
function metadataFields(
  { name, labels }: DesiredObject,
  { entry, observed }: Match,
): Partial<Change> {
  const knownAs = { name, ...(labels && { labels }) };
  if (entry === undefined && observed === undefined) return { metadata: knownAs };
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
  const { observed, entry, conflictingObject: rival } = match;
  // One in a parent that is renamed is not called so yet.
  if (observed === undefined && rival !== undefined && keyOf(kind, rival.observed.spec) === key)
    return preconditionOf(kind, rival.observed, { fields: kind.key, of });
  const watched = [...Object.keys(spec), ...Object.keys(entry?.lastApplied ?? {})];
  return preconditionOf(kind, observed, { fields: watched, of });
}

function previousIdentity(
  kind: Kind,
  key: string,
  observed: ObservedObject | undefined,
): Change["from"] {
  if (observed === undefined) return undefined;
  const spec = observed.spec as JsonObject;
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
  desiredObject: DesiredObject,
  context: DesiredObjectContext,
  diagnostic: Diagnostic,
): ChangeDecision {
  const change = buildChange(desiredObject, context, { action: "refuse", direction: "pending" });
  return { change: { ...change, blockedBy: [diagnostic.summary] }, diagnostics: [diagnostic] };
}
