// The principal of a credential for the data API of a deployment: a data token, or the token of an embed session.
import type { Rights } from "../../core/operation/authorize.ts";
import { keptQuery } from "../store/prepared-query.ts";
import { toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";
import {
  accountGrants,
  type Principal,
  principalOfKey,
  userBlockedReason,
  withDashboardAccess,
} from "./principal.ts";
import type { TokenCreator, Tokens } from "./tokens.ts";
import { trustLimits } from "./workload-trust.ts";

/** Returns the credential of a caller as the creator of a data token. */
export function tokenCreatorOf({ credentialId, userId, deactivations }: Principal): TokenCreator {
  return { userId, createdBy: credentialId, deactivations };
}

/**
 * Returns the principal of a credential for the data API. The token of an embed session ends with the access to its
 * dashboard. A data token ends with the key, session or sign-in that created it, and has its rights. Undefined if the credential or its user is not valid.
 */
export async function identifyForQueries(
  db: Db,
  { tokens, now }: { readonly tokens: Tokens; readonly now: () => Date },
  credential: string,
): Promise<Principal | undefined> {
  const claims = await tokens.readDataToken(credential);
  if (!claims) return withDashboardAccess(db, await tokens.readEmbedToken(credential));
  const { userId, createdBy, deactivations, deploymentId, ...environment } = claims;
  const owner = await readCreator(db, { userId, createdBy, deactivations }, toTimestamp(now()));
  if (owner?.userId !== userId || owner.deactivations !== deactivations) return undefined;
  const { isAdmin, grants, limits, blockedReason } = owner;
  const { deployments = [deploymentId] } = limits;
  return {
    environment: { ...owner.environment, ...environment },
    ...(owner.session && { session: owner.session }),
    credentialType: "data-token",
    credentialId: `data:${userId}`,
    userId,
    deactivations,
    isAdmin,
    grants,
    limits: { ...limits, deployments: deployments.filter((id) => id === deploymentId) },
    blockedReason,
  };
}

/** The part of a principal that its tokens have. */
type Creator = Rights &
  Pick<Principal, "userId" | "deactivations" | "blockedReason" | "session" | "environment">;

/** Returns the principal that created a token; undefined if its credential has ended. */
async function readCreator(
  db: Db,
  { userId, createdBy }: TokenCreator,
  now: string,
): Promise<Creator | undefined> {
  const [, type, id = ""] = /^(key|session|oauth):(.+)$/u.exec(createdBy) ?? [];
  if (type === "key") {
    const [key] = await keyById(db, { id: Number(id) });
    return key && principalOfKey(db, { hash: key.secret_hash });
  }
  if (type === "session") {
    const claims = { userId, sessionId: Number(id), mayAdminister: false };
    const session = await withDashboardAccess(db, claims);
    return session?.expiresAt !== undefined && session.expiresAt > now ? session : undefined;
  }
  const [grant] = type === "oauth" ? await grantById(db, { id }) : [];
  if (grant?.user_id == null || grant.expires_at <= now) return undefined;
  return {
    userId: grant.user_id,
    deactivations: grant.deactivations,
    isAdmin: grant.is_admin === 1,
    grants: await accountGrants(db, { ...grant, id: grant.user_id }),
    limits: trustLimits(grant),
    blockedReason: userBlockedReason(grant),
  };
}

const keyById = keptQuery((db: Db, value: { id: number }) =>
  db.selectFrom("api_keys").select("secret_hash").where("id", "=", value.id),
);

const grantById = keptQuery((db: Db, value: { id: string }) =>
  db
    .selectFrom("oauth_records")
    .innerJoin("users", "users.id", "oauth_records.user_id")
    .leftJoin("workload_trusts", "workload_trusts.id", "oauth_records.trust_id")
    .select(["oauth_records.user_id", "oauth_records.expires_at"])
    .innerJoin("account", (join) => join.onTrue())
    .select(["users.is_deactivated", "users.deactivations", "users.is_admin"])
    .select(["users.default_roles", "account.personal_keys", "workload_trusts.permissions"])
    .select(["workload_trusts.states", "workload_trusts.deployment_ids"])
    .where("oauth_records.grant_id", "=", value.id)
    .where("oauth_records.model", "=", "Grant"),
);
