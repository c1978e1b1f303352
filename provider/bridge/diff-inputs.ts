// Compares desired inputs with a live object, as the reconciler does, and marks fields whose value is not known yet.
import {
  compare,
  type FieldChange,
  type RecordedFingerprints,
  secretMasks,
} from "../../core/spec/diff.ts";
import { fieldsOf, containsSecret } from "../../core/kind/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { type Inputs, isKnown, fullyKnownFields } from "./unknown-values.ts";

/** One difference. A field with an unknown value counts as one that may change. */
export interface Difference extends FieldChange {
  /** The value is known only after another object is applied. */
  readonly unknown: boolean;
}

/** The context of a comparison, besides inputs and live object. */
export interface DiffContext {
  /** Fingerprints of values that the API does not return. */
  readonly known?: RecordedFingerprints | undefined;
  /** Fields whose references must be written again, although they are equal. */
  readonly referencesToRewrite?: ReadonlySet<string> | undefined;
}

/** Returns every difference, in field order. */
export function diffInputs(
  kind: Kind,
  inputs: Inputs,
  ...[live, { known, referencesToRewrite } = {}]: [live: JsonObject, context?: DiffContext]
): readonly Difference[] {
  const found = Map.groupBy(
    compare(kind, fullyKnownFields(inputs), live, known),
    ({ field }) => field,
  );
  return fieldsOf(kind).flatMap(({ name, schema, traits }): Difference[] => {
    if (traits.onChange === "ignore") return [];
    const changes = found.get(name) ?? [];
    const isRewritten = changes.length === 0 && referencesToRewrite?.has(name) === true;
    if (isKnown(inputs[name]) && !isRewritten)
      return changes.map((change) => ({ ...change, unknown: false }));
    const sensitive = containsSecret(schema);
    const before = sensitive && live[name] !== undefined ? secretMasks.before : live[name];
    const field = { path: joinPointer([name]), field: name, before, sensitive };
    return isRewritten
      ? [{ ...field, after: before, reason: "reference-replaced", replaces: false, unknown: false }]
      : [
          {
            ...field,
            after: undefined,
            reason: "differs",
            replaces: traits.onChange === "replace",
            unknown: true,
          },
        ];
  });
}
