// Compares one declared object with its live object and decides the change.
import type { Capability } from "../../core/kind/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { DriftDirection, FieldChange } from "../../core/spec/diff.ts";
import { keyOf, scopeOf } from "../../core/kind/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { isObservedOnly, manages, recordedLifecycle } from "../../core/kind/lifecycle-rules.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { decideOwnership, type OwnershipState } from "../../core/kind/decide-ownership.ts";
import { splitPointer } from "../../core/pointer.ts";
import { splitSecrets } from "../../core/spec/record.ts";
import { blockedByErrors } from "./block-reasons.ts";
import { preconditionOf } from "./digest.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import {
  ignoredPaths,
  ignoreRuleNotes,
  isIgnored,
  withIgnoredFields,
  withIgnoredFieldsAsRecorded,
} from "./ignore-rules.ts";
import { isMetadataChanged, recordedMetadata } from "../model/window-subjects.ts";
import type { Match } from "./match-objects.ts";
import { appliedValues } from "../model/interrupted-changes.ts";
import {
  isSecretLost,
  type GeneratedSecretContext,
  sinkAfter,
  sinkNotes,
  sinkObstacles,
} from "./generated-secret.ts";
import type { Action, Change, LiveObjects, PlannedField, DesiredObject } from "../model/index.ts";
import { removedFields } from "../../core/spec/removed-rights.ts";
import { matchesEntry, fieldsMatchEntry } from "../inventory/entry.ts";
import {
  ambiguousError,
  notOwnedError,
  renameNotes,
  otherStackError,
  rightsRemovedError,
  cannotClearError,
  managedElsewhereErrors,
  notManagedErrors,
} from "./plan-diagnostics.ts";
import { invalidatedFields, plannedFields, releasedFields } from "./planned-fields.ts";
import type { WithNewNames } from "./renamed-references.ts";
import type { ReplacementImpact } from "./replacement-impact.ts";
import { unreadableFields } from "./unreadable-fields.ts";
import { unsupportedErrors } from "./server-support.ts";

/** What a plan knows about one declared object. */
export interface ObjectContext {
  readonly match: Match;
  /** Why the object cannot be planned: its `movedFrom` cannot be followed, or another object keeps its key. */
  readonly obstacle: Diagnostic | undefined;
  readonly order: PlaceInOrder;
  readonly server: ServerContext;
  /** What the user asks for. */
  readonly request: { readonly adopt: boolean; readonly forceReplace: boolean };
  readonly secret: GeneratedSecretContext;
  readonly plan: PlanContext;
}

/** The place of an object in the order of changes. */
interface PlaceInOrder {
  readonly layer: number;
  /** Address of an owned object that must release the desired key first. */
  readonly waitsFor: string | undefined;
  /** Objects that earlier changes delete or replace. */
  readonly impact: ReplacementImpact;
}

/** What the server has and offers for an object. */
interface ServerContext {
  readonly live: LiveObjects | undefined;
  readonly capability: Capability;
  /** Name of the other stack that owns the live object, if any. */
  readonly otherStack: string | undefined;
}

/** What is the same for all objects of a plan. */
export interface PlanContext {
  /** Renames the references of a live object as this plan renames their targets. */
  readonly withNewNames: WithNewNames;
  readonly fingerprints: Fingerprints;
  /** True while the stack owns nothing. */
  readonly isNew: boolean;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath: string | undefined;
  readonly stackName: string;
  /** The current time; decides which rules have expired. */
  readonly now: Date;
  /** True if live edits are left, as the operator expects: no note tells of the fields that are kept. */
  readonly leavesDrift: boolean;
}

/** Returns which side changed if the fields do not decide it: an owned object that is not on the server has drifted. */
function directionOf({ observed, entry, interrupted }: Match): DriftDirection {
  const isGone = observed === undefined && entry !== undefined && !entry.pending;
  const isDeletedByRun = interrupted.some(({ action }) => action === "delete");
  return isGone && !isDeletedByRun ? "drifted" : "pending";
}

/** True if the inventory records the object's id: then another object with the same key does not make it ambiguous. */
function isKnownById({ observed, entry }: Match): boolean {
  return entry?.id !== undefined && entry.id === observed?.id;
}

