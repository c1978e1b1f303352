// SCIM integrations: their rows and their rules.
import type { updateScimIntegration } from "../../../api/scim-integrations.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { UserRole } from "../../../core/operation/permission-actions.ts";
import type { Principal } from "../../security/principal.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { fromJson, toFlag, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";

type Update = RequestOf<typeof updateScimIntegration>["body"];
type ProviderType = NonNullable<Update["providerType"]>;

/** The origin and the time at which integrations are shown. */
interface Shown {
  /** Origin of the account. */
  readonly origin: string;
  readonly at: string;
}

/** Converts integrations to their API form. Counts the users and groups of all in two queries. */
export async function showIntegrations(
  db: Db,
  rows: readonly Row<"scim_integrations">[],
  { origin, at }: Shown,
) {
  const userCounts = await countsOf(db, "scim_users");
  const groupCounts = await countsOf(db, "scim_groups");
  return rows.map((row) => {
    const expiresAt = row.previous_token_expires_at;
    return {
      id: row.id,
      name: row.name,
      providerType: row.provider as ProviderType,
      isEnabled: row.is_enabled === 1,
      defaultRoles: row.default_roles === null ? null : (fromJson(row.default_roles) as UserRole[]),
      baseUrl: baseUrlOf(origin, row.provider),
      tokenPrefix: row.token_prefix,
      ...omitNullish({
        previousTokenExpiresAt: expiresAt !== null && expiresAt > at ? expiresAt : null,
        lastRequestAt: row.last_request_at,
      }),
      userCount: userCounts.get(row.id) ?? 0,
      groupCount: groupCounts.get(row.id) ?? 0,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  });
}

/**
 * With the flag in this address, Entra ID follows the standard when it disables users, adds values and removes members.
 */
function baseUrlOf(origin: string, provider: string): string {
  return `${origin}/api/scim/v2${provider === "entra" ? "?aadOptscim062020" : ""}`;
}

async function countsOf(
  db: Db,
  table: "scim_users" | "scim_groups",
): Promise<ReadonlyMap<number | null, number>> {
  const rows = await db
    .selectFrom(table)
    .select("integration_id")
    .select((eb) => eb.fn.countAll().as("total"))
    .where("integration_id", "is not", null)
    .groupBy("integration_id")
    .execute();
  return new Map(rows.map(({ integration_id, total }) => [integration_id, Number(total)]));
}

/** Returns the columns that a request sets; `null` restores the default. */
export function integrationColumns({ name, providerType, isEnabled, defaultRoles }: Update) {
  return {
    ...(name !== undefined && { name }),
    ...(providerType !== undefined && { provider: providerType ?? "generic" }),
    ...(isEnabled !== undefined && { is_enabled: toFlag(isEnabled ?? true) }),
    ...(defaultRoles !== undefined && {
      default_roles: defaultRoles && toJson([...new Set(defaultRoles)]),
    }),
  };
}

/** Throws `forbidden` for a credential that would give an integration more permissions than it has. */
export function requireMayProvision(
  principal: Principal,
  { defaultRoles }: Pick<Update, "defaultRoles">,
): void {
  requirePermission(principal, "ScimManage", []);
  if (defaultRoles != null) requirePermission(principal, "All", []);
}

/** Throws `conflict` for a name that another integration has, and `limit_reached` for too many. */
export async function refuseConflict(db: Db, name: string, id = 0): Promise<void> {
  const rows = await db.selectFrom("scim_integrations").select(["id", "name"]).execute();
  if (rows.some((row) => row.id !== id && row.name === name)) {
    throw new Failure("conflict", `a SCIM integration named ${JSON.stringify(name)} exists`);
  }
  if (id === 0 && rows.length >= limits.scimIntegrations) {
    const text = `an account has at most ${limits.scimIntegrations} SCIM integrations`;
    throw new Failure("limit_reached", text);
  }
}

/** Returns an integration. Throws `not_found`. */
export async function readIntegration(db: Db, id: number): Promise<Row<"scim_integrations">> {
  const row = await db
    .selectFrom("scim_integrations")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no SCIM integration ${id}`);
}

/** Deletes an integration. The account becomes the owner of the provisioned users and groups. */
export async function dropIntegration(db: Db, id: number): Promise<void> {
  await db
    .deleteFrom("scim_emails")
    .where("user_id", "in", (eb) =>
      eb.selectFrom("scim_users").select("user_id").where("integration_id", "=", id),
    )
    .execute();
  await db.deleteFrom("scim_integrations").where("id", "=", id).execute();
}
