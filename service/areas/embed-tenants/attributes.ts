// Attribute definitions of an embed tenant: list and delete.
import { embedAttributeTypes } from "../../../api/schemas.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import type { Db } from "../../store/schema.ts";

/** Selects the attribute definitions of an embed tenant. */
export function selectTenantAttributes(db: Db, tenant: number) {
  return db
    .selectFrom("user_attributes")
    .select([
      "user_attributes.id as id",
      "user_attributes.name",
      "user_attributes.type",
      "user_attributes.display_name",
      "user_attributes.default_value",
      "user_attributes.description",
    ])
    .where("user_attributes.tenant_scope", "=", tenant);
}

/** Converts an attribute definition to the API form. */
export function showTenantAttribute(row: {
  id: number;
  name: string;
  type: string;
  display_name: string | null;
  default_value: string | null;
  description: string | null;
}) {
  const { id, name, description } = row;
  const type = embedAttributeTypes.find((known) => known === row.type);
  invariant(type, `an embed tenant attribute has the type ${row.type}`);
  const texts = { displayName: row.display_name, defaultValue: row.default_value, description };
  return { id, name, type, ...omitNullish(texts) };
}

/** Deletes a definition and all its values. Throws `not_found` if the tenant has no such definition. */
export async function dropTenantAttribute(db: Db, tenant: number, id: number): Promise<void> {
  const deleted = await db
    .deleteFrom("user_attributes")
    .where("id", "=", id)
    .where("tenant_scope", "=", tenant)
    .returning("id")
    .executeTakeFirst();
  if (!deleted) throw new Failure("not_found", `there is no attribute ${id} in the embed tenant`);
}
