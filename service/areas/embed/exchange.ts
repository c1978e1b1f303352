// Exchanges a session for an embed token, once.
import { randomBytes } from "node:crypto";
import { Failure } from "../../../core/errors.ts";
import { authorize } from "../../../core/operation/authorize.ts";
import { limits } from "../../../core/limits/limits.ts";
import { type AppConfig, readAppConfig } from "../app/app-config.ts";
import { workspaceTitle } from "../app/workspace-title.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { withDashboardAccess } from "../../security/principal.ts";
import { secretHash } from "../../security/secret-hash.ts";
import type { JsonObject } from "../../../core/json.ts";
import { fromJson, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { EmbedClaims } from "../../security/tokens.ts";

/**
 * Exchanges a session and returns the claims for its token. From then on the session expires with its token. Throws
 * `unauthenticated` if the session is unknown, used, revoked or expired.
 */
export async function consumeSession(db: Db, sessionId: string, now: Date): Promise<EmbedClaims> {
  const at = toTimestamp(now);
  const session = await db
    .updateTable("embed_sessions")
    .set({
      exchanged_at: at,
      expires_at: toTimestamp(now.getTime() + limits.embedTokenSeconds * 1000),
    })
    .where("session_hash", "=", secretHash(sessionId))
    .where("exchanged_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", at)
    .returning(["id", "user_id", "deployment_id", "embed_tenant_id", "settings", "options"])
    .returning("creator_mode")
    .executeTakeFirst();
  if (!session) {
    throw new Failure(
      "unauthenticated",
      "the session is unknown, used, revoked or expired; create a new session",
    );
  }
  await db.updateTable("users").set({ last_login: at }).where("id", "=", session.user_id).execute();
  const { id: sessionRow, user_id: userId, embed_tenant_id: tenant } = session;
  const name = tenant === null ? undefined : await tenantName(db, tenant);
  const claims = {
    userId,
    sessionId: sessionRow,
    page: pageOf(session, await readAppConfig(db)),
  };
  return withViewer(db, name === undefined ? claims : { ...claims, embedTenantName: name });
}

/** Creates the session of a page that a signed-in user opens, which ends with the sign-in, and returns its claims. */
export async function openPrivateSession(
  db: Db,
  { userId, browserSessionId, deploymentId }: PrivateSession,
  now: Date,
): Promise<EmbedClaims> {
  const session = await db
    .insertInto("embed_sessions")
    .values({
      session_hash: secretHash(randomBytes(32).toString("hex")),
      user_id: userId,
      deployment_id: deploymentId,
      creator_mode: 0,
      created_at: toTimestamp(now),
      exchanged_at: toTimestamp(now),
      expires_at: toTimestamp(now.getTime() + limits.embedTokenSeconds * 1000),
      browser_session_id: browserSessionId,
    })
    .returning(["id", "deployment_id", "settings", "options", "creator_mode"])
    .executeTakeFirstOrThrow();
  const page = { ...pageOf(session, await readAppConfig(db)), isPrivate: true };
  return withViewer(db, { userId, sessionId: session.id, page });
}

/** A page that a signed-in user opens. */
export interface PrivateSession {
  readonly userId: number;
  readonly browserSessionId: number;
  readonly deploymentId: number;
}

/** Adds what the header of a page shows of its viewer, and what the viewer may do, so that the page asks for nothing else. */
async function withViewer(db: Db, claims: EmbedClaims): Promise<EmbedClaims> {
  const { username, display_name, picture } = await db
    .selectFrom("users")
    .select(["username", "display_name", "picture"])
    .where("id", "=", claims.userId)
    .executeTakeFirstOrThrow();
  const principal = await withDashboardAccess(db, { ...claims, mayAdminister: true });
  const { restrictDataDownload, embedding } = await readAppConfig(db);
  const deployments = principal?.limits.deployments ?? [];
  const targets = deployments.map((id) => ({ type: "deployment", id: String(id) }) as const);
  const mayExport =
    principal !== undefined &&
    authorize(principal, "EmbedExport", targets) === undefined &&
    (!restrictDataDownload || principal.isAdmin);
  const isOfTenant = claims.embedTenantName !== undefined;
  const user = { displayName: display_name ?? username, picture };
  return {
    ...claims,
    page: {
      ...claims.page,
      user: omitNullish(user),
      mayExport,
      mayComment: isOfTenant && embedding?.enableDashboardComments === true,
    },
  };
}

/**
 * Returns the members of the token that the embedded page reads. The account's value replaces a setting that the
 * session omits.
 */
function pageOf(
  {
    deployment_id,
    settings,
    options,
    creator_mode: creatorMode,
  }: Pick<Row<"embed_sessions">, "deployment_id" | "settings" | "options" | "creator_mode">,
  config: AppConfig,
): JsonObject {
  const { queryScope: _, allowedOrigins: __, ...defaults } = config.embedding ?? {};
  const own = settings === null ? {} : (fromJson(settings) as JsonObject);
  const shown = { ...defaults, ...own };
  return {
    deploymentId: deployment_id,
    ...(settings === null && Object.keys(shown).length === 0 ? {} : { settings: shown }),
    ...(creatorMode === 1 && { creatorMode: true, creator: creatorOf(config, shown["locale"]) }),
    ...(options === null ? {} : (fromJson(options) as JsonObject)),
  };
}

/** Returns the configuration of the pages of creators, with the title in the language of the session. */
function creatorOf(config: AppConfig, locale: unknown): JsonObject {
  const { showGeneratedSql, showSemanticSql } = config.creatorMode ?? {};
  const title = workspaceTitle(config, typeof locale === "string" ? [locale] : []);
  return omitNullish({ workspaceTitle: title, showGeneratedSql, showSemanticSql });
}

async function tenantName(db: Db, id: number): Promise<string | undefined> {
  const tenant = await db
    .selectFrom("embed_tenants")
    .select("name")
    .where("id", "=", id)
    .executeTakeFirst();
  return tenant?.name;
}
