// Account-wide attribute definitions: select, create, update and delete.
import type { AttributeType } from "../../../api/schemas.ts";
import type { createUserAttribute, updateUserAttribute } from "../../../api/user-attributes.ts";
import type { Static } from "typebox";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { fieldError } from "../shared/field-error.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { accountScope } from "../user-groups/groups.ts";
import { requireMatchingDefault } from "./types.ts";

/** Selects the account-wide definitions. */
export function selectAttributes(db: Db) {
  return db
    .selectFrom("user_attributes")
    .selectAll()
    .where("user_attributes.tenant_scope", "=", accountScope);
}

/** Converts a definition to the API form. */
export function showAttribute(row: Row<"user_attributes">) {
  return {
    id: row.id,
    name: row.name,
    type: attributeType(row.type),
    ...omitNullish({
      displayName: row.display_name,
      description: row.description,
      defaultValue: row.default_value,
    }),
  };
}

/** The column only ever contains declared types. */
export function attributeType(stored: string): Static<typeof AttributeType> {
  return stored as Static<typeof AttributeType>;
}

/** Returns the error for a missing attribute. */
export function attributeNotFound(id: number): Failure {
  return new Failure("not_found", `there is no user attribute ${id}`);
}

/** Creates a definition. Throws `conflict` if its name is taken and `invalid` for a default of another type. */
export async function createAttribute(
  db: Db,
  input: RequestOf<typeof createUserAttribute>["body"],
  createdAt: string,
) {
  requireMatchingDefault(input, input.defaultValue);
  const created = await db
    .insertInto("user_attributes")
    .values({
      name: input.name,
      type: input.type,
      display_name: emptyToNull(input.displayName),
      description: emptyToNull(input.description),
      default_value: emptyToNull(input.defaultValue),
      created_at: createdAt,
    })
    .onConflict((on) => on.columns(["tenant_scope", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (created) return showAttribute(created);
  const what = `a user attribute named ${JSON.stringify(input.name)} already exists; choose another name`;
  throw fieldError("name", ["conflict", what]);
}

/**
 * Updates the texts that are given; `null` or an empty text clears one. Throws `not_found` if there is no such
 * definition.
 */
export async function updateAttribute(
  db: Db,
  id: number,
  input: RequestOf<typeof updateUserAttribute>["body"],
) {
  const { displayName, description, defaultValue } = input;
  const changed = await db
    .updateTable("user_attributes")
    .set({
      // An update without members is valid, but SQL needs at least one column.
      name: (eb) => eb.ref("name"),
      ...(displayName === undefined ? {} : { display_name: emptyToNull(displayName) }),
      ...(description === undefined ? {} : { description: emptyToNull(description) }),
      ...(defaultValue === undefined ? {} : { default_value: emptyToNull(defaultValue) }),
    })
    .where("id", "=", id)
    .where("tenant_scope", "=", accountScope)
    .returningAll()
    .executeTakeFirst();
  if (!changed) throw attributeNotFound(id);
  // Check the default after the update, against the stored type; an exception rolls the update back.
  requireMatchingDefault(changed, defaultValue);
  return showAttribute(changed);
}

/** Deletes a definition and all its values. Throws `not_found` if there is none. */
export async function dropAttribute(db: Db, id: number): Promise<void> {
  const deleted = await db
    .deleteFrom("user_attributes")
    .where("id", "=", id)
    .where("tenant_scope", "=", accountScope)
    .returning("id")
    .executeTakeFirst();
  if (!deleted) throw attributeNotFound(id);
}
