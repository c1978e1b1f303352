// Area users: the users of the account.
import { statusOf } from "../../../api/problems.ts";
import {
  bulkUsers,
  createPasswordLink,
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  setUserGroups,
  updateUser,
  updateUserSettings,
} from "../../../api/users.ts";
import { authorize } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import type { AnswerOf, RequestOf } from "../../../core/operation/operation.ts";
import {
  handle,
  handleList,
  handlePrepared,
  type OperationHandler,
  type Call,
} from "../shared/operation-handler.ts";
import { hashPassword, requireStrongPassword } from "../../security/password-hash.ts";
import type { Principal } from "../../security/principal.ts";
import { shownPolicyGrants } from "../../store/policy-grants.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { linkUser, refuseManagedUser } from "../shared/managed.ts";
import { pageOfBatch } from "../shared/pagination.ts";
import { emptyToNull, toFlag, toTimestamp } from "../../store/codec.ts";
import type { Row } from "../../store/schema.ts";
import { keyset } from "../../store/keyset.ts";
import { contains } from "../../store/sql-conditions.ts";
import { replaceMemberships } from "../embed-tenants/memberships.ts";
import { insertPasswordLink, storePassword } from "../../identity/passwords.ts";
import { accountScope } from "../user-groups/groups.ts";
import { catalogueOf, policyGroupsOf } from "../user-groups/membership.ts";
import { guardChange, guardDelete } from "./guards.ts";
import {
  changeUser,
  dropUser,
  findUser,
  insertUser,
  mergeSettings,
  showUserSummary,
  selectUsers,
  showUser,
  showUsers,
} from "./users.ts";

/** The handlers of this area. */
export const users: readonly OperationHandler[] = [
  handleList(listUsers, async (call) => {
    const { search } = call.query;
    let found = selectUsers(call.db);
    if (search !== undefined) {
      const columns = ["email", "username", "display_name"];
      found = found.where((eb) => eb.or(columns.map((column) => contains(column, search))));
    }
    return pageOfBatch(call, keyset(found, "users.id"), async (rows) =>
      !authorize(call.principal, "UsersRead", [])
        ? showUsers(call.db, rows)
        : rows.map(showUserSummary),
    );
  }),
  handle(getCurrentUser, async ({ db, principal }) => {
    if (principal.scimIntegration) {
      const text =
        "this is the token of a SCIM integration, which belongs to no user; use it at /api/scim/v2 only";
      throw new Failure("not_found", text);
    }
    const mine = db.selectFrom("users").selectAll().where("id", "=", principal.userId);
    const [shown] = await showUsers(db, await mine.execute());
    const { isAdmin, limits } = principal;
    const policies = isAdmin ? [] : await shownPolicyGrants(db, principal.userId);
    const grants = [...principal.grants, ...policies];
    const permissions = { isAdmin, grants, limits };
    if (shown) {
      const credential = showCredential(principal);
      const groups = await policyGroupsOf(db, [shown.id], catalogueOf(principal.session));
      const own = { ...withoutContext(shown), groups: groups.get(shown.id) ?? [] };
      return { ...own, permissions, credential };
    }
    throw new Failure(
      "not_found",
      "the user of this credential no longer exists; use another credential",
    );
  }),
  handle(getUser, async ({ db, params }) => showUser(db, params.id)),
  handlePrepared(createUser, {
    prepare: async ({ body, principal }) => {
      requireMayGrant(principal, body);
      return hashOf(body.password, body.username);
    },
    run: async ({ db, body, now, principal }, passwordHash) => {
      requireMayGrant(principal, body);
      const userId = await insertUser(db, body, toTimestamp(now()));
      if (passwordHash !== undefined) await storePassword(db, { userId, passwordHash });
      return showUser(db, userId);
    },
    finish: async (user) => user,
  }),
  handlePrepared(updateUser, {
    prepare: async ({ db, params, body, principal }) => {
      requireMayGrant(principal, body);
      const { password } = body;
      return password == null
        ? undefined
        : hashOf(password, (await findUser(db, params.id)).username);
    },
    run: async (call, passwordHash) => {
      const { db, body } = call;
      const userId = call.params.id;
      await applyUserChange(call, userId, body);
      if (passwordHash !== undefined) await storePassword(db, { userId, passwordHash });
      return showUser(db, userId);
    },
    finish: async (user) => user,
  }),
  handle(updateUserSettings, async ({ db, body, principal, now }) => {
    const at = toTimestamp(now());
    await mergeSettings(db, principal.userId, { changes: body, at });
    return withoutContext(await showUser(db, principal.userId));
  }),
  handle(deleteUser, async (call) => removeUser(call, call.params.id)),
  handle(bulkUsers, async (call) => runBulkAction(call)),
  handle(createPasswordLink, async ({ db, params, now, origin }) => {
    const user = await findUser(db, params.id);
    if (user.is_deactivated === 1) {
      throw new Failure("conflict", `user ${params.id} is deactivated; activate the user first`);
    }
    const { token, expiresAt } = await insertPasswordLink(db, params.id, now());
    return { url: `${origin().url}/auth/password?token=${token}`, expiresAt };
  }),
  handle(setUserGroups, async ({ db, params, body, principal }) => {
    await findUser(db, params.id);
    await replaceMemberships(db, {
      userId: params.id,
      scope: accountScope,
      names: body.groups,
      limits: principal.limits,
    });
    return showUser(db, params.id);
  }),
];

