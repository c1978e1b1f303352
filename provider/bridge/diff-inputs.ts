// Compares desired inputs with a live object, as the reconciler does, and marks fields whose value is not known yet.
import {
  compare,
  type FieldChange,
  type RecordedFingerprints,
  secretMasks,
} from "../../core/diff.ts";
import { fieldsOf, containsSecret } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { type Inputs, isKnown, fullyKnownFields } from "./unknown-values.ts";

/** One difference. A field with an unknown value counts as one that may change. */
export interface Difference extends FieldChange {
  /** The value is known only after another object is applied. */
  readonly unknown: boolean;
}

/** Returns every difference, in field order. `known` holds the fingerprints of values that the API does not return. */
export function diffInputs(
  kind: Kind,
  inputs: Inputs,
  ...[live, known]: [live: JsonObject, known?: RecordedFingerprints | undefined]
): readonly Difference[] {
  const found = Map.groupBy(
    compare(kind, fullyKnownFields(inputs), live, known),
    ({ field }) => field,
  );
  return fieldsOf(kind).flatMap(({ name, schema, traits }): Difference[] => {
    if (isKnown(inputs[name])) {
      return (found.get(name) ?? []).map((change) => ({ ...change, unknown: false }));
    }
    const sensitive = containsSecret(schema);
    const before = sensitive && live[name] !== undefined ? secretMasks.before : live[name];
    return [
      {
        path: joinPointer([name]),
        field: name,
        before,
        after: undefined,
        reason: "differs",
        replaces: traits.onChange === "replace",
        sensitive,
        unknown: true,
      },
    ];
  });
}
