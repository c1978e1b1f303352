// Creates a session: resolves its user, writes definitions and assignments, and returns the session identifier.
import { randomBytes } from "node:crypto";
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { embeddingDisabledReason } from "../../security/embed-access.ts";
import { secretHash } from "../../security/secret-hash.ts";
import { toFlag, toTimestamp, emptyToNull, toJson } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db, Row } from "../../store/schema.ts";
import { createExternalUser, updateExternalUser } from "../embed-tenants/external-users.ts";
import { replaceMemberships } from "../embed-tenants/memberships.ts";
import { ensureTenant, setTenantDisplayName } from "../embed-tenants/tenants.ts";
import { accountScope } from "../user-groups/groups.ts";
import { defineAttributes, defineGroups } from "./definitions.ts";
import { checkSessionRequest, type SessionRequest } from "./session-request.ts";
import { checkOptions, optionsColumn } from "./session-options.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { loadSessionContext, type SessionContext } from "./session-context.ts";
import { assignValues } from "../user-attributes/assign.ts";

/** The user of the session and the embed tenant; account users have no tenant. */
interface SessionOwner {
  readonly userId: number;
  readonly tenantId: number | undefined;
}

/** Creates a session in the transaction `db` and returns its identifier. If it throws, the caller must roll back. */
export async function createSession(
  db: Db,
  request: SessionRequest,
  { now, credential }: { readonly now: Date; readonly credential: CredentialLimits },
): Promise<string> {
  checkSessionRequest(request);
  const context = await loadSessionContext(db, request);
  requireAllowed(context, request);
  await checkOptions(db, context, request);
  const holder = await ensureOwner(db, context, { request, at: toTimestamp(now) });
  await applyDefinitions(db, holder, { request, at: toTimestamp(now) });
  await assignGroups(db, holder, { request, credential });
  await assignAttributes(db, holder, request);
  return storeSession(db, holder, { request, now });
}

/** Rejects options that the account does not allow, and unknown deployments. */
function requireAllowed(
  context: SessionContext,
  { deploymentId, creatorMode }: SessionRequest,
): void {
  if (!context.embeddingEnabled) throw new Failure("forbidden", embeddingDisabledReason);
  if (!context.hasDeployment) {
    throw new Failure("not_found", `there is no deployment ${deploymentId}`);
  }
  if (creatorMode === true && !context.useCreatorMode) {
    throw new Failure("forbidden", "creatorMode needs the account setting useCreatorMode", {
      remedy: "An administrator can enable it in the tenant settings.",
    });
  }
}

interface SessionInput {
  readonly request: SessionRequest;
  readonly at: string;
}

/** Returns the user of the session. Creates the embed tenant and the external user if they do not exist. */
async function ensureOwner(
  db: Db,
  context: SessionContext,
  { request, at }: SessionInput,
): Promise<SessionOwner> {
  const { externalId, internalId } = request;
  const tenantId = await ensureSessionTenant(db, context, { request, at });
  if (externalId == null || tenantId === undefined) {
    const { internalUser } = context;
    if (internalUser && !internalUser.isDeactivated) return { userId: internalUser.id, tenantId };
    const what = internalUser ? "is deactivated" : "does not exist";
    throw new Failure("invalid", `internalId: the user ${JSON.stringify(internalId)} ${what}`);
  }
  const { externalUser } = context;
  if (externalUser) {
    await updateExternalUser(db, externalUser, request);
    return { userId: externalUser.id, tenantId };
  }
  const limit = context.externalUserLimit;
  const newUser = { tenantId, externalId, input: request, limit, createdAt: at };
  return { userId: await createExternalUser(db, newUser), tenantId };
}

async function ensureSessionTenant(
  db: Db,
  context: SessionContext,
  { request, at }: SessionInput,
): Promise<number | undefined> {
  const displayName = request.embedTenantProfile?.displayName;
  const isNamed = request.embedTenantName != null || displayName != null;
  if (request.externalId == null && !isNamed && request.creatorMode !== true) return undefined;
  const id = context.tenantId ?? (await ensureTenant(db, context.tenantName, at));
  if (displayName != null && emptyToNull(displayName) !== context.tenantDisplayName) {
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
  await defineGroups(db, tenant, request.tenantGroupDefinitions ?? []);
  await defineAttributes(db, tenant, request.userAttributeDefinitions ?? []);
}

async function assignGroups(
  db: Db,
  holder: SessionOwner,
  { request, credential }: { request: SessionRequest; credential: CredentialLimits },
): Promise<void> {
  const { userId, tenantId } = holder;
  // The session reads everything that its groups may read.
  const { actions } = credential;
  const own = actions === undefined ? {} : { actions: [...actions, "ReadAll" as const] };
  const { groups, tenantGroups } = request;
  if (groups != null) {
    const scope = nameScope(holder, request);
    await replaceMemberships(db, { userId, scope, names: groups, limits: own });
  }
  if (tenantGroups != null && tenantId !== undefined) {
    await replaceMemberships(db, { userId, scope: tenantId, names: tenantGroups, limits: own });
  }
}

async function assignAttributes(
  db: Db,
  holder: SessionOwner,
  request: SessionRequest,
): Promise<void> {
  const scope = nameScope(holder, request);
  await assignValues(db, { userId: holder.userId, scope, values: request.userAttributes ?? [] });
}

/** The scope in which names of groups and attributes are resolved. */
function nameScope({ tenantId }: SessionOwner, { creatorMode }: SessionRequest): number {
  return creatorMode === true && tenantId !== undefined ? tenantId : accountScope;
}

type NewSession = Omit<
  Row<"embed_sessions">,
  "id" | "exchanged_at" | "revoked_at" | "browser_session_id"
>;

const insertSession = preparedQuery((db: Db, value: NewSession) =>
  db.insertInto("embed_sessions").values({
    session_hash: value.session_hash,
    user_id: value.user_id,
    deployment_id: value.deployment_id,
    embed_tenant_id: value.embed_tenant_id,
    creator_mode: value.creator_mode,
    security_context: value.security_context,
    settings: value.settings,
    options: value.options,
    created_at: value.created_at,
    expires_at: value.expires_at,
    exchanged_at: null,
    revoked_at: null,
    browser_session_id: null,
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
    settings: settings == null ? null : toJson(omitNullish(settings)),
    options: optionsColumn(request),
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now.getTime() + limits.sessionSeconds * 1000),
  });
  return sessionId;
}
