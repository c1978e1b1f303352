// The security context of a token, and the groups, roles and attribute values of its user. Access policies read them.
import type { JsonObject } from "../../core/json.ts";
import { tenantGroupName } from "../../core/text/tenant-groups.ts";
import { queryScopeOf, type QuerySession } from "../areas/embed/query-scope.ts";
import { accountScope } from "../areas/user-groups/groups.ts";
import { type Catalogue, catalogueOf, policyGroupsOf } from "../areas/user-groups/membership.ts";
import { readAttributeValues } from "../areas/user-attributes/read-values.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Principal } from "../security/principal.ts";
import { roleNamesOf } from "../security/roles.ts";
import type { EnvironmentClaims } from "../security/tokens.ts";
import { fromJson } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";

/** The identification of a caller. */
export interface CallerSource extends Pick<Principal, "userId" | "isAdmin"> {
  readonly environment?: Pick<EnvironmentClaims, "environmentId" | "securityContext">;
  readonly session?: QuerySession;
  readonly recipient?: RecipientNames;
}

/** The groups and attribute values of a recipient of a notification; all names are of one catalogue. */
export interface RecipientNames {
  readonly catalogue: Catalogue;
  /** Replaces the groups of the user. */
  readonly groups?: readonly string[];
  /** Replaces values of the user's attributes, by name. */
  readonly userAttributes: JsonObject;
}

/**
 * Returns the values that access policies read for the caller with a token, and the members that its session may query.
 * An attribute without a value has its default. All attributes belong to the caller's catalogue. The security context
 * of the token overrides the one of the user. A token of an environment with a context, also an empty one, has nothing
 * else: whoever creates it sets the context for another person.
 */
export async function readCaller(
  db: Db,
  { userId, environment, session, isAdmin, recipient }: CallerSource,
): Promise<QueryCaller> {
  const catalogue = recipient?.catalogue ?? catalogueOf(session);
  const user = await db
    .selectFrom("users")
    .leftJoin("embed_tenants", "embed_tenants.id", "users.embed_tenant_id")
    .select(["default_roles", "is_admin", "is_external", "embed_tenant_id", "security_context"])
    .select("embed_tenants.name as tenant")
    .where("users.id", "=", userId)
    .executeTakeFirstOrThrow();
  const isEmbedded = session !== undefined || user.is_external === 1;
  const context = environment?.securityContext;
  const isOfEnvironment = environment?.environmentId !== undefined && session === undefined;
  if (isOfEnvironment && context !== undefined) {
    const none = { groups: [], roles: [], userAttributes: {}, members: undefined };
    return { ...none, securityContext: context, isEmbedded };
  }
  const scope = catalogue === "tenant" ? user.embed_tenant_id : accountScope;
  const values = await readAttributeValues(db, userId, scope);
  const nameOf = (group: string) =>
    catalogue === "tenant" ? tenantGroupName(user.tenant ?? "", group) : group;
  const roles =
    session?.roles ?? (await roleNamesOf(db, { id: userId, default_roles: user.default_roles }));
  // The token of a session loses the rights of an administrator before it expires.
  const isAdministrator = session ? isAdmin : user.is_admin === 1;
  return {
    groups:
      recipient?.groups?.map(nameOf) ??
      (await policyGroupsOf(db, [userId], catalogue)).get(userId) ??
      [],
    roles: [...roles, ...(isAdministrator ? ["admin"] : [])],
    userAttributes: { ...values, ...recipient?.userAttributes },
    securityContext: context ?? contextOf(user),
    isEmbedded,
    ...(session && (await queryScopeOf(db, session))),
  };
}

/** Returns the security context of a user; undefined without one. */
function contextOf({ security_context: text }: { security_context: string | null }) {
  return text === null ? undefined : (fromJson(text) as JsonObject);
}