/** Describes the credential of a caller; calls without a credential are refused before. */
function showCredential({
  credentialType,
  actor,
  expiresAt,
}: Principal): NonNullable<AnswerOf<typeof getCurrentUser>["credential"]> {
  const name = actor?.keyName;
  const tokenType = name === undefined ? "access-token" : "workload-token";
  return {
    type:
      credentialType === "api-key" || credentialType === "embed-token" ? credentialType : tokenType,
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/**
 * Throws `forbidden` if a key with chosen permissions grants permissions to a user, because it could grant more than
 * its own.
 */
function requireMayGrant(
  principal: Principal,
  { isAdmin, defaultRoles, password, scimIntegration }: RequestOf<typeof updateUser>["body"],
): void {
  // Who sets a password can sign in as that user, and an identity provider decides about the email of its users.
  if (isAdmin === true || (defaultRoles ?? password) != null || scimIntegration !== undefined) {
    requirePermission(principal, "All", []);
  }
}

/** Returns the hash of a password; undefined without one. Throws `invalid` for a weak one. */
async function hashOf(
  password: string | null | undefined,
  username: string,
): Promise<string | undefined> {
  if (password == null) return undefined;
  requireStrongPassword(password, username);
  return hashPassword(password);
}

/** Omits the security context, which only callers who manage users may see. */
function withoutContext<T extends { securityContext?: unknown }>(
  shown: T,
): Omit<T, "securityContext"> {
  const { securityContext: _, ...rest } = shown;
  return rest;
}

type ActorCall = Pick<Call, "db" | "principal" | "now">;

async function applyUserChange(
  { db, principal, now }: ActorCall,
  id: number,
  input: RequestOf<typeof updateUser>["body"],
): Promise<void> {
  requireMayGrant(principal, input);
  const user = await findUser(db, id);
  if (input.scimIntegration !== undefined) await linkUser(db, user, input.scimIntegration);
  if (changesProfile(user, input)) await refuseManagedUser(db, id);
  await guardChange(db, { callerId: principal.userId, user, changes: input });
  await changeUser(db, id, { input, at: toTimestamp(now()) });
}

/** Returns whether a change concerns members that an identity provider manages. */
function changesProfile(
  user: Row<"users">,
  { firstName, title, picture, password, isDeactivated }: RequestOf<typeof updateUser>["body"],
): boolean {
  const isOther = (value: string | null | undefined, column: string | null) =>
    value !== undefined && emptyToNull(value) !== column;
  return (
    password != null ||
    isOther(firstName, user.display_name) ||
    isOther(title, user.title) ||
    isOther(picture, user.picture) ||
    (isDeactivated != null && toFlag(isDeactivated) !== user.is_deactivated)
  );
}

async function removeUser({ db, principal }: ActorCall, id: number): Promise<void> {
  const user = await findUser(db, id);
  await refuseManagedUser(db, id);
  await guardDelete(db, { callerId: principal.userId, user });
  await dropUser(db, id);
}

const bulkActions = {
  ACTIVATE: (by: ActorCall, id: number) => applyUserChange(by, id, { isDeactivated: false }),
  DEACTIVATE: (by: ActorCall, id: number) => applyUserChange(by, id, { isDeactivated: true }),
  DELETE: removeUser,
} as const;

/** Processes the users in order. Finds an error before it writes anything for that user. */
async function runBulkAction(call: ActorCall & { body: RequestOf<typeof bulkUsers>["body"] }) {
  const { action, userIds } = call.body;
  const succeeded: number[] = [];
  const failed: { userId: number; error: { status: number; message: string } }[] = [];
  for (const userId of new Set(userIds)) {
    try {
      await bulkActions[action](call, userId);
      succeeded.push(userId);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.push({ userId, error: { status: statusOf(error.code), message: error.message } });
    }
  }
  return { action, succeeded, failed };
}
