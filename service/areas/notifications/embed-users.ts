// Creates missing external users and tenants of recipients, and updates emails, in set operations.
import { invariant } from "../../../core/errors.ts";
import { caseById } from "../../store/case-by-id.ts";
import type { Db } from "../../store/schema.ts";
import { requireExternalUserCapacity } from "../embed-tenants/external-users.ts";
import type { ExternalRecipient, ResolvedRecipient } from "./resolve-recipients.ts";

/** The scope in which recipients are found and created. */
export interface EnsureUsersContext {
  readonly db: Db;
  /** Maximum number of external users in the account. */
  readonly externalUserLimit: number;
  /** Creation time for new users, as an ISO 8601 timestamp. */
  readonly at: string;
}

/** A recipient whose user exists. */
export interface ExistingRecipient extends ResolvedRecipient {
  readonly userId: number;
  readonly emailChanged: boolean;
}

/**
 * Returns the recipients with their users, and creates missing ones. Throws `limit_reached`, before any write, if the
 * account's limit would be exceeded.
 */
export async function ensureUsers(
  recipients: readonly ResolvedRecipient[],
  place: EnsureUsersContext,
): Promise<readonly ExistingRecipient[]> {
  const missing = recipients.flatMap(({ userId, external }) =>
    userId === undefined && external ? [external] : [],
  );
  if (missing.length > 0) {
    await requireExternalUserCapacity(place.db, missing.length, place.externalUserLimit);
  }
  const created = await insertExternalUsers(missing, place);
  await updateEmails(place.db, recipients);
  return recipients.map((recipient) => {
    const { external } = recipient;
    const userId = recipient.userId ?? (external && created.get(externalUserKey(external)));
    invariant(userId !== undefined, "a recipient without a user");
    const emailChanged = recipient.userId !== undefined && external?.newEmail !== undefined;
    return { ...recipient, userId, emailChanged };
  });
}

function externalUserKey({ tenant, externalId }: ExternalRecipient): string {
  return `${tenant}/${externalId}`;
}

/** Creates external users and returns the ids of all of them by tenant and external id. */
async function insertExternalUsers(
  missing: readonly ExternalRecipient[],
  { db, at }: EnsureUsersContext,
): Promise<ReadonlyMap<string, number>> {
  if (missing.length === 0) return new Map();
  const tenants = await ensureTenants(db, [...new Set(missing.map(({ tenant }) => tenant))], at);
  const rows = missing.map(({ tenant, externalId, newEmail }) => ({
    username: externalId,
    email: newEmail ?? null,
    is_admin: 0,
    is_external: 1,
    embed_tenant_id: tenants.get(tenant) ?? null,
    external_id: externalId,
    created_at: at,
  }));
  // Another server may be creating the same users concurrently.
  await db
    .insertInto("users")
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute();
  const names = new Map([...tenants].map(([name, id]) => [id, name]));
  const created = await db
    .selectFrom("users")
    .select(["id", "embed_tenant_id", "external_id"])
    .where("embed_tenant_id", "in", [...tenants.values()])
    .where(
      "external_id",
      "in",
      missing.map(({ externalId }) => externalId),
    )
    .execute();
  return new Map(
    created.map((row) => [`${names.get(row.embed_tenant_id ?? 0)}/${row.external_id}`, row.id]),
  );
}

/** Returns the ids of these tenants by name, and creates tenants that do not exist. */
async function ensureTenants(
  db: Db,
  names: readonly string[],
  at: string,
): Promise<ReadonlyMap<string, number>> {
  await db
    .insertInto("embed_tenants")
    .values(names.map((name) => ({ name, display_name: null, created_at: at })))
    .onConflict((on) => on.column("name").doNothing())
    .execute();
  const rows = await db
    .selectFrom("embed_tenants")
    .select(["id", "name"])
    .where("name", "in", names)
    .execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}

async function updateEmails(db: Db, recipients: readonly ResolvedRecipient[]): Promise<void> {
  const changed = recipients.flatMap(({ userId, external }): [number, string][] =>
    userId === undefined || external?.newEmail === undefined ? [] : [[userId, external.newEmail]],
  );
  if (changed.length === 0) return;
  await db
    .updateTable("users")
    .set({ email: caseById(changed) })
    .where(
      "id",
      "in",
      changed.map(([id]) => id),
    )
    .execute();
}
