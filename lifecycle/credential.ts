// Reads what the credential of a run may do.
import { getCurrentUser } from "../api/users.ts";
import { isFailure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { Rights } from "../core/operation/authorize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { Grant } from "../core/operation/permission-actions.ts";

/** Returns the user and the rights of the credential; undefined if the server does not expose them. */
export async function currentUser(
  reader: Pick<Reader, "one">,
): Promise<AnswerOf<typeof getCurrentUser> | undefined> {
  try {
    return await reader.one(getCurrentUser, {});
  } catch (error) {
    if (isFailure(error, "not_offered") || isFailure(error, "unexpected_answer")) return undefined;
    throw error;
  }
}

/**
 * Returns the name of who acts with a credential: the address of its user, or the name of the pipeline, whose owner does not
 * act; undefined for an embed session.
 */
export function actingName({
  email,
  credential,
}: Pick<AnswerOf<typeof getCurrentUser>, "email" | "credential">): string | undefined {
  // Servers of other versions do not describe the credential.
  if (credential === undefined) return email;
  const isOfPerson = credential.type === "access-token" || credential.type === "api-key";
  return isOfPerson ? email : credential.name;
}

/**
 * Returns the permissions of the credential; undefined if the server does not expose it. A server that exposes only the
 * role may refuse more than this says.
 */
export async function rightsOf(reader: Pick<Reader, "one">): Promise<Rights | undefined> {
  const me = await currentUser(reader);
  // A server may omit the role, although the schema requires it.
  const isAdmin: unknown = me?.isAdmin;
  if (me?.permissions !== undefined) return me.permissions;
  return typeof isAdmin === "boolean" ? { isAdmin, grants: anyRole, limits: {} } : undefined;
}

/** The grants of a user whose roles are unknown: all that roles can grant. */
const anyRole: readonly Grant[] = [{ resourceType: "Global", actions: ["All"], resources: "All" }];
