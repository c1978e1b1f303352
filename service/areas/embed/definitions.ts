// Definitions of groups and attributes in an embed tenant: made where missing, updated where they differ, never removed.
import { Failure } from "../../../core/errors.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { SessionRequest } from "./request.ts";

type GroupDefinition = NonNullable<SessionRequest["groupDefinitions"]>[number];
type AttributeDefinition = NonNullable<SessionRequest["userAttributeDefinitions"]>[number];

/** The embed tenant that is defined in, and when. */
export interface Tenant {
  readonly id: number;
  readonly at: string;
}

/** Defines groups; a description is updated where one is given that differs, and never cleared. */
export async function defineGroups(
  db: Db,
  tenant: Tenant,
  definitions: readonly GroupDefinition[],
): Promise<void> {
  if (definitions.length === 0) return;
  const rows = await db
    .selectFrom("user_groups")
    .select(["id", "name", "description"])
    .where("tenant_scope", "=", tenant.id)
    .where("name", "in", namesOf(definitions))
    .execute();
  const known = byName(rows);
  const missing = definitions.filter(({ name }) => !known.has(name));
  if (missing.length > 0) {
    const made = missing.map(({ name, description }) => ({
      embed_tenant_id: tenant.id,
      name,
      description: description || null,
      created_at: tenant.at,
    }));
    // Another server may be defining the same just now.
    await db
      .insertInto("user_groups")
      .values(made)
      .onConflict((on) => on.doNothing())
      .execute();
  }
  for (const { name, description } of definitions) {
    const group = known.get(name);
    if (!group || !description || description === group.description) continue;
    await db.updateTable("user_groups").set({ description }).where("id", "=", group.id).execute();
  }
}

/**
 * Defines attributes; what is given of one and differs is updated. Fails with `cannot change type` where an attribute has
 * another type, before anything is written.
 */
export async function defineAttributes(
  db: Db,
  tenant: Tenant,
  definitions: readonly AttributeDefinition[],
): Promise<void> {
  if (definitions.length === 0) return;
  const rows = await db
    .selectFrom("user_attributes")
    .selectAll()
    .where("tenant_scope", "=", tenant.id)
    .where("name", "in", namesOf(definitions))
    .execute();
  const known = byName(rows);
  refuseOtherTypes(known, definitions);
  const missing = definitions.filter(({ name }) => !known.has(name));
  if (missing.length > 0) {
    const made = missing.map((definition) => ({
      embed_tenant_id: tenant.id,
      name: definition.name,
      type: definition.type,
      display_name: definition.displayName ?? null,
      default_value: definition.defaultValue ?? null,
      description: definition.description || null,
      created_at: tenant.at,
    }));
    // Another server may be defining the same just now.
    await db
      .insertInto("user_attributes")
      .values(made)
      .onConflict((on) => on.doNothing())
      .execute();
  }
  for (const definition of definitions) {
    const attribute = known.get(definition.name);
    if (attribute) await updateAttribute(db, attribute, definition);
  }
}

function refuseOtherTypes(
  known: ReadonlyMap<string, Row<"user_attributes">>,
  definitions: readonly AttributeDefinition[],
): void {
  const conflicts = definitions
    .filter(({ name, type }) => known.has(name) && known.get(name)?.type !== type)
    .map(({ name }) => name);
  if (conflicts.length === 0) return;
  throw new Failure("invalid", "cannot change type", {
    details: { attributes: conflicts },
    remedy: "Delete the attribute in the embed tenant first, then define it again.",
  });
}

async function updateAttribute(
  db: Db,
  attribute: Row<"user_attributes">,
  definition: AttributeDefinition,
): Promise<void> {
  const wished = {
    display_name: definition.displayName ?? attribute.display_name,
    default_value: definition.defaultValue ?? attribute.default_value,
    description: definition.description || attribute.description,
  };
  const same =
    wished.display_name === attribute.display_name &&
    wished.default_value === attribute.default_value &&
    wished.description === attribute.description;
  if (same) return;
  await db.updateTable("user_attributes").set(wished).where("id", "=", attribute.id).execute();
}

function byName<Item extends { readonly name: string }>(
  rows: readonly Item[],
): ReadonlyMap<string, Item> {
  return new Map(rows.map((row) => [row.name, row]));
}

function namesOf(definitions: readonly { readonly name: string }[]): string[] {
  return definitions.map(({ name }) => name);
}
