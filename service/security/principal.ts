// The principal of a credential: its user and its scope.
import type { JsonObject } from "../../core/json.ts";
import type { Rights } from "../../core/operation/authorize.ts";
import {
  externalUserRole,
  type Grant,
  personalKeyGrants,
} from "../../core/operation/permission-actions.ts";
import { fromJson } from "../store/codec.ts";
import { keptQuery, keptResult, preparedQuery } from "../store/prepared-query.ts";
import { keyLimits } from "./key-limits.ts";
import { grantsOfRoles, grantsOfUser, optionsOfSession } from "./roles.ts";
import type { Db } from "../store/schema.ts";
import type { EnvironmentClaims, ReadEmbedClaims, Tokens } from "./tokens.ts";
import {
  embeddableDashboard,
  embeddingDisabledReason,
  externalUserActions,
  mayView,
} from "./embed-access.ts";
import { limitsOfScope } from "./oauth-scopes.ts";
import { trustLimits } from "./workload-trust.ts";
import { identifyByScimToken, isScimToken, type ScimIntegration } from "./scim-token.ts";
import { secretHash } from "./secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";

/** The caller of an operation, with the rights of its user and the limits of its credential. */
export interface Principal extends Rights {
  readonly credentialType:
    | "none"
    | "api-key"
    | "oauth-token"
    | "embed-token"
    | "data-token"
    | "scim-token";
  /** Identifies the credential in its account; "" for anonymous callers. */
  readonly credentialId: string;
  /** 0 for anonymous callers and SCIM integrations. */
  readonly userId: number;
  /** How often the user was deactivated when the caller was identified. */
  readonly deactivations: number;
  /** The names of the user and the key, for the audit log; undefined for callers without a user. */
  readonly actor?: Actor;
  /** The time at which the credential expires; undefined if it does not expire or the time is unknown. */
  readonly expiresAt?: string;
  /** The reason why a known credential is currently rejected; undefined if it is accepted. */
  readonly blockedReason: string | undefined;
  /** The limits of a data API token to one environment, and the security context of a token or a session. */
  readonly environment?: EnvironmentClaims;
  /** The options with which an embed session was created. */
  readonly session?: SessionLimits;
  /** The SCIM integration of a token without a user. */
  readonly scimIntegration?: ScimIntegration;
}

/** The options with which an embed session was created, which its calls read. */
export interface SessionLimits {
  readonly id: number;
  readonly deploymentId: number;
  /** The embed tenant of the session; undefined for users of the account without one. */
  readonly tenantId: number | undefined;
  /** Whether the user is an external user, who can only view the content of its embed tenant. */
  readonly isExternal: boolean;
  /** Whether it belongs to a signed-in user who opened a page, not to a page that a host embeds. */
  readonly isPrivate: boolean;
  /** Whether an external user has only the groups and attributes of the embed tenant. */
  readonly isCreatorMode: boolean;
  /** The public ID of the only dashboard that the session is for; undefined for every dashboard of its deployment. */
  readonly dashboardPublicId: string | undefined;
  /** Names of its roles; undefined for the roles of its user. */
  readonly roles: readonly string[] | undefined;
  /** Undefined for the deploy branch. */
  readonly branchName: string | undefined;
  /** The name of the theme of its page. */
  readonly theme: string | undefined;
  /** The time zone of its page; undefined for the account's time zone. */
  readonly timezone: string | undefined;
}

/** Names of a caller at the time of the call. */
export interface Actor {
  /** Null for a SCIM integration. */
  readonly username: string | null;
  readonly email: string | null;
  /** Name of the API key or the SCIM integration. */
  readonly keyName?: string;
}

/** The principal of operations that need no credential. */
export const anonymousPrincipal: Principal = Object.freeze({
  credentialType: "none",
  credentialId: "",
  userId: 0,
  deactivations: 0,
  isAdmin: false,
  grants: [],
  limits: {},
  blockedReason: undefined,
});

/** The principal of the service's own actions, such as pulling from a Git remote. */
export const servicePrincipal: Principal = Object.freeze({
  ...anonymousPrincipal,
  credentialId: "service",
  isAdmin: true,
});

const keyByHash = preparedQuery((db: Db, value: { hash: string }) =>
  db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_user_id")
    .innerJoin("account", (join) => join.onTrue())
    .select(["api_keys.id", "api_keys.is_scoped", "api_keys.owner_user_id"])
    .select("api_keys.is_disabled")
    .select(["api_keys.permissions", "api_keys.states", "users.default_roles"])
    .select(["users.is_admin", "users.is_deactivated", "users.deactivations"])
    .select("account.personal_keys")
    .select(["users.username", "users.email", "api_keys.name as key_name"])
    .where("api_keys.secret_hash", "=", value.hash),
);

