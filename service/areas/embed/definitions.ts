// Group and attribute definitions in an embed tenant: created if missing, updated if different, never removed.
import { Failure } from "../../../core/errors.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { requireMatchingDefault } from "../user-attributes/types.ts";
import type { SessionRequest } from "./session-request.ts";

type GroupDefinition = NonNullable<SessionRequest["groupDefinitions"]>[number];
type AttributeDefinition = NonNullable<SessionRequest["userAttributeDefinitions"]>[number];

/** The embed tenant, and the time of the request. */
export interface TenantContext {
  readonly id: number;
  readonly at: string;
}

/** Creates or updates groups. A description is updated if it is given and differs; it is never cleared. */
export async function defineGroups(
  db: Db,
  tenant: TenantContext,
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
  const changed = definitions.flatMap(({ name, description }) => {
    const before = known.get(name);
    const desired = emptyToNull(description) ?? before?.description ?? null;
    if (before && desired === before.description) return [];
    const key = { name, name_key: name.toLowerCase() };
    return [{ ...key, embed_tenant_id: tenant.id, description: desired, created_at: tenant.at }];
  });
  if (changed.length === 0) return;
  await db
    .insertInto("user_groups")
    .values(changed)
    .onConflict((on) =>
      on
        .columns(["tenant_scope", "name"])
        .doUpdateSet((eb) => ({ description: eb.ref("excluded.description") })),
    )
    .execute();
}

/**
 * Creates or updates attributes. Throws `cannot change type` if an attribute exists with another type, and `invalid`
 * if a default does not match its type; both before anything is written.
 */
export async function defineAttributes(
  db: Db,
  tenant: TenantContext,
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
  for (const definition of definitions) requireMatchingDefault(definition, definition.defaultValue);
  const changed = definitions.flatMap((definition) => {
    const before = known.get(definition.name);
    const desired = textsOf(definition, before);
    if (before && sameTexts(desired, before)) return [];
    const { name, type } = definition;
    return [{ embed_tenant_id: tenant.id, name, type, ...desired, created_at: tenant.at }];
  });
  if (changed.length === 0) return;
  await db
    .insertInto("user_attributes")
    .values(changed)
    .onConflict((on) =>
      on.columns(["tenant_scope", "name"]).doUpdateSet((eb) => ({
        display_name: eb.ref("excluded.display_name"),
        default_value: eb.ref("excluded.default_value"),
        description: eb.ref("excluded.description"),
      })),
    )
    .execute();
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

type AttributeTexts = Pick<
  Row<"user_attributes">,
  "display_name" | "default_value" | "description"
>;

/** Returns the stored text for a member: absent and `null` keep it, and an empty text clears it. */
function textsOf(
  definition: AttributeDefinition,
  before: AttributeTexts | undefined,
): AttributeTexts {
  const { displayName, defaultValue, description } = definition;
  return {
    display_name: emptyToNull(displayName ?? before?.display_name),
    default_value: emptyToNull(defaultValue ?? before?.default_value),
    description: emptyToNull(description ?? before?.description),
  };
}

function sameTexts(one: AttributeTexts, other: AttributeTexts): boolean {
  return (
    one.display_name === other.display_name &&
    one.default_value === other.default_value &&
    one.description === other.description
  );
}

function byName<Item extends { readonly name: string }>(
  rows: readonly Item[],
): ReadonlyMap<string, Item> {
  return new Map(rows.map((row) => [row.name, row]));
}

function namesOf(definitions: readonly { readonly name: string }[]): string[] {
  return definitions.map(({ name }) => name);
}
