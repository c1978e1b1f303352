// Reads everything that a session request refers to in one query, because session creation is a hot path.
import { invariant } from "../../../core/errors.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import type { ExternalUserRecord } from "../embed-tenants/external-users.ts";
import type { SessionRequest } from "./session-request.ts";

/** The stored objects that a session request refers to. */
export interface SessionContext {
  readonly embeddingEnabled: boolean;
  readonly useCreatorMode: boolean;
  readonly externalUserLimit: number;
  readonly hasDeployment: boolean;
  /** The deploy branch of the deployment; null if there is no such deployment. */
  readonly deployBranch: string | null;
  /** The embed tenant's name: from the request, or the account's own name. */
  readonly tenantName: string;
  /** Undefined if the tenant does not exist yet. */
  readonly tenantId: number | undefined;
  readonly tenantDisplayName: string | null;
  readonly externalUser: ExternalUserRecord | undefined;
  readonly internalUser: { readonly id: number; readonly isDeactivated: boolean } | undefined;
}

interface SessionContextKeys {
  readonly deploymentId: number;
  /** Null for the account's own users. */
  readonly tenantName: string | null;
  readonly externalId: string | null;
}

const sessionContextRow = preparedQuery((db: Db, value: SessionContextKeys) =>
  db
    .selectFrom("account")
    .leftJoin("deployments", (join) => join.on("deployments.id", "=", value.deploymentId))
    .leftJoin("embed_tenants", (join) =>
      join.on((eb) =>
        eb("embed_tenants.name", "=", eb.fn.coalesce(eb.val(value.tenantName), "account.name")),
      ),
    )
    .leftJoin("users", (join) =>
      join
        .onRef("users.embed_tenant_id", "=", "embed_tenants.id")
        .on("users.external_id", "=", value.externalId),
    )
    .select([
      "account.name as account_name",
      "account.embedding_enabled",
      "account.use_creator_mode",
      "account.external_user_limit",
      "deployments.id as deployment_id",
      "deployments.deploy_branch_name",
      "embed_tenants.id as tenant_id",
      "embed_tenants.display_name as tenant_display_name",
      "users.id as user_id",
      "users.email",
      "users.display_name",
      "users.picture",
      "users.is_ephemeral",
    ]),
);

const internalUserByName = preparedQuery((db: Db, value: { username: string }) =>
  db
    .selectFrom("users")
    .select(["id", "is_deactivated"])
    .where("username", "=", value.username)
    .where(isInternalUser),
);

/** Reads the stored objects that a request refers to. */
export async function loadSessionContext(db: Db, request: SessionRequest): Promise<SessionContext> {
  const { deploymentId, embedTenantName, externalId, internalId } = request;
  const [row] = await sessionContextRow(db, {
    // Requests may contain any number, but ids have 32 bits.
    deploymentId: (deploymentId | 0) === deploymentId ? deploymentId : 0,
    tenantName: embedTenantName ?? null,
    externalId: externalId ?? null,
  });
  invariant(row, "the store contains no account");
  const found = internalId == null ? [] : await internalUserByName(db, { username: internalId });
  const [internal] = found;
  const { user_id: id, email, display_name, picture, is_ephemeral } = row;
  return {
    embeddingEnabled: row.embedding_enabled === 1,
    useCreatorMode: row.use_creator_mode === 1,
    externalUserLimit: row.external_user_limit,
    hasDeployment: row.deployment_id !== null,
    deployBranch: row.deploy_branch_name,
    tenantName: embedTenantName ?? row.account_name,
    tenantId: row.tenant_id ?? undefined,
    tenantDisplayName: row.tenant_display_name,
    externalUser: id === null ? undefined : { id, email, display_name, picture, is_ephemeral },
    internalUser: internal && { id: internal.id, isDeactivated: internal.is_deactivated === 1 },
  };
}
