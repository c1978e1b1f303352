// Reads the attribute values of a user in one catalogue, with the defaults of attributes without a value.
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { fromJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { defaultOf } from "./types.ts";

/** Returns the values by name. `scope` is the embed tenant of the catalogue, or the account. */
export async function readAttributeValues(
  db: Db,
  userId: number,
  scope: number | null,
): Promise<JsonObject> {
  const attributes = await db
    .selectFrom("user_attributes")
    .leftJoin("user_attribute_values as own", (join) =>
      join.onRef("own.attribute_id", "=", "user_attributes.id").on("own.user_id", "=", userId),
    )
    .select(["user_attributes.name", "user_attributes.type", "user_attributes.default_value"])
    .select("own.value")
    .where("user_attributes.tenant_scope", "=", scope)
    .execute();
  const values = attributes.flatMap(
    ({ name, type, default_value: fallback, value }): [string, JsonValue][] => {
      const known = value === null ? defaultOf(type, fallback) : fromJson(value);
      return known === undefined ? [] : [[name, known]];
    },
  );
  return Object.fromEntries(values);
}
