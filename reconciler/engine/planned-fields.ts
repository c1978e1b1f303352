// Lists the fields of a declared object that a change writes, each with the direction of its difference.
import {
  compare,
  directionOfChanges,
  type FieldChange,
  secretMasks,
} from "../../core/spec/diff.ts";
import { fieldsOf, containsSecret } from "../../core/kind/fields.ts";
import { type Fingerprints, recordedFingerprints } from "../../core/spec/fingerprints.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import { joinPointer, memberAt } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import type { DesiredObject, PlannedField } from "../model/index.ts";
import { appliedValues, attemptedRecords } from "../model/interrupted-changes.ts";
import type { Match } from "./match-objects.ts";
import type { WithNewNames } from "./renamed-references.ts";
import type { ReplacementImpact } from "./replacement-impact.ts";

/** Returns the fields that differ. */
export function plannedFields(
  desiredObject: DesiredObject,
  observed: ObservedObject,
  {
    match,
    fingerprints,
    withNewNames,
  }: {
    readonly match: Match;
    readonly fingerprints: Fingerprints;
    readonly withNewNames: WithNewNames;
  },
): PlannedField[] {
  const { kind, spec, onlyFields, baseline } = desiredObject;
  // By then, its parents and the objects that it refers to have their new names.
  const live = withNewNames(kind, observed.spec);
  // A pending entry does not record the applied state.
  const entry = match.entry?.pending === true ? undefined : match.entry;
  const known = recordedFingerprints(fingerprints, entry?.fingerprints);
  const lastApplied = entry && withNewNames(kind, { ...entry.lastApplied, ...baseline });
  // Restoring some fields of an object must not overwrite what a killed run wrote later.
  const interrupted = onlyFields === undefined ? match.interrupted : [];
  const attempts = (entry ? attemptedRecords(entry, interrupted) : []).map((record) => ({
    lastApplied: withNewNames(kind, record.lastApplied),
    known: recordedFingerprints(fingerprints, record.fingerprints),
  }));
  // Restoring some fields of an object clears no other one.
  const isPlanned = ({ field }: FieldChange): boolean =>
    onlyFields === undefined || spec[field] !== undefined || onlyFields.includes(field);
  const changes = compare(kind, spec, live, known).filter(isPlanned);
  if (changes.length === 0) return [];
  const directionOf = directionOfChanges(kind, {
    desired: spec,
    live,
    lastApplied,
    known,
    attempts,
  });
  return changes.map((change) => {
    const side = directionOf(change);
    // Restoring some fields of an object overwrites later changes.
    const direction = onlyFields !== undefined && side === "drifted" ? "conflict" : side;
    const base = direction === "conflict" ? memberAt(lastApplied, change.path) : undefined;
    return { ...change, direction, ...(base !== undefined && { base }) };
  });
}

/**
 * Returns the fields that match now but must be written again after the replacement of the objects that they refer to.
 */
export function invalidatedFields(
  { kind, spec }: DesiredObject,
  {
    observed,
    differing,
  }: { readonly observed: ObservedObject; readonly differing: readonly FieldChange[] },
  { impact }: { readonly impact: ReplacementImpact },
): PlannedField[] {
  const direct = new Set(differing.map(({ field }) => field));
  return fieldsOf(kind)
    .filter(({ name }) => impact.fields.has(name) && !direct.has(name))
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

/** Returns the fields that were applied and that the document no longer declares, without those that the change clears. */
export function releasedFields(
  { spec, onlyFields }: DesiredObject,
  fields: readonly FieldChange[],
  { entry, interrupted }: Match,
): readonly string[] {
  if (entry === undefined || onlyFields !== undefined) return [];
  const changed = new Set(fields.map(({ field }) => field));
  const isSet = (values: JsonObject, name: string) => (member(values, name) ?? null) !== null;
  const applied = appliedValues(entry, interrupted);
  return Object.keys(applied).filter(
    (name) => isSet(applied, name) && !isSet(spec, name) && !changed.has(name),
  );
}
