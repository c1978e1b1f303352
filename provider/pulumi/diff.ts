// What inputs change on the object that state tells of: the reconciler's comparison, with old inputs as what was applied last.
import { randomUUID } from "node:crypto";
import { compare, type RecordedFingerprints } from "../../core/diff.ts";
import { fingerprintsWith } from "../../core/fingerprints.ts";
import { keyOf } from "../../core/identity.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { recordedSpecOf } from "../../core/record.ts";
import { Secret } from "../../core/secret.ts";
import { diffInputs, type Difference } from "../bridge/diff-inputs.ts";
import { isKnown, isKnownObject, fullyKnownFields, type Value } from "../bridge/unknown-values.ts";
import { isSameOrAncestor, propertyPathOfPointer, parsePropertyPath } from "./property-paths.ts";
import { propertiesOf } from "./properties.ts";
import { observedFromState, unconfirmedFieldsIn, desiredInputs } from "./state.ts";
import type { PropertyMap } from "./property-values.ts";

/** Fingerprints compare old inputs with new ones inside this process; none is kept. */
const fingerprints = fingerprintsWith(randomUUID(), new Secret(randomUUID()));

/** An object as the engine holds it. */
export interface ResourceState {
  readonly state: PropertyMap;
  /** The inputs it was applied with; empty where the engine does not say. */
  readonly inputs: PropertyMap;
}

/** Every difference between the object and new inputs, in the order of the fields. */
export function diffAgainstState(
  kind: Kind,
  old: ResourceState,
  news: PropertyMap,
): readonly Difference[] {
  const { spec } = observedFromState(kind, old.state);
  return diffInputs(kind, desiredInputs(kind, news), spec, lastAppliedOf(kind, old));
}

/** What is known of unreadable values: of those that were surely written, what the inputs said. */
function lastAppliedOf(kind: Kind, { state, inputs }: ResourceState): RecordedFingerprints {
  const unwritten = unconfirmedFieldsIn(state);
  const said = Object.entries(desiredInputs(kind, inputs)).filter(
    ([field]) => !unwritten.has(field),
  );
  const applied = fullyKnownFields(Object.fromEntries(said));
  return {
    fingerprints: recordedSpecOf(kind, applied, fingerprints.of).fingerprints,
    fingerprint: fingerprints.of,
  };
}

/** Tells whether the inputs that were applied still say what is live, field by field. */
export function unchangedFieldTest(kind: Kind, old: ResourceState): (field: string) => boolean {
  const { spec } = observedFromState(kind, old.state);
  const applied = fullyKnownFields(desiredInputs(kind, old.inputs));
  const moved = new Set(
    compare(kind, applied, spec, lastAppliedOf(kind, old)).map(({ field }) => field),
  );
  return (field) => !moved.has(field);
}

/** The property path of a difference, and of a finding in the inputs. */
export function propertyPathOf(kind: Kind, pointer: string, wish: Value): string {
  const [field = "", ...inner] = splitPointer(pointer);
  const found = propertiesOf(kind).inputs.find(({ name }) => name === field);
  const property = found?.property ?? field;
  return propertyPathOfPointer([property, ...inner], (before) => {
    let value: Value | undefined = wish;
    for (const step of [field, ...before.slice(1)]) value = childAt(value, step);
    return Array.isArray(value);
  });
}

function childAt(value: Value | undefined, step: string): Value | undefined {
  if (Array.isArray(value)) return value[Number(step)] as Value | undefined;
  return isKnownObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** True where the old object has to go before the new one can be: they have, or may have, one natural key. */
export function needsDeleteBeforeReplace(
  kind: Kind,
  old: ResourceState,
  news: PropertyMap,
): boolean {
  const wish = desiredInputs(kind, news);
  const { spec } = observedFromState(kind, old.state);
  if (!kind.key.every((name) => isKnown(wish[name]) && hasValue(spec[name]))) return true;
  const wished = normalize(kind, fullyKnownFields(wish));
  if (!kind.key.every((name) => hasValue(wished[name]))) return true;
  return keyOf(kind, wished) === keyOf(kind, spec);
}

function hasValue(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** True for a path that one of the ignored paths is or lies above: `release`, `labels["a"]`, `filters[*].member`. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((one) => isSameOrAncestor(parsePropertyPath(one), parsePropertyPath(path)));
}
