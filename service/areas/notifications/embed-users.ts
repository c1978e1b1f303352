// The external users behind recipients: tenants and users made where they are missing, emails brought up to date, all in sets.
import { invariant } from "../../../core/errors.ts";
import { caseById } from "../../store/case-by-id.ts";
import type { Db } from "../../store/schema.ts";
import { requireExternalUserCapacity } from "../embed-tenants/external-users.ts";
import type { ExternalRecipient, ResolvedRecipient } from "./resolve-recipients.ts";

/** Among which users recipients are looked for and made. */
export interface EnsureUsersContext {
  readonly db: Db;
  /** External users the account may have. */
  readonly externalUserLimit: number;
  /** When those that are made begin to exist, as an ISO 8601 instant. */
  readonly at: string;
}

/** A recipient whose user exists. */
export interface ExistingRecipient extends ResolvedRecipient {
  readonly userId: number;
  readonly emailChanged: boolean;
}

/** The recipients with users who exist; `limit_reached` before anything is made where the account may have no more. */
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
  const made = await insertExternalUsers(missing, place);
  await updateEmails(place.db, recipients);
  return recipients.map((recipient) => {
    const { external } = recipient;
    const userId = recipient.userId ?? (external && made.get(externalUserKey(external)));
    invariant(userId !== undefined, "a recipient without a user");
    const emailChanged = recipient.userId !== undefined && external?.newEmail !== undefined;
    return { ...recipient, userId, emailChanged };
  });
}

function externalUserKey({ tenant, externalId }: ExternalRecipient): string {
  return `${tenant}/${externalId}`;
}

/** Makes external users and returns the ids of all of them by tenant and external id. */
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
  // Another server may be making the same ones just now.
  await db
    .insertInto("users")
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute();
  const names = new Map([...tenants].map(([name, id]) => [id, name]));
  const made = await db
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
    made.map((row) => [`${names.get(row.embed_tenant_id ?? 0)}/${row.external_id}`, row.id]),
  );
}

/** The ids of these tenants by name, made where they are missing. */
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
