// The security context of a token, and the groups, roles and attribute values of its user. Access policies read them.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { accountScope } from "../areas/user-groups/groups.ts";
import { defaultOf } from "../areas/user-attributes/types.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Principal, SessionLimits } from "../security/principal.ts";
import { roleNamesOf } from "../security/roles.ts";
import type { EnvironmentClaims } from "../security/tokens.ts";
import { fromJson } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";

/** The identification of a caller. */
export interface CallerSource extends Pick<Principal, "userId" | "isAdmin"> {
  readonly environment?: Pick<EnvironmentClaims, "securityContext">;
  readonly session?: Pick<SessionLimits, "roles" | "isExternal" | "isCreatorMode">;
}

/**
 * Returns the values that access policies read for the caller with a token. An attribute without a value has its
 * default. An external user in a session of creator mode has only the groups and attributes of the embed tenant. The
 * security context of the token overrides the one of the user.
 */
export async function readCaller(
  db: Db,
  { userId, environment, session, isAdmin }: CallerSource,
): Promise<QueryCaller> {
  const user = await db
    .selectFrom("users")
    .select(["default_roles", "is_admin", "embed_tenant_id", "security_context"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  const groups = await db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select(["user_groups.name", "user_groups.embed_tenant_id"])
    .where("group_members.user_id", "=", userId)
    .execute();
  const attributes = await db
    .selectFrom("user_attributes")
    .leftJoin("user_attribute_values as own", (join) =>
      join.onRef("own.attribute_id", "=", "user_attributes.id").on("own.user_id", "=", userId),
    )
    .select(["user_attributes.name", "user_attributes.type", "user_attributes.default_value"])
    .select(["user_attributes.embed_tenant_id", "own.value"])
    .where("user_attributes.tenant_scope", "in", [
      accountScope,
      user.embed_tenant_id ?? accountScope,
    ])
    .execute();
  const isCreator = session?.isCreatorMode === true && session.isExternal;
  const isOwn = ({ embed_tenant_id: tenant }: { embed_tenant_id: number | null }) =>
    tenant === null ? !isCreator : tenant === user.embed_tenant_id;
  // The last entry of a name wins: a value over a default, and then the embed tenant's over the account's.
  const rank = ({ value, embed_tenant_id: tenant }: (typeof attributes)[number]): number =>
    (value === null ? 0 : 2) + (tenant === null ? 0 : 1);
  const ordered = attributes.filter(isOwn).toSorted((a, b) => rank(a) - rank(b));
  const values: [string, JsonValue][] = ordered.flatMap(
    ({ name, type, default_value: fallback, value }): [string, JsonValue][] => {
      const known = value === null ? defaultOf(type, fallback) : fromJson(value);
      return known === undefined ? [] : [[name, known]];
    },
  );
  const roles =
    session?.roles ?? (await roleNamesOf(db, { id: userId, default_roles: user.default_roles }));
  // The token of a session loses the rights of an administrator before it expires.
  const isAdministrator = session ? isAdmin : user.is_admin === 1;
  return {
    groups: groups.filter(isOwn).map(({ name }) => name),
    roles: [...roles, ...(isAdministrator ? ["admin"] : [])],
    userAttributes: Object.fromEntries(values),
    securityContext: environment?.securityContext ?? contextOf(user),
  };
}

/** Returns the security context of a user; undefined without one. */
function contextOf({ security_context: text }: { security_context: string | null }) {
  return text === null ? undefined : (fromJson(text) as JsonObject);
}
