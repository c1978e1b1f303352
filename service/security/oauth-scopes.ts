// The scopes of OAuth tokens: `api` for everything that the user may do, or single permission actions.
import type { CredentialLimits } from "../../core/check-permission.ts";
import { actions, type PermissionAction } from "../../core/permission-actions.ts";

/** The scope of all rights of the user. */
export const fullScope = "api";

/** Asks for a refresh token. */
export const offlineScope = "offline_access";

/** The scopes of the API. */
export const apiScopes: readonly string[] = [fullScope, ...Object.keys(actions)];

/** Returns what a token with these scopes may use of its user's rights. */
export function limitsOfScope(scope: string | null): CredentialLimits {
  const scopes = (scope ?? "").split(" ");
  if (scopes.includes(fullScope)) return {};
  return { actions: scopes.filter((one): one is PermissionAction => Object.hasOwn(actions, one)) };
}

/** Returns the scopes that a request asks for; all rights of the user by default. */
export function requestedScopes(scope: unknown): readonly string[] {
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  const known = asked.filter((one) => apiScopes.includes(one));
  return known.length === 0 ? [fullScope] : known;
}