/** The change, undefined if there is no difference, with its diagnostics. */
export interface ChangeDecision {
  readonly change: Change | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Decides the change for one declared object and reports the fields that its document ignores. */
export function changeFor(desiredObject: DesiredObject, context: ObjectContext): ChangeDecision {
  const { kind, onlyFields } = desiredObject;
  const { entry, interrupted } = context.match;
  const applied = entry && onlyFields === undefined ? appliedValues(entry, interrupted) : {};
  const { taken, refused } = removedFields(kind, applied, desiredObject.spec);
  if (refused.length > 0)
    return refuseChange(desiredObject, context, rightsRemovedError(desiredObject, refused));
  const spec = { ...desiredObject.spec, ...taken };
  const judged = decideChange({ ...desiredObject, spec }, context);
  const { now, leavesDrift } = context.plan;
  const noted = leavesDrift ? { ...desiredObject, keptPaths: [] } : desiredObject;
  const notes = ignoreRuleNotes(noted, context.match.observed, now);
  return notes.length === 0
    ? judged
    : { ...judged, diagnostics: [...judged.diagnostics, ...notes] };
}

function decideChange(desiredObject: DesiredObject, context: ObjectContext): ChangeDecision {
  const { match, server } = context;
  const ids = isKnownById(match) ? undefined : server.live?.ambiguous.get(desiredObject.key);
  if (ids !== undefined)
    return refuseChange(desiredObject, context, ambiguousError(desiredObject, ids));
  if (
    isObservedOnly(desiredObject.rules) &&
    match.entry === undefined &&
    match.observed !== undefined
  )
    return { change: undefined, diagnostics: [] };
  if (context.obstacle !== undefined) return refuseChange(desiredObject, context, context.obstacle);
  const decision = decideOwnership({
    declared: true,
    live: match.observed !== undefined,
    owner: ownerOf(context),
    adopt: context.request.adopt || isSingleton(desiredObject.kind),
    prune: false,
    release: false,
  });
  if (decision === "reject-other-stack")
    return refuseChange(
      desiredObject,
      context,
      otherStackError(desiredObject, context.server.otherStack, context.plan),
    );
  if (decision === "reject-unmanaged")
    return refuseChange(desiredObject, context, notOwnedError(desiredObject, context.plan));
  if (match.observed === undefined) return decideCreate(desiredObject, context);
  return decideUpdate(desiredObject, match.observed, context);
}

/** An object that moved to another stack belongs to it, although this stack may still have an entry. */
function ownerOf({
  match: { entry },
  server: { otherStack },
}: ObjectContext): OwnershipState["owner"] {
  if (otherStack !== undefined && (entry === undefined || entry.movingTo === otherStack))
    return "other";
  return entry === undefined ? "none" : "us";
}

function decideCreate(desiredObject: DesiredObject, context: ObjectContext): ChangeDecision {
  const built: ChangeParts = { action: "create", direction: directionOf(context.match) };
  return withObstacles(buildChange(desiredObject, context, built), desiredObject, context);
}

function decideUpdate(
  declared: DesiredObject,
  observed: ObservedObject,
  context: ObjectContext,
): ChangeDecision {
  const desiredObject = context.order.impact.object
    ? declared
    : withIgnoredFields(declared, observed, context.plan.now);
  const compared = plannedFields(desiredObject, observed, {
    ...context.plan,
    match: context.match,
  });
  // An ignored field is absent here, and must not look like a field that the document no longer declares.
  const differing = context.order.impact.object
    ? compared
    : compared.filter(
        ({ reason, path }) =>
          reason !== "fingerprint" ||
          !isIgnored(desiredObject, splitPointer(path), context.plan.now),
      );
  const lost = manages(desiredObject.rules, "update")
    ? invalidatedFields(desiredObject, { observed, differing }, context.order)
    : [];
  const fields = [...differing, ...lost];
  const cleared = fields.filter(
    (field) => field.reason === "cleared" && context.server.capability.cannotClear.has(field.field),
  );
  const kept = fields.filter((field) => !cleared.includes(field));
  const action = actionFor(
    desiredObject,
    kept,
    context,
    isRecorded(desiredObject, observed, context),
  );
  const diagnostics = [
    ...cleared.map((field) => cannotClearError(desiredObject, field)),
    ...sinkNotes(desiredObject, action, context.secret),
  ];
  if (action === undefined) return { change: undefined, diagnostics };
  // A new object has only the values that its document declares.
  const isReplaced = action === "replace";
  const released = isReplaced ? [] : releasedFields(declared, fields, context.match);
  const built: ChangeParts = { action, direction: overallDirection(kept), fields: kept, released };
  const planned = buildChange(desiredObject, context, built);
  diagnostics.push(...renameNotes(desiredObject, planned, observed));
  const judged = withObstacles(planned, desiredObject, context);
  return { ...judged, diagnostics: [...diagnostics, ...judged.diagnostics] };
}

function withObstacles(
  change: Change,
  desiredObject: DesiredObject,
  context: ObjectContext,
): ChangeDecision {
  const diagnostics = [
    ...unsupportedErrors(change, desiredObject, context.server.capability),
    ...notManagedErrors(change.action, desiredObject),
    ...managedElsewhereErrors(change, desiredObject, context.match.observed),
    ...sinkObstacles(desiredObject, change.action, context.secret),
  ];
  return { change: blockedByErrors(change, diagnostics), diagnostics };
}

function actionFor(
  desiredObject: DesiredObject,
  fields: readonly FieldChange[],
  { match, order: { impact }, request: { forceReplace } }: ObjectContext,
  isRecordedAlready: boolean,
): Action | undefined {
  if (impact.object || fields.some((field) => field.replaces)) return "replace";
  if (match.entry === undefined) return "adopt";
  if (forceReplace || isSecretLost(desiredObject, match.entry)) return "replace";
  if (fields.length > 0) return "update";
  return isRecordedAlready ? undefined : "none";
}

function isRecorded(
  desiredObject: DesiredObject,
  observed: ObservedObject,
  context: ObjectContext,
): boolean {
  const { match, plan } = context;
  if (match.entry === undefined || match.formerAddress !== undefined) return false;
  const { kind, onlyFields: only } = desiredObject;
  const spec = withIgnoredFieldsAsRecorded(
    desiredObject,
    match.entry.lastApplied,
    context.plan.now,
  );
  if (only !== undefined) return fieldsMatchEntry(match.entry, spec, { kind, observed, only });
  const sink = sinkAfter(desiredObject, undefined, context.secret);
  if (sink?.file !== match.entry.secretTo?.file) return false;
  if (!equal(lifecycleOf(desiredObject, match), match.entry.lifecycle ?? {})) return false;
  if (isMetadataChanged(recordedMetadata(match.entry), desiredObject)) return false;
  const ignored = ignoredPaths(desiredObject, context.plan.now);
  return matchesEntry(match.entry, spec, {
    kind,
    observed,
    fingerprints: plan.fingerprints,
    ignored,
  });
}

/** Returns the direction over all fields: that of a conflict, or else that of a live edit, if any field has it. */
function overallDirection(fields: readonly PlannedField[]): DriftDirection {
  const seen = new Set(fields.map((field) => field.direction));
  if (seen.has("conflict")) return "conflict";
  return seen.has("drifted") ? "drifted" : "pending";
}

interface ChangeParts {
  action: Action;
  direction: DriftDirection;
  fields?: readonly PlannedField[];
  released?: readonly string[];
}

function buildChange(
  desiredObject: DesiredObject,
  context: ObjectContext,
  { action, direction, fields = [], released = [] }: ChangeParts,
): Change {
  const { kind, spec, key, scope } = desiredObject;
  const { match, order } = context;
  const { layer, waitsFor } = order;
  const { visible: shown, secretFingerprints: secrets } = splitSecrets(
    kind,
    spec,
    context.plan.fingerprints.of,
  );
  const sink = sinkAfter(desiredObject, action, context.secret);
  const lifecycle = lifecycleOf(desiredObject, match);
  return {
    action,
    address: desiredObject.address,
    kind: kind.name,
    name: desiredObject.name,
    key,
    scope,
    id: match.observed?.id,
    from: previousIdentity(kind, key, match.observed),
    fields,
    direction,
    desired: shown,
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(sink !== undefined && { secretTo: sink }),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
    ...(match.formerAddress !== undefined && { formerAddress: match.formerAddress }),
    ...metadataFields(desiredObject, match),
    precondition: precondition(desiredObject, context),
    layer,
    dependsOn:
      waitsFor === undefined ? desiredObject.dependsOn : [...desiredObject.dependsOn, waitsFor],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: unreadableFields(kind, spec),
    ...(released.length > 0 && { released }),
  };
}

/** The labels of an object that the stack did not own before are unknown. */
function metadataFields(
  { name, labels }: DesiredObject,
  { entry, observed }: Match,
): Partial<Change> {
  const metadata = { name, ...(labels && { labels }) };
  if (entry === undefined && observed === undefined) return { metadata };
  return {
    metadata,
    previousMetadata: entry === undefined ? {} : recordedMetadata(entry),
  };
}

function lifecycleOf({ rules, onlyFields: only }: DesiredObject, { entry }: Match) {
  return only === undefined ? recordedLifecycle(entry?.lifecycle, rules) : (entry?.lifecycle ?? {});
}

/** Expects the object that currently has the key to exist until it or its parent is renamed. */
function precondition(
  { kind, spec, key }: DesiredObject,
  { match, server: { live }, plan: { fingerprints } }: ObjectContext,
): Change["precondition"] {
  const { observed, entry } = match;
  const keyHolder = live?.byKey.get(key);
  if (observed === undefined && keyHolder !== undefined)
    return preconditionOf(kind, keyHolder, { fields: kind.key, of: fingerprints.of });
  const watched = [...Object.keys(spec), ...Object.keys(entry?.lastApplied ?? {})];
  return preconditionOf(kind, observed, { fields: watched, of: fingerprints.of });
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

function refuseChange(
  desiredObject: DesiredObject,
  context: ObjectContext,
  diagnostic: Diagnostic,
): ChangeDecision {
  const direction = directionOf(context.match);
  const change = buildChange(desiredObject, context, { action: "refuse", direction });
  return { change: blockedByErrors(change, [diagnostic]), diagnostics: [diagnostic] };
}
