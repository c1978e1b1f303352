// Minting a session: who it is for, what is defined and assigned on the way, and the identifier that stands for it.
import { randomBytes } from "node:crypto";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits.ts";
import { secretHash } from "../../security/principal.ts";
import { toFlag, toTimestamp, emptyToNull, toJson } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db, Row } from "../../store/schema.ts";
import { createExternalUser, updateExternalUser } from "../embed-tenants/external-users.ts";
import { replaceMemberships } from "../embed-tenants/memberships.ts";
import { ensureTenant, setTenantDisplayName } from "../embed-tenants/tenants.ts";
import { accountScope } from "../user-groups/groups.ts";
import { defineAttributes, defineGroups } from "./definitions.ts";
import { checkSessionRequest, type SessionRequest } from "./session-request.ts";
import { loadSessionContext, type SessionContext } from "./session-context.ts";
import { assignValues } from "../user-attributes/assign.ts";

/** Whose session it is: a user, in an embed tenant or, for the account's own users, in none. */
interface SessionOwner {
  readonly userId: number;
  readonly tenantId: number | undefined;
}

/** Mints a session in the transaction `db`, which has to be undone where this fails, and returns its identifier. */
export async function createSession(db: Db, request: SessionRequest, now: Date): Promise<string> {
  checkSessionRequest(request);
  const standing = await loadSessionContext(db, request);
  requireAllowed(standing, request);
  const holder = await ensureOwner(db, standing, { request, at: toTimestamp(now) });
  await applyDefinitions(db, holder, { request, at: toTimestamp(now) });
  await assignGroups(db, holder, request);
  await assignAttributes(db, holder, request);
  return storeSession(db, holder, { request, now });
}

/** Refuses what the account does not allow, and deployments that it does not have. */
function requireAllowed(
  standing: SessionContext,
  { deploymentId, creatorMode }: SessionRequest,
): void {
  if (!standing.embeddingEnabled) {
    throw new Failure("forbidden", "embedding is switched off for this account");
  }
  if (!standing.hasDeployment) {
    throw new Failure("not_found", `there is no deployment ${deploymentId}`);
  }
  if (creatorMode === true && !standing.useCreatorMode) {
    throw new Failure("forbidden", "creatorMode needs the account's useCreatorMode flag", {
      remedy: "Ask the operator of the service to switch it on.",
    });
  }
}

interface SessionInput {
  readonly request: SessionRequest;
  readonly at: string;
}

/** The holder of the session; an embed tenant and an external user are made where they are missing. */
async function ensureOwner(
  db: Db,
  standing: SessionContext,
  { request, at }: SessionInput,
): Promise<SessionOwner> {
  const { externalId, internalId } = request;
  const tenantId = await ensureSessionTenant(db, standing, { request, at });
  if (externalId == null || tenantId === undefined) {
    const { internalUser } = standing;
    if (internalUser && !internalUser.isDeactivated) return { userId: internalUser.id, tenantId };
    const what = internalUser ? "is deactivated" : "does not exist";
    throw new Failure("invalid", `internalId: the user ${JSON.stringify(internalId)} ${what}`);
  }
  const { externalUser } = standing;
  if (externalUser) {
    await updateExternalUser(db, externalUser, request);
    return { userId: externalUser.id, tenantId };
  }
  const limit = standing.externalUserLimit;
  const newcomer = { tenantId, externalId, input: request, limit, createdAt: at };
  return { userId: await createExternalUser(db, newcomer), tenantId };
}

async function ensureSessionTenant(
  db: Db,
  standing: SessionContext,
  { request, at }: SessionInput,
): Promise<number | undefined> {
  const displayName = request.embedTenantProfile?.displayName;
  const isNamed = request.embedTenantName != null || displayName != null;
  if (request.externalId == null && !isNamed && request.creatorMode !== true) return undefined;
  const id = standing.tenantId ?? (await ensureTenant(db, standing.tenantName, at));
  if (displayName != null && emptyToNull(displayName) !== standing.tenantDisplayName) {
    await setTenantDisplayName(db, id, displayName);
  }
  return id;
}

async function applyDefinitions(
  db: Db,
  { tenantId }: SessionOwner,
  { request, at }: SessionInput,
): Promise<void> {
  if (tenantId === undefined) return;
  const tenant = { id: tenantId, at };
  await defineGroups(db, tenant, request.groupDefinitions ?? []);
  await defineAttributes(db, tenant, request.userAttributeDefinitions ?? []);
}

async function assignGroups(db: Db, holder: SessionOwner, request: SessionRequest): Promise<void> {
  if (request.groups == null) return;
  const scope = nameScope(holder, request);
  await replaceMemberships(db, { userId: holder.userId, scope, names: request.groups });
}

async function assignAttributes(
  db: Db,
  holder: SessionOwner,
  request: SessionRequest,
): Promise<void> {
  const scope = nameScope(holder, request);
  await assignValues(db, { userId: holder.userId, scope, values: request.userAttributes ?? [] });
}

/** Where names of groups and attributes are looked up. */
function nameScope({ tenantId }: SessionOwner, { creatorMode }: SessionRequest): number {
  return creatorMode === true && tenantId !== undefined ? tenantId : accountScope;
}

type NewSession = Omit<Row<"embed_sessions">, "id" | "exchanged_at" | "revoked_at">;

const insertSession = preparedQuery((db: Db, value: NewSession) =>
  db.insertInto("embed_sessions").values({
    session_hash: value.session_hash,
    user_id: value.user_id,
    deployment_id: value.deployment_id,
    embed_tenant_id: value.embed_tenant_id,
    creator_mode: value.creator_mode,
    security_context: value.security_context,
    settings: value.settings,
    created_at: value.created_at,
    expires_at: value.expires_at,
    exchanged_at: null,
    revoked_at: null,
  }),
);

async function storeSession(
  db: Db,
  { userId, tenantId }: SessionOwner,
  { request, now }: { request: SessionRequest; now: Date },
): Promise<string> {
  const sessionId = randomBytes(16).toString("hex");
  const { securityContext, settings } = request;
  await insertSession(db, {
    session_hash: secretHash(sessionId),
    user_id: userId,
    deployment_id: request.deploymentId,
    embed_tenant_id: tenantId ?? null,
    creator_mode: toFlag(request.creatorMode === true),
    security_context: securityContext == null ? null : toJson(securityContext as JsonObject),
    settings: settings == null ? null : toJson(settings),
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now.getTime() + limits.sessionSeconds * 1000),
  });
  return sessionId;
}
