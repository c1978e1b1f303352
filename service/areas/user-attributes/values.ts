// Attribute values of users: one row per value, no row for a cleared value.
import { Failure } from "../../../core/errors.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { accountScope } from "../user-groups/groups.ts";
import { assignValues } from "./assign.ts";
import { attributeType, attributeNotFound } from "./definitions.ts";
import { requireMatchingType, type Value } from "./types.ts";

/** Returns the user's values of the account's attributes, newest attribute first. Throws `not_found` if there is no such user. */
export async function readValues(db: Db, userId: number) {
  await requireUser(db, userId);
  const rows = await db
    .selectFrom("user_attribute_values")
    .innerJoin("user_attributes", "user_attributes.id", "user_attribute_values.attribute_id")
    .selectAll("user_attributes")
    .select("user_attribute_values.value")
    .where("user_attribute_values.user_id", "=", userId)
    .where("user_attributes.tenant_scope", "=", accountScope)
    .execute();
  const newestFirst = rows.toSorted((one, other) => other.id - one.id);
  return newestFirst.map(({ value, ...attribute }) =>
    show(userId, attribute, fromJson(value) as Value),
  );
}

/**
 * Sets a value, or clears it with `null`. Throws `not_found` for the user or attribute and `invalid` for a value of
 * another type.
 */
export async function setValue(
  db: Db,
  input: { userId: number; attributeId: number; value: Value | null },
) {
  const { userId, attributeId, value } = input;
  await requireUser(db, userId);
  const attribute = await db
    .selectFrom("user_attributes")
    .selectAll()
    .where("id", "=", attributeId)
    .where("tenant_scope", "=", accountScope)
    .executeTakeFirst();
  if (!attribute) throw attributeNotFound(attributeId);
  if (value === null) await clear(db, userId, attributeId);
  else {
    requireMatchingType(attribute, value);
    await store(db, userId, { id: attributeId, value });
  }
  return show(userId, attribute, value);
}

/**
 * Replaces the user's values of the account's attributes. Throws `not_found` for the user, and `invalid` for unknown
 * or repeated names and values of another type.
 */
export async function replaceValues(
  db: Db,
  userId: number,
  values: readonly { readonly name: string; readonly value: Value | null }[],
): Promise<void> {
  await requireUser(db, userId);
  const names = new Set(values.map(({ name }) => name));
  if (names.size < values.length) {
    throw new Failure("invalid", "userAttributes: each name may be given only once");
  }
  const accounts = db
    .selectFrom("user_attributes")
    .select("id")
    .where("tenant_scope", "=", accountScope);
  await db
    .deleteFrom("user_attribute_values")
    .where("user_id", "=", userId)
    .where("attribute_id", "in", accounts)
    .execute();
  await assignValues(db, { userId, scope: accountScope, values });
}

async function requireUser(db: Db, id: number): Promise<void> {
  const user = await db.selectFrom("users").select("id").where("id", "=", id).executeTakeFirst();
  if (!user) throw new Failure("not_found", `there is no user ${id}`);
}

async function store(db: Db, userId: number, { id, value }: { id: number; value: Value }) {
  await db
    .insertInto("user_attribute_values")
    .values({ user_id: userId, attribute_id: id, value: toJson(value) })
    .onConflict((on) =>
      on
        .columns(["user_id", "attribute_id"])
        .doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
    )
    .execute();
}

async function clear(db: Db, userId: number, attributeId: number): Promise<void> {
  await db
    .deleteFrom("user_attribute_values")
    .where("user_id", "=", userId)
    .where("attribute_id", "=", attributeId)
    .execute();
}

function show(userId: number, attribute: Row<"user_attributes">, value: Value | null) {
  return {
    userId,
    userAttributeId: attribute.id,
    name: attribute.name,
    type: attributeType(attribute.type),
    value,
    ...omitNullish({
      formattedValue: value === null ? null : [value].flat().map(String).join(", "),
      displayName: attribute.display_name,
      description: attribute.description,
    }),
  };
}
