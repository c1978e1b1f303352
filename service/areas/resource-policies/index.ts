// Area resource-policies: the permissions of users and groups on an object.
import {
  getResourcePolicies,
  listResourcePolicies,
  setGroupPolicy,
  setUserPolicy,
} from "../../../api/resource-policies.ts";
import { rightsFor } from "../../../core/operation/authorize.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { requireMayGrant } from "../../security/key-limits.ts";
import {
  type PermissionAction,
  type ResourceKind,
  sharingAction,
} from "../../../core/operation/permission-actions.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { keyset } from "../../store/keyset.ts";
import { resourceTables } from "../../store/resources.ts";
import type { Db } from "../../store/schema.ts";
import {
  type Call,
  handle,
  handleList,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOfBatch } from "../shared/pagination.ts";
import {
  policiesOfEach,
  type PolicySubject,
  readPolicies,
  writePolicy,
} from "./object-policies.ts";

/** The handlers of this area. */
export const resourcePolicies: readonly OperationHandler[] = [
  handle(getResourcePolicies, async ({ db, query }) => readPolicies(db, query)),
  handleList(listResourcePolicies, async (call) => {
    const { db, params, query } = call;
    await requireDeployment(db, params.deploymentId);
    const type = query.resourceType.toLowerCase() as Lowercase<typeof query.resourceType>;
    // An object can have many policies.
    const source = { ...(await managedObjects(call, type)), rowsPerQuery: 25 };
    const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
    return pageOfBatch(call, source, (rows) => policiesOfEach(db, type, idsOf(rows)));
  }),
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

/** Returns the objects of a type whose policies the caller may read. */
async function managedObjects(
  { db, params, principal, operation }: Call<RequestOf<typeof listResourcePolicies>>,
  type: Exclude<ResourceKind, "deployment">,
) {
  const { deploymentId } = params;
  const stored = resourceTables[type];
  invariant(stored, `no table has objects of type ${type}`);
  const action = sharingAction(type);
  invariant(action, `no action includes managing the policies of objects of type ${type}`);
  // The tables of a deployment's objects share these columns.
  const table = stored.table as "folders" | "dashboards";
  const permitted = await permittedRows(
    { db, principal: rightsFor(principal, operation) },
    { type, deploymentId, action },
  );
  let all = db
    .selectFrom(table)
    .select(`${table}.id`)
    .where(`${table}.deployment_id`, "=", deploymentId);
  if (type === "dashboard") all = all.where("status", "=", "published");
  if (permitted) all = all.where(permitted);
  return keyset(all, `${table}.id`);
}

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
