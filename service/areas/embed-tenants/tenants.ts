// Embed tenants: found by name, and created with their first session or user.
import { quoted, suggestion, suggestionRemedy } from "../../../core/text/naming.ts";
import { Failure } from "../../../core/errors.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { emptyToNull } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

const tenantIdByName = preparedQuery((db: Db, value: { name: string }) =>
  db.selectFrom("embed_tenants").select("id").where("name", "=", value.name),
);

/** Names to compare with a misspelled one: with more tenants, none is suggested. */
const comparedNames = 501;

/**
 * Returns the id of an embed tenant. Throws `not_found` if there is none with this name; the message suggests a name if
 * `suggests` is set, for callers who may list the tenants.
 */
export async function tenantId(
  db: Db,
  name: string,
  { suggests = false }: { readonly suggests?: boolean } = {},
): Promise<number> {
  const [tenant] = await tenantIdByName(db, { name });
  if (tenant) return tenant.id;
  const known = db.selectFrom("embed_tenants").select("name").limit(comparedNames);
  const names = suggests ? (await known.execute()).map((one) => one.name) : [];
  const text = `there is no embed tenant ${quoted(name)}; declare the tenant in a manifest or in Terraform, or let its first session or user create it`;
  throw new Failure("not_found", `${text}${suggestion(name, names, quoted)}`);
}

/** Returns the id of the embed tenant, and creates it if it does not exist. */
export async function ensureTenant(db: Db, name: string, createdAt: string): Promise<number> {
  const [tenant] = await tenantIdByName(db, { name });
  if (tenant) return tenant.id;
  const created = await db
    .insertInto("embed_tenants")
    .values({ name, display_name: null, created_at: createdAt })
    .onConflict((on) => on.column("name").doNothing())
    .returning("id")
    .executeTakeFirst();
  return created?.id ?? tenantId(db, name);
}

/** Sets the display name of an embed tenant. An empty text clears it. */
export async function setTenantDisplayName(db: Db, id: number, displayName: string): Promise<void> {
  const changed = { display_name: emptyToNull(displayName) };
  await db.updateTable("embed_tenants").set(changed).where("id", "=", id).execute();
}

/**
 * Deletes an embed tenant and everything in it. Deleting a missing tenant succeeds. Throws `invalid` if the name
 * differs from an existing one only in case, which is usually a typing error.
 */
export async function dropTenant(db: Db, name: string): Promise<void> {
  const deleted = await db
    .deleteFrom("embed_tenants")
    .where("name", "=", name)
    .returning("id")
    .executeTakeFirst();
  // Tenant names are lowercase, so only the lowercase name can match.
  const meant = name.toLowerCase();
  if (deleted || meant === name) return;
  const [other] = await tenantIdByName(db, { name: meant });
  if (other) {
    throw new Failure(
      "invalid",
      `there is no embed tenant ${JSON.stringify(name)}. ${suggestionRemedy(meant)}`,
    );
  }
}

/** Selects the embed tenants, each with its number of users. */
export function selectTenants(db: Db) {
  return db.selectFrom("embed_tenants").select((eb) => [
    "embed_tenants.id as id",
    "embed_tenants.name",
    "embed_tenants.display_name",
    "embed_tenants.created_at",
    eb
      .selectFrom("users")
      .whereRef("users.embed_tenant_id", "=", "embed_tenants.id")
      .select((count) => count.fn.countAll<number | string>().as("users"))
      .as("users"),
  ]);
}

/** Converts an embed tenant to the API form. */
export function showTenant(row: {
  id: number;
  name: string;
  display_name: string | null;
  created_at: string;
  users: number | string | null;
}) {
  const { id, name, display_name, created_at, users } = row;
  return {
    id,
    name,
    userCount: Number(users ?? 0),
    ...omitNullish({ displayName: display_name }),
    createdAt: created_at,
  };
}
