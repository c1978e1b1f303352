// Checks which SCIM integration manages a user or group: the integration that wrote it, until it is disabled or
// deleted.
import { Failure } from "../../../core/errors.ts";
import { managedText } from "../shared/managed.ts";
import type { ScimCall } from "./scim-call.ts";

/** A user or group that a call changes, in the state that it read. */
export interface OwnedResource {
  /** Such as `user 7`. */
  readonly what: string;
  /** The integration that manages it; null if none does. */
  readonly owner: number | null;
}

/** Returns the integration whose token a call uses; null for an API key. */
export function callerIntegration({ principal }: Pick<ScimCall, "principal">): number | null {
  return principal.scimIntegration?.id ?? null;
}

/** Throws `conflict` if another integration manages the resource. */
export async function refuseForeign(
  call: Pick<ScimCall, "db" | "principal">,
  { what, owner }: OwnedResource,
): Promise<void> {
  if (owner === null || owner === callerIntegration(call)) return;
  const other = await call.db
    .selectFrom("scim_integrations")
    .select("name")
    .where("id", "=", owner)
    .where("is_enabled", "=", 1)
    .executeTakeFirst();
  if (other) throw ownedElsewhere(managedText(what, other.name));
}

/** Throws `conflict` if a statement that expected the owner found another one. */
export function requireOwned(written: object | undefined, { what }: OwnedResource): void {
  if (written !== undefined) return;
  throw ownedElsewhere(`another SCIM integration has just written ${what}, and manages it now`);
}

/** SCIM defines a detail code only for names that are in use. */
function ownedElsewhere(text: string): Failure {
  return new Failure("conflict", text, { details: { scimType: null } });
}
