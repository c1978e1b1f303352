// What a wish changes on a live object, by the same comparison as the reconciler's, with what is not known yet told apart.
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

/** One difference; of a field that is not known yet it says that it may change. */
export interface Difference extends FieldChange {
  /** Its value is known only once something else is applied. */
  readonly unknown: boolean;
}

/** Every difference in the order of the fields; `known` is what the engine keeps of values that cannot be read back. */
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