const oauthTokenByHash = preparedQuery((db: Db, value: { hash: string }) =>
  db
    .selectFrom("oauth_records")
    .innerJoin("users", "users.id", "oauth_records.user_id")
    // A token may be stored while another request revokes its grant.
    .innerJoin("oauth_records as grants", (join) =>
      join.onRef("grants.grant_id", "=", "oauth_records.grant_id").on("grants.model", "=", "Grant"),
    )
    .select(["oauth_records.user_id", "oauth_records.grant_id", "oauth_records.scope"])
    .innerJoin("account", (join) => join.onTrue())
    .leftJoin("workload_trusts", "workload_trusts.id", "grants.trust_id")
    .select(["oauth_records.expires_at", "users.default_roles"])
    .select(["grants.subject", "workload_trusts.name as trust_name"])
    .select(["workload_trusts.states", "workload_trusts.deployment_ids"])
    .select(["users.is_admin", "users.is_deactivated", "users.deactivations"])
    .select(["users.username", "users.email"])
    .select("account.personal_keys")
    .where("oauth_records.key_hash", "=", value.hash)
    .where("oauth_records.model", "=", "AccessToken"),
);

const deploymentsOfKey = preparedQuery((db: Db, value: { id: number }) =>
  db.selectFrom("api_key_deployments").select("deployment_id").where("api_key_id", "=", value.id),
);

const sessionById = keptQuery((db: Db, value: { id: number }) =>
  db
    .selectFrom("embed_sessions")
    .innerJoin("users", "users.id", "embed_sessions.user_id")
    .innerJoin("account", (join) => join.onTrue())
    .select(["embed_sessions.user_id", "embed_sessions.deployment_id"])
    .select(["embed_sessions.embed_tenant_id", "embed_sessions.expires_at"])
    .select(["embed_sessions.options", "embed_sessions.security_context"])
    .select(["embed_sessions.creator_mode", "embed_sessions.settings"])
    .select("embed_sessions.browser_session_id")
    .select("users.default_roles")
    .select(["users.is_admin", "users.is_deactivated", "users.deactivations"])
    .select("users.is_external")
    .select(["users.username", "users.email"])
    .where("embed_sessions.id", "=", value.id)
    .select("account.embedding_enabled")
    .where("embed_sessions.revoked_at", "is", null),
);

/** Returns the principal of a credential; undefined if it is unknown or no longer valid. */
export async function identify(
  db: Db,
  { tokens, now }: { readonly tokens: Tokens; readonly now: () => Date },
  credential: string,
): Promise<Principal | undefined> {
  if (credential.startsWith("sk-")) return principalOfKey(db, { hash: secretHash(credential) });
  if (isScimToken(credential)) return identifyByScimToken(db, credential, now());
  // Embed tokens are JSON Web Tokens, which contain dots; OAuth tokens are random.
  if (!credential.includes(".")) {
    const principal = await principalOfOAuthToken(db, { hash: secretHash(credential) });
    const { expiresAt = "" } = principal ?? {};
    return expiresAt > toTimestamp(now()) ? principal : undefined;
  }
  return identifyByEmbedToken(db, await tokens.readEmbedToken(credential));
}

/** Returns the principal of an embed session, blocked if its dashboard may no longer be embedded. */
export async function withDashboardAccess(
  db: Db,
  claims: ReadEmbedClaims | undefined,
): Promise<Principal | undefined> {
  const principal = await identifyByEmbedToken(db, claims);
  const publicId = principal?.session?.dashboardPublicId;
  if (principal?.session === undefined || publicId === undefined) return principal;
  const [dashboard] = await embeddableDashboard(db, { publicId });
  if (dashboard && (await mayView(db, principal.session, dashboard))) return principal;
  return { ...principal, blockedReason: "the dashboard of this session may no longer be embedded" };
}

/** Revoking a key, or changing its user or a role, is a write, after which the key is read again. */
export const principalOfKey = keptResult(
  async (db: Db, value: { hash: string }): Promise<Principal | undefined> => {
    const [key] = await keyByHash(db, value);
    if (!key) return undefined;
    const scope = key.is_scoped === 1 ? await deploymentsOfKey(db, { id: key.id }) : undefined;
    return {
      credentialType: "api-key",
      credentialId: `key:${key.id}`,
      userId: key.owner_user_id,
      deactivations: key.deactivations,
      isAdmin: key.is_admin === 1,
      grants: await accountGrants(db, { ...key, id: key.owner_user_id }),
      limits: {
        ...keyLimits(key),
        ...(scope && { deployments: scope.map((row) => row.deployment_id) }),
      },
      actor: { username: key.username, email: key.email, keyName: key.key_name },
      blockedReason: userBlockedReason(key) ?? disabledReason(key) ?? personalKeyBlockedReason(key),
    };
  },
);

/** Returns the grants of a user's roles, and the grants that the account gives to every user. */
export async function accountGrants(
  db: Db,
  user: { id: number; default_roles: string | null; personal_keys: number },
): Promise<readonly Grant[]> {
  const own = await grantsOfUser(db, user);
  return user.personal_keys === 1 ? [...own, ...personalKeyGrants] : own;
}

const ownUserById = preparedQuery((db: Db, value: { id: number }) =>
  db
    .selectFrom("users")
    .select(["id", "is_admin", "default_roles"])
    .where("id", "=", value.id)
    .where("is_external", "=", 0)
    .where("is_deactivated", "=", 0),
);

