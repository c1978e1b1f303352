// References in text: a key of several parts is hard to read, so what it names is shown by its address, or else decoded.
import { address, keyOfNamed, readableKey } from "../../core/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { type Reference, referencesOf, withReferences } from "../../core/references.ts";
import { joinPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import type { Change, PlannedField } from "../model/index.ts";

/** By what references are told. */
export interface ReferenceNames {
  readonly kinds?: readonly Kind[] | undefined;
  /** Addresses of declared objects, by kind and natural key: an address with the key for a name. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** The field as people read it; a part of a field, and one of an unknown kind, stays as it is. */
export function withReferenceNames(
  field: PlannedField,
  change: Change,
  naming: ReferenceNames,
): PlannedField {
  const kind = naming.kinds?.find(({ name }) => name === change.kind);
  if (kind === undefined || field.sensitive || field.path !== joinPointer([field.field])) {
    return field;
  }
  const told = (value: JsonValue | undefined): JsonValue | undefined => {
    if (value === undefined || value === null) return value;
    const spec = { ...change.desired, [field.field]: value };
    const own = referencesOf(kind, spec).filter((one) => one.field === field.field);
    return withReferences(spec, own, (one) => referenceText(one, spec, naming))[field.field];
  };
  return { ...field, before: told(field.before), after: told(field.after) };
}

function referenceText(
  reference: Reference,
  spec: JsonObject,
  { kinds = [], names }: ReferenceNames,
): string {
  const { value, within = {} } = reference;
  const kind = kinds.find(({ name }) => name === reference.kind);
  // A key of one part is called as it is everywhere else.
  if (kind === undefined || !value.includes("/")) return value;
  const beside = Object.entries(within).map(([theirs, ours]) => [theirs, member(spec, ours)]);
  const key = keyOfNamed(kind, value, Object.fromEntries(beside) as JsonObject) ?? value;
  return names?.get(address(kind.name, key)) ?? readableKey(value);
}
