// The roles of users and of sessions: read from their rows, and turned into grants.
import {
  builtInRoles,
  defaultRole,
  type Grant,
  type UserRole,
} from "../../core/operation/permission-actions.ts";
import { fromJson } from "../store/codec.ts";
import { keptQuery } from "../store/prepared-query.ts";
import type { Db, Row } from "../store/schema.ts";

/** A built-in role. */
export type RoleName = keyof typeof builtInRoles;

/** Returns the names of a user's roles. */
export function rolesOf({
  default_roles,
}: Pick<Row<"users">, "default_roles">): readonly UserRole[] {
  return default_roles === null ? [defaultRole] : (fromJson(default_roles) as UserRole[]);
}

/** Options of an embed session that its calls read. */
interface SessionOptions {
  readonly roles?: readonly RoleName[];
  readonly branchName?: string;
  readonly publicDashboardId?: string;
  readonly embedTheme?: string;
}

/** Returns the options that a session was created with. */
export function optionsOfSession({
  options,
}: Pick<Row<"embed_sessions">, "options">): SessionOptions {
  return options === null ? {} : (fromJson(options) as SessionOptions);
}

/** Returns all grants of the roles. */
export function grantsOfRoles(names: readonly RoleName[]): readonly Grant[] {
  return names.flatMap((name) => builtInRoles[name].grants);
}

const assignedRoles = keptQuery((db: Db, value: { userId: number }) =>
  db
    .selectFrom("role_users")
    .innerJoin("roles", "roles.id", "role_users.role_id")
    .select(["roles.name", "roles.policies"])
    .where("role_users.user_id", "=", value.userId),
);

/** Returns all grants of a user: the grants of its built-in roles and of its assigned roles. */
export async function grantsOfUser(
  db: Db,
  user: Pick<Row<"users">, "id" | "default_roles">,
): Promise<readonly Grant[]> {
  const assigned = await assignedRoles(db, { userId: user.id });
  return [
    ...grantsOfRoles(rolesOf(user)),
    ...assigned.flatMap(({ policies }) => grantsOf({ policies })),
  ];
}

/** Returns the grants of a role that administrators define. */
export function grantsOf({ policies }: Pick<Row<"roles">, "policies">): readonly Grant[] {
  return JSON.parse(policies) as readonly Grant[];
}

/** Returns the names of all roles of a user. */
export async function roleNamesOf(
  db: Db,
  user: Pick<Row<"users">, "id" | "default_roles">,
): Promise<readonly string[]> {
  const assigned = await assignedRoles(db, { userId: user.id });
  return [...rolesOf(user), ...assigned.map(({ name }) => name)];
}
