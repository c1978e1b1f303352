// The roles of users and of sessions: read from their rows, and turned into grants.
import { builtInRoles, defaultRole, type Grant, type UserRole } from "../../core/permissions.ts";
import { fromJson } from "../store/codec.ts";
import type { Row } from "../store/schema.ts";

type RoleName = keyof typeof builtInRoles;

/** Returns the names of a user's roles. */
export function rolesOf({
  default_roles,
}: Pick<Row<"users">, "default_roles">): readonly UserRole[] {
  return default_roles === null ? [defaultRole] : (fromJson(default_roles) as UserRole[]);
}

/** Returns the roles that a session was created with; undefined if its request named none. */
export function rolesOfSession({
  options,
}: Pick<Row<"embed_sessions">, "options">): readonly RoleName[] | undefined {
  if (options === null) return undefined;
  return (fromJson(options) as { readonly roles?: readonly RoleName[] }).roles;
}

/** Returns all grants of the roles. */
export function grantsOfRoles(names: readonly RoleName[]): readonly Grant[] {
  return names.flatMap((name) => builtInRoles[name].grants);
}
