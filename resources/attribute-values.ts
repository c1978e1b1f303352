// The schema of attribute values, shared by resource types for users and recipients.
import { type TSchema, Type } from "typebox";
import { LookupName } from "../api/schemas.ts";
import { limits } from "../core/limits/limits.ts";
import { field, type Traits } from "../core/schema/traits.ts";

/** Returns the schema of a list of attribute values. `of` declares which kind of attribute they refer to. */
export function attributeValues<Value extends TSchema>(
  value: Value,
  of: Pick<Traits, "refersTo" | "within">,
) {
  const one = Type.Object(
    {
      name: field(LookupName, { doc: "Name of the attribute.", typesValue: "value", ...of }),
      value: field(value, { doc: "Value of the attribute, of the attribute's type." }),
    },
    { additionalProperties: false },
  );
  return Type.Array(field(one, { doc: "A value of an attribute.", typeName: "AttributeValue" }), {
    maxItems: limits.definitions,
  });
}
