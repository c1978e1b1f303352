// Area resource-policies: which users and groups may do what with an object.
import {
  getResourcePolicies,
  setGroupPolicy,
  setUserPolicy,
} from "../../../api/resource-policies.ts";
import { Failure } from "../../../core/errors.ts";
import { requireMayGrant } from "../../security/key-limits.ts";
import type { PermissionAction } from "../../../core/permission-actions.ts";
import type { Db } from "../../store/schema.ts";
import { handle, type OperationHandler } from "../operation-handler.ts";
import { type PolicySubject, readPolicies, writePolicy } from "./policies.ts";

/** The handlers of this area. */
export const resourcePolicies: readonly OperationHandler[] = [
  handle(getResourcePolicies, async ({ db, query }) => readPolicies(db, query)),
  handle(setUserPolicy, async ({ db, body, principal }) => {
    const { userId = null, action } = body;
    requireMayGrant(principal.limits, grantOf(action));
    if (userId !== null) await requireSubject(db, "users", userId);
    await writePolicy(db, body, { ...subject(userId, null), action: action ?? undefined });
  }),
  handle(setGroupPolicy, async ({ db, body, principal }) => {
    const { groupId, action } = body;
    requireMayGrant(principal.limits, grantOf(action));
    await requireSubject(db, "user_groups", groupId);
    await writePolicy(db, body, { ...subject(null, groupId), action: action ?? undefined });
  }),
];

function subject(userId: number | null, groupId: number | null): PolicySubject {
  return { user_id: userId, group_id: groupId };
}

function grantOf(action: PermissionAction | null | undefined) {
  return action == null ? [] : [{ actions: [action] }];
}

async function requireSubject(db: Db, table: "users" | "user_groups", id: number): Promise<void> {
  const found = await db.selectFrom(table).select("id").where("id", "=", id).executeTakeFirst();
  if (found) return;
  throw new Failure("not_found", `there is no ${table === "users" ? "user" : "group"} ${id}`);
}
