// Shows references in text by address, otherwise by decoded key.
import { address, keyOfNamed, readableKey } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import {
  fieldsWithin,
  type Reference,
  referencesOf,
  withReferences,
} from "../../core/kind/references.ts";
import { joinPointer } from "../../core/pointer.ts";
import type { Change, PlannedField } from "../model/index.ts";

/** How to show references. */
export interface ReferenceNames {
  readonly kinds?: readonly Kind[] | undefined;
  /** Addresses of declared objects by kind and natural key: an address with the key as its name. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** Returns the field with readable references; parts of fields and unknown kinds are unchanged. */
export function withReferenceNames(
  field: PlannedField,
  change: Change,
  naming: ReferenceNames,
): PlannedField {
  const kind = naming.kinds?.find(({ name }) => name === change.kind);
  if (kind === undefined || field.sensitive || field.path !== joinPointer([field.field])) {
    return field;
  }
  const reported = (value: JsonValue | undefined): JsonValue | undefined => {
    if (value === undefined || value === null) return value;
    const spec = { ...change.desired, [field.field]: value };
    const references = referencesOf(kind, spec).filter(
      (reference) => reference.field === field.field,
    );
    return withReferences(spec, references, (reference) => referenceText(reference, spec, naming))[
      field.field
    ];
  };
  return { ...field, before: reported(field.before), after: reported(field.after) };
}

function referenceText(
  reference: Reference,
  spec: JsonObject,
  { kinds = [], names }: ReferenceNames,
): string {
  const { value } = reference;
  const kind = kindsByName(kinds).get(reference.kind);
  // A name of one field is that text, also with a slash in it; only a key of several parts is encoded.
  if (kind === undefined || kind.key.filter((name) => !kind.scope.includes(name)).length === 1) {
    return value;
  }
  const key = keyOfNamed(kind, value, fieldsWithin(reference, spec)) ?? value;
  return names?.get(address(kind.name, key)) ?? readableKey(value);
}
