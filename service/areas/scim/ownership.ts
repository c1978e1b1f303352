// Checks which SCIM integration manages a user or group: the integration that created it, or that an administrator
// linked it to, until the integration is disabled or deleted.
import { Failure } from "../../../core/errors.ts";
import { managedText } from "../shared/managed.ts";
import type { Row } from "../../store/schema.ts";
import type { ScimCall } from "./scim-call.ts";

/** A user or group that a call changes, in the state that it read. */
export interface OwnedResource {
  /** Such as `user 7`. */
  readonly what: string;
  /** Whether an identity provider manages it. */
  readonly isManaged: boolean;
  /** The integration that manages it; null for an identity provider with an API key. */
  readonly owner: number | null;
}

/** Returns the integration whose token a call uses; null for an API key. */
export function callerIntegration({ principal }: Pick<ScimCall, "principal">): number | null {
  return principal.scimIntegration?.id ?? null;
}

/**
 * Throws `conflict` if another integration manages the resource, and `forbidden` if the caller neither created it nor is
 * linked to it.
 */
export async function requireOwn(
  call: Pick<ScimCall, "db" | "principal">,
  { what, isManaged, owner }: OwnedResource,
): Promise<void> {
  if (isManaged && owner === callerIntegration(call)) return;
  const other = await call.db
    .selectFrom("scim_integrations")
    .select("name")
    .where("id", "=", owner ?? 0)
    .where("is_enabled", "=", 1)
    .executeTakeFirst();
  if (other) throw ownedElsewhere(managedText(what, other.name));
  throw new Failure(
    "forbidden",
    `this credential of SCIM did not create ${what}, and is not linked to it; an administrator can set scimIntegration of ${what} to the name of the integration`,
  );
}

/** Throws `forbidden` for a change of an administrator's identity, or an activation: SCIM decides about neither. */
export function refuseAdministratorChange(
  user: Row<"users">,
  after: Pick<Row<"users">, "username" | "email" | "is_deactivated">,
): void {
  if (user.is_admin !== 1) return;
  const isSame = after.username === user.username && after.email === user.email;
  if (isSame && after.is_deactivated >= user.is_deactivated) return;
  throw new Failure(
    "forbidden",
    `user ${user.id} is an administrator: SCIM cannot change the userName or the email, or activate the user`,
  );
}

/** Throws `conflict` if a statement that expected the owner found another one. */
export function requireOwned(written: object | undefined, what: string): void {
  if (written !== undefined) return;
  throw ownedElsewhere(`another SCIM integration has just written ${what}, and manages it now`);
}

/** SCIM defines a detail code only for names that are in use. */
function ownedElsewhere(text: string): Failure {
  return new Failure("conflict", text, { details: { scimType: null } });
}
