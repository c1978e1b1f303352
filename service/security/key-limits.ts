// The chosen permissions and states of API keys: read from their rows, and limited by the key that sets them.
import { allows, type CredentialLimits, type StateAccess } from "../../core/operation/authorize.ts";
import { matchesWildcard } from "../../core/text/naming.ts";
import { Failure } from "../../core/errors.ts";
import type { Grant, PermissionAction } from "../../core/operation/permission-actions.ts";
import { fromJson } from "../store/codec.ts";
import type { Row } from "../store/schema.ts";

/** Returns the limits in the row of a key; the deployments in its scope are in separate rows. */
export function keyLimits({
  permissions,
  states,
}: Pick<Row<"api_keys">, "permissions" | "states">): CredentialLimits {
  return {
    ...(permissions !== null && { actions: fromJson(permissions) as PermissionAction[] }),
    ...(states !== null && { states: fromJson(states) as readonly StateAccess[] }),
  };
}

/**
 * Throws `forbidden` if a credential with the limits `wanted` could perform actions that a credential with the limits
 * `own` cannot.
 */
export function refuseWiderLimits(own: CredentialLimits, wanted: CredentialLimits): void {
  if (hasActionsWithin(own, wanted) && hasStatesWithin(own, wanted)) return;
  throw new Failure(
    "forbidden",
    "this would give permissions that your credential lacks; choose fewer, or use the unlimited credential of an administrator",
  );
}

/** Throws `forbidden` if a key with chosen permissions would grant actions that it lacks. */
export function requireMayGrant(
  { actions: own }: CredentialLimits,
  grants: readonly Pick<Grant, "actions">[],
): void {
  if (own === undefined) return;
  const lacking = grants.flatMap(({ actions }) => actions).find((action) => !allows(own, action));
  if (lacking === undefined) return;
  throw new Failure(
    "forbidden",
    `the credential lacks the permission ${lacking}, so it cannot grant it; use a credential that has it`,
    { details: { permission: lacking } },
  );
}

function hasActionsWithin({ actions }: CredentialLimits, wanted: CredentialLimits): boolean {
  if (actions === undefined) return true;
  return wanted.actions?.every((action) => allows(actions, action)) ?? false;
}

function hasStatesWithin({ actions, states }: CredentialLimits, wanted: CredentialLimits): boolean {
  if (states === undefined && actions === undefined) return true;
  if (wanted.states === undefined) return states === undefined;
  return wanted.states.every((one) =>
    states === undefined
      ? allows(actions ?? [], one.access === "write" ? "StateWrite" : "StateRead")
      : states.some((mine) => includesStates(mine, one)),
  );
}

function includesStates(mine: StateAccess, wanted: StateAccess): boolean {
  if (mine.access === "read" && wanted.access === "write") return false;
  return matchesWildcard(wanted.name, mine.name);
}
