// The scopes of OAuth tokens: `api` for everything that the user may do, or single permission actions.
import type { CredentialLimits } from "../../core/operation/authorize.ts";
import { actions, type PermissionAction } from "../../core/operation/permission-actions.ts";

/** The scope of all rights of the user. */
export const fullScope = "api";

/** Asks for a refresh token. */
export const offlineScope = "offline_access";

/** The scopes of the API. */
export const apiScopes: readonly string[] = [fullScope, ...Object.keys(actions)];

/** Returns the limits that these scopes put on the rights of a token's user. */
export function limitsOfScope(scope: string | null): CredentialLimits {
  const scopes = (scope ?? "").split(" ");
  if (scopes.includes(fullScope)) return {};
  return { actions: scopes.filter((one): one is PermissionAction => Object.hasOwn(actions, one)) };
}

/** Scopes that give no rights on the API. */
export const generalScopes: readonly string[] = ["openid", offlineScope];

/** Returns the scopes that a request asks for, without unknown ones; by default all that the client may have. */
export function requestedScopes(
  scope: unknown,
  allowed: readonly string[] = [fullScope],
): readonly string[] {
  const known = scopesIn(scope).filter((one) => apiScopes.includes(one));
  return known.length === 0 ? allowed : known;
}

/** Returns whether a request asks only for unknown rights. Such a request must not get all rights. */
export function asksForUnknown(scope: unknown): boolean {
  const rights = scopesIn(scope).filter((one) => !generalScopes.includes(one));
  return rights.length > 0 && !rights.some((one) => apiScopes.includes(one));
}

/** Returns the scopes in a parameter. */
export function scopesIn(scope: unknown): readonly string[] {
  return typeof scope === "string" ? scope.split(" ").filter((one) => one !== "") : [];
}
