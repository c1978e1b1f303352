// Exchanges a session for an embed token, once.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { type AppConfig, readAppConfig } from "../app/app-config.ts";
import { workspaceTitle } from "../app/workspace-title.ts";
import { omitNullish } from "../shared/operation-handler.ts";
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
  return name === undefined ? claims : { ...claims, embedTenantName: name };
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
  const { queryScope: _, ...defaults } = config.embedding ?? {};
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
