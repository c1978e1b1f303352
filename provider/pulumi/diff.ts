// Compares new inputs with the object in state by the reconciler's three-way comparison; the old inputs are the last-applied state.
import { randomUUID } from "node:crypto";
import { compare, type RecordedFingerprints } from "../../core/spec/diff.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { keyOf } from "../../core/kind/identity.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { Secret } from "../../core/secret.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { diffInputs, type Difference } from "../bridge/diff-inputs.ts";
import { isKnown, isKnownObject, fullyKnownFields, type Value } from "../bridge/unknown-values.ts";
import { isSameOrAncestor, propertyPathOfPointer, parsePropertyPath } from "./property-paths.ts";
import type { RenameTracker } from "../bridge/rename-tracker.ts";
import { propertiesOf } from "./properties.ts";
import { observedFromState, unconfirmedFieldsIn, desiredInputs } from "./state.ts";
import type { PropertyMap } from "./property-values.ts";

/** Fingerprints compare old with new inputs inside this process; none is stored. */
const fingerprints = fingerprintsWith(randomUUID(), new Secret(randomUUID()));

/** An object in the engine's state. */
export interface ResourceState {
  readonly state: PropertyMap;
  /** The inputs it was last applied with; empty if the engine does not send them. */
  readonly inputs: PropertyMap;
}

/** The result of a diff. */
export interface ResourceChanges {
  readonly fields: readonly (Difference & { readonly property: string; readonly at: string })[];
  /** Set even if no field forces replacement, because the program may force it with `replaceOnChanges`. */
  readonly deleteBeforeReplace: boolean;
  /** Fields whose only change is the new name of an object that this run renames in place. */
  readonly fieldsFollowingRenames: ReadonlySet<string>;
}

/** New inputs and the options that apply to them. */
export interface NewInputs {
  readonly news: PropertyMap;
  /** Property paths whose changes the program ignores. */
  readonly ignoreChanges: readonly string[];
  readonly renames: RenameTracker;
  /** The server, if the provider is configured. */
  readonly bridge: Bridge | undefined;
}

/** Returns what new inputs change, and records a rename so that the resources that refer to the object follow it. */
export function changesOf(
  kind: Kind,
  old: ResourceState,
  { news, ignoreChanges, renames, bridge }: NewInputs,
): ResourceChanges {
  const desired = desiredInputs(kind, news);
  const properties = new Map(propertiesOf(kind).inputs.map((one) => [one.name, one.property]));
  const before = observedFromState(kind, old.state).spec;
  const after = normalize(kind, { ...before, ...fullyKnownFields(desired) });
  const differences = diffAgainstState(kind, old, { news, bridge });
  const fieldsFollowingRenames = renames.fieldsFollowingRenames(
    kind,
    { before, after },
    differences,
  );
  const fields = differences
    .map((one) => ({
      ...one,
      replaces: one.replaces && !fieldsFollowingRenames.has(one.field),
      property: properties.get(one.field) ?? one.field,
      at: propertyPathOf(kind, one.path, desired),
    }))
    .filter(({ at }) => !isIgnored(at, ignoreChanges));
  const replaces = fields.some((one) => one.replaces);
  if (!replaces) renames.record(kind, { before, after });
  return {
    fields,
    deleteBeforeReplace: needsDeleteBeforeReplace(kind, old, news),
    fieldsFollowingRenames,
  };
}

/** Returns the differences between the object and new inputs, in the order of the fields. */
function diffAgainstState(
  kind: Kind,
  old: ResourceState,
  { news, bridge }: { news: PropertyMap; bridge: Pick<Bridge, "referencesToRewrite"> | undefined },
): readonly Difference[] {
  const { spec } = observedFromState(kind, old.state);
  const desired = desiredInputs(kind, news);
  return diffInputs(kind, desired, spec, {
    known: lastAppliedOf(kind, old),
    referencesToRewrite: bridge?.referencesToRewrite(kind, fullyKnownFields(desired)),
  });
}

/** Returns fingerprints of the unreadable values whose last write is confirmed, from the old inputs. */
function lastAppliedOf(kind: Kind, { state, inputs }: ResourceState): RecordedFingerprints {
  const unconfirmed = unconfirmedFieldsIn(state);
  const written = Object.entries(desiredInputs(kind, inputs)).filter(
    ([field]) => !unconfirmed.has(field),
  );
  const applied = fullyKnownFields(Object.fromEntries(written));
  return {
    fingerprints: recordedSpecOf(kind, applied, fingerprints.of).fingerprints,
    fingerprint: fingerprints.of,
  };
}

/** Returns a test for fields whose applied input still equals the live value. */
export function unchangedFieldTest(kind: Kind, old: ResourceState): (field: string) => boolean {
  const { spec } = observedFromState(kind, old.state);
  const applied = fullyKnownFields(desiredInputs(kind, old.inputs));
  const changed = new Set(
    compare(kind, applied, spec, lastAppliedOf(kind, old)).map(({ field }) => field),
  );
  return (field) => !changed.has(field);
}

/** Converts a JSON Pointer into the desired object to a property path. */
export function propertyPathOf(kind: Kind, pointer: string, desired: Value): string {
  const [field = "", ...inner] = splitPointer(pointer);
  const found = propertiesOf(kind).inputs.find(({ name }) => name === field);
  const property = found?.property ?? field;
  return propertyPathOfPointer([property, ...inner], (before) => {
    let value: Value | undefined = desired;
    for (const step of [field, ...before.slice(1)]) value = childAt(value, step);
    return Array.isArray(value);
  });
}

function childAt(value: Value | undefined, step: string): Value | undefined {
  if (Array.isArray(value)) return value[Number(step)] as Value | undefined;
  return isKnownObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Returns true if the old object must be deleted before its replacement is created: they share, or may share, a natural key. */
function needsDeleteBeforeReplace(kind: Kind, old: ResourceState, news: PropertyMap): boolean {
  const desired = desiredInputs(kind, news);
  const { spec } = observedFromState(kind, old.state);
  if (!kind.key.every((name) => isKnown(desired[name]) && hasValue(spec[name]))) return true;
  const normalized = normalize(kind, fullyKnownFields(desired));
  if (!kind.key.every((name) => hasValue(normalized[name]))) return true;
  return keyOf(kind, normalized) === keyOf(kind, spec);
}

function hasValue(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Returns true if an ignored path equals the path or contains it: `release`, `labels["a"]`, `filters[*].member`. */
function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((one) => isSameOrAncestor(parsePropertyPath(one), parsePropertyPath(path)));
}