/** Returns one of the account's own users with all its rights; undefined if it does not exist or is deactivated. */
export async function principalOfUser(db: Db, id: number | null): Promise<Principal | undefined> {
  const [user] = id === null ? [] : await ownUserById(db, { id });
  if (!user) return undefined;
  const isAdmin = user.is_admin === 1;
  return { ...anonymousPrincipal, userId: user.id, isAdmin, grants: await grantsOfUser(db, user) };
}

/** A token has the rights of its user within its scopes, until it expires or is revoked. */
const principalOfOAuthToken = keptResult(
  async (db: Db, value: { hash: string }): Promise<Principal | undefined> => {
    const [token] = await oauthTokenByHash(db, value);
    if (token?.user_id == null) return undefined;
    const { user_id: id } = token;
    return {
      credentialType: "oauth-token",
      // All tokens of a sign-in share it, so that development mode outlives a refresh.
      credentialId: `oauth:${token.grant_id}`,
      userId: id,
      deactivations: token.deactivations,
      expiresAt: token.expires_at,
      isAdmin: token.is_admin === 1,
      grants: await accountGrants(db, { ...token, id }),
      limits: {
        ...trustLimits({ ...token, permissions: null }),
        ...limitsOfScope(token.scope),
      },
      actor: {
        username: token.username,
        email: token.email,
        ...(token.trust_name !== null && { keyName: `${token.trust_name} (${token.subject})` }),
      },
      blockedReason: userBlockedReason(token),
    };
  },
);

/** Returns the reason why the credentials of a user are rejected; undefined if they are accepted. */
export function userBlockedReason({
  is_deactivated,
}: {
  is_deactivated: number;
}): string | undefined {
  return is_deactivated === 1
    ? "the user of this credential is deactivated; ask an administrator to reactivate it"
    : undefined;
}

function disabledReason({ is_disabled }: { is_disabled: number }): string | undefined {
  return is_disabled === 1
    ? "this API key is disabled, as keys are whose owner was deactivated; ask an administrator to enable it"
    : undefined;
}

/** Personal keys are kept, and work again once the account allows them. */
function personalKeyBlockedReason(key: {
  is_admin: number;
  personal_keys: number;
}): string | undefined {
  if (key.is_admin === 1 || key.personal_keys === 1) return undefined;
  return "this account does not allow API keys of users who are not administrators; use an administrator's key";
}

/**
 * A session reaches the deployment it was created for, with the rights of its user; those of external users, and of
 * sessions for one dashboard, are at most {@link externalUserActions}. It is valid until it is revoked or its
 * user is deleted, and blocked while embedding is disabled. Administrator rights end earlier, because the token is kept in
 * a browser.
 */
async function identifyByEmbedToken(
  db: Db,
  claims: ReadEmbedClaims | undefined,
): Promise<Principal | undefined> {
  if (!claims) return undefined;
  const [session] = await sessionById(db, { id: claims.sessionId });
  if (session?.user_id !== claims.userId) return undefined;
  const isExternal = session.is_external === 1;
  const isPrivate = session.browser_session_id !== null;
  const isViewer = isExternal || session.is_admin === 1;
  const options = optionsOfSession(session);
  const roles = options.roles ?? (isViewer ? [externalUserRole] : undefined);
  const { user_id: id, default_roles, security_context: context, settings } = session;
  const { timezone } = settings === null ? {} : (fromJson(settings) as { timezone?: string });
  return {
    credentialType: "embed-token",
    credentialId: `session:${claims.sessionId}`,
    userId: session.user_id,
    deactivations: session.deactivations,
    expiresAt: session.expires_at,
    isAdmin: !isExternal && session.is_admin === 1 && claims.mayAdminister,
    grants: roles ? grantsOfRoles(roles) : await grantsOfUser(db, { id, default_roles }),
    limits: {
      deployments: [session.deployment_id],
      ...((isExternal || options.publicDashboardId !== undefined) && {
        actions: externalUserActions,
      }),
    },
    actor: { username: session.username, email: session.email },
    blockedReason:
      session.embedding_enabled === 1 || isPrivate
        ? userBlockedReason(session)
        : embeddingDisabledReason,
    session: {
      id: claims.sessionId,
      deploymentId: session.deployment_id,
      roles: options.roles,
      branchName: options.branchName,
      theme: options.embedTheme,
      timezone,
      tenantId: session.embed_tenant_id ?? undefined,
      isExternal,
      isPrivate,
      isCreatorMode: session.creator_mode === 1,
      dashboardPublicId: options.publicDashboardId,
    },
    ...(context !== null && { environment: { securityContext: fromJson(context) as JsonObject } }),
  };
}

/** Returns the identity of a caller, for quotas: a user with all its credentials of a type, or a SCIM integration. */
export function callerOf({
  userId,
  scimIntegration,
}: Pick<Principal, "userId" | "scimIntegration">): number | string {
  return scimIntegration ? `integration ${scimIntegration.id}` : userId;
}
