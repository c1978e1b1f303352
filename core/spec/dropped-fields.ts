// Finds the fields of a recorded spec that mean something else today: a nested object has a member that its kind no longer
// declares. Normalization drops the member, and an object without it can be about more than before.
import { membersOf } from "../kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind } from "../kind/kind.ts";
import { mapValues, member, variantFor, view } from "../schema/schema.ts";
import type { TSchema } from "typebox";

/** Returns the fields of a spec that normalization would change by dropping nested members. */
export function droppedFields({ spec: schema }: Kind, spec: JsonObject): readonly string[] {
  return membersOf(schema).flatMap(({ name, schema: field }) =>
    hasUnknownMember(field, member(spec, name)) ? [name] : [],
  );
}

function hasUnknownMember(schema: TSchema, value: JsonValue | undefined): boolean {
  const variant = value === undefined ? undefined : variantFor(schema, value);
  if (variant === undefined) return false;
  const { items, additionalProperties } = view(variant);
  if (Array.isArray(value)) {
    return items !== undefined && value.some((item) => hasUnknownMember(items, item));
  }
  if (!isObject(value)) return false;
  const fields = membersOf(variant);
  const values = mapValues(variant);
  return Object.entries(value).some(([name, one]) => {
    const known = fields.find((field) => field.name === name)?.schema ?? values;
    if (known !== undefined) return hasUnknownMember(known, one);
    return fields.length > 0 && additionalProperties === false && one !== null;
  });
}
