// The fields of an object as a run records them, and the objects that they name.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { address as objectAt, keyOfNamed } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { fieldsWithin, type Reference } from "../../core/kind/references.ts";
import type { RecordedSpec } from "../../core/spec/record.ts";

/** Fields by name. A field with a hidden part has its readable part and the fingerprints of the others as its value. */
export interface RecordedFields {
  readonly fields: JsonObject;
  readonly hidden: ReadonlySet<string>;
}

/** Returns the fields of a recorded spec; none for an object that is not recorded. */
export function recordedFields(recorded: RecordedSpec | undefined): RecordedFields {
  const { lastApplied = {}, fingerprints = {} } = recorded ?? {};
  const fields: Record<string, JsonValue | undefined> = { ...lastApplied };
  const byField = Map.groupBy(Object.keys(fingerprints), (path) => path.split("/")[0] ?? path);
  for (const [field, paths] of byField) {
    const hidden = paths.toSorted().map((path) => [path, fingerprints[path] ?? null]);
    fields[field] = [lastApplied[field] ?? null, Object.fromEntries(hidden)];
  }
  return { fields, hidden: new Set(byField.keys()) };
}

/** Returns a recorded spec with these fields of {@link recordedFields} in place of its values of them. */
export function specWithFields(
  { lastApplied, fingerprints }: RecordedSpec,
  fields: JsonObject,
  hidden: readonly string[] = [],
): RecordedSpec {
  const kept = Object.entries(fingerprints).filter(
    ([path]) => !Object.hasOwn(fields, path.split("/")[0] ?? path),
  );
  const values: Record<string, JsonValue | undefined> = { ...lastApplied };
  const marks: Record<string, string> = Object.fromEntries(kept);
  for (const [name, value] of Object.entries(fields)) {
    // A field without a hidden part after the change has its plain value.
    const [shown, prints] = hidden.includes(name) && Array.isArray(value) ? value : [];
    if (isObject(prints)) Object.assign(marks, prints);
    values[name] = isObject(prints) ? shown : value;
  }
  return { lastApplied: values, fingerprints: marks };
}

/** Returns kind and natural key of a referenced object; undefined if unknown. */
export function referencedObject(
  reference: Reference,
  spec: JsonObject,
  kinds: ReadonlyMap<string, Kind>,
): string | undefined {
  const kind = kinds.get(reference.kind);
  const key = kind && keyOfNamed(kind, reference.value, fieldsWithin(reference, spec));
  return key === undefined ? undefined : objectAt(reference.kind, key);
}
