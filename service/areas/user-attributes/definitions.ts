// Account-wide attribute definitions: the selection that shows them, and what may be done to them.
import type { AttributeType } from "../../../api/schemas.ts";
import type { createUserAttribute, updateUserAttribute } from "../../../api/user-attributes.ts";
import type { Static } from "typebox";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { omitNullish } from "../operation-handler.ts";
import { fieldError } from "../field-error.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { accountScope } from "../user-groups/groups.ts";
import { requireMatchingDefault } from "./types.ts";

/** The account-wide definitions. */
export function selectAttributes(db: Db) {
  return db
    .selectFrom("user_attributes")
    .selectAll()
    .where("user_attributes.tenant_scope", "=", accountScope);
}

/** A definition as the API shows it. */
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

/** A stored type: only declared ones are ever written. */
export function attributeType(stored: string): Static<typeof AttributeType> {
  return stored as Static<typeof AttributeType>;
}

/** The failure for an attribute that is not there. */
export function attributeNotFound(id: number): Failure {
  return new Failure("not_found", `there is no user attribute ${id}`);
}

/** Makes a definition; `conflict` where its name is taken, `invalid` for a default of another type. */
export async function createAttribute(
  db: Db,
  wish: RequestOf<typeof createUserAttribute>["body"],
  createdAt: string,
) {
  requireMatchingDefault(wish, wish.defaultValue);
  const made = await db
    .insertInto("user_attributes")
    .values({
      name: wish.name,
      type: wish.type,
      display_name: emptyToNull(wish.displayName),
      description: emptyToNull(wish.description),
      default_value: emptyToNull(wish.defaultValue),
      created_at: createdAt,
    })
    .onConflict((on) => on.columns(["tenant_scope", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) return showAttribute(made);
  const what = `a user attribute named ${JSON.stringify(wish.name)} exists`;
  throw fieldError("name", ["conflict", what]);
}

/** Changes the texts that are given; `null` or an empty text clears one. `not_found` where there is no such definition. */
export async function updateAttribute(
  db: Db,
  id: number,
  wish: RequestOf<typeof updateUserAttribute>["body"],
) {
  const { displayName, description, defaultValue } = wish;
  const changed = await db
    .updateTable("user_attributes")
    .set({
      // An empty wish is a valid one, but an update that sets nothing is no SQL.
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
  // The type is the row's; a failure takes the change back.
  requireMatchingDefault(changed, defaultValue);
  return showAttribute(changed);
}

/** Deletes a definition with every value of it; `not_found` where there is none. */
export async function dropAttribute(db: Db, id: number): Promise<void> {
  const gone = await db
    .deleteFrom("user_attributes")
    .where("id", "=", id)
    .where("tenant_scope", "=", accountScope)
    .returning("id")
    .executeTakeFirst();
  if (!gone) throw attributeNotFound(id);
}
