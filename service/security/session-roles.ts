// The grants of the roles that a session was created with.
import { builtInRoles, type Grant } from "../../core/permissions.ts";
import { fromJson } from "../store/codec.ts";

/** Returns the grants of a session's own roles; undefined if its request named none. */
export function sessionGrants(options: string | null): readonly Grant[] | undefined {
  if (options === null) return undefined;
  const { roles } = fromJson(options) as {
    readonly roles?: readonly (keyof typeof builtInRoles)[];
  };
  return roles?.flatMap((role) => [...builtInRoles[role].grants]);
}
