// Values of attributes as users of every sort hold them.
import { type TSchema, Type } from "typebox";
import { LookupName } from "../api/schemas.ts";
import { limits } from "../core/limits.ts";
import { field, type Traits } from "../core/traits.ts";

/** A list of attributes, each with its value; `of` says whose attributes they are. */
export function attributeValues<Value extends TSchema>(
  value: Value,
  of: Pick<Traits, "refersTo" | "within">,
) {
  const one = Type.Object(
    {
      name: field(LookupName, { doc: "The attribute.", ...of }),
      value: field(value, { doc: "Its value, of the attribute's type." }),
    },
    { additionalProperties: false },
  );
  return Type.Array(field(one, { doc: "A value of an attribute.", typeName: "AttributeValue" }), {
    maxItems: limits.definitions,
  });
}
