// Decides about stored objects by role grants and by policies for the user and its groups on an object and its
// containers.
import {
  allows,
  authorize,
  authorizeAction,
  oneRefusal,
  rightsFor,
  type Refusal,
  type RequestParts,
  type Targets,
} from "../../core/operation/authorize.ts";
import { actionsOf, type Operation } from "../../core/operation/operation.ts";
import {
  type Grant,
  isForAdministrators,
  type PermissionAction,
  type ResourceKind,
} from "../../core/operation/permission-actions.ts";
import { keptResult } from "../store/prepared-query.ts";
import { noRow, policyGrants, rowCondition } from "../store/policy-grants.ts";
import { type Resource, withParents } from "../store/resources.ts";
import type { Db } from "../store/schema.ts";
import type { Principal } from "./principal.ts";
import { refuse } from "./require-permission.ts";

/** The principal of an action, and the store with the objects. `Call` is one. */
interface Actor {
  readonly db: Db;
  readonly principal: Principal;
}

/** Returns the refusal if the principal may not call the operation, which policies may permit; undefined if it may. */
export async function authorizeOperation(
  { db, principal: caller }: Actor,
  operation: Operation,
  request: RequestParts,
): Promise<Refusal | undefined> {
  const { permission } = operation;
  if (typeof permission === "object" && permission.scope !== "account") {
    const { scope } = permission;
    // The object is not known before the query and the body are read.
    if ("resource" in scope && request[scope.resource] === undefined) return undefined;
  }
  const principal = rightsFor(caller, operation);
  const refusals: Refusal[] = [];
  for (const action of actionsOf(operation)) {
    const refusal = authorizeAction(principal, { operation, action }, request);
    const stored = refusal && (await authorizeStored({ db, principal }, refusal));
    if (stored === undefined) return undefined;
    refusals.push(stored);
  }
  return oneRefusal(refusals);
}

/**
 * Returns the refusal if the principal may not perform the action on an object that a handler found; undefined if it
 * may.
 */
export async function authorizeResource(
  actor: Actor,
  action: PermissionAction,
  { type, id }: Resource,
): Promise<Refusal | undefined> {
  const refusal = authorize(actor.principal, action, [{ type, id: String(id) }]);
  return refusal && authorizeStored(actor, refusal);
}

/** Throws `forbidden` if the principal may not perform the action on an object that a handler found. */
export async function requireResourcePermission(
  actor: Actor,
  action: PermissionAction,
  resource: Resource,
): Promise<void> {
  refuse(await authorizeResource(actor, action, resource));
}

/** Decides again about the objects in a refusal, with their containers and policies. */
async function authorizeStored(
  { db, principal }: Actor,
  refusal: Refusal,
): Promise<Refusal | undefined> {
  const { action, cause, targets } = refusal;
  const isPlaced = targets.some(({ type }) => type === "deployment");
  if (cause !== "user" && (cause !== "deployments" || isPlaced)) return refusal;
  // A refusal for another reason implies that the user has the permission.
  const isDecided = principal.isAdmin || cause !== "user" || isForAdministrators(action);
  const { placed, policies } = await storedGrants(db, {
    targets,
    ...(!isDecided && { userId: principal.userId }),
  });
  if (placed === undefined) return refusal;
  const grants = [...principal.grants, ...policies];
  return authorize({ ...principal, grants }, action, placed);
}

/**
 * Objects with all their containers, undefined if they do not exist, and the grants that policies on those give to a
 * user, if any.
 */
interface StoredGrants {
  readonly placed: Targets | undefined;
  readonly policies: readonly Grant[];
}

const storedGrants = keptResult(
  async (
    db: Db,
    { targets, userId }: { readonly targets: Targets; readonly userId?: number },
  ): Promise<StoredGrants> => {
    const placed = await withContainers(db, targets);
    const policies =
      placed === undefined || userId === undefined ? [] : await policyGrants(db, userId, placed);
    return { placed, policies };
  },
);

/** Returns the objects with all their containers; undefined if they do not exist, or if one is not in the other. */
async function withContainers(db: Db, targets: Targets): Promise<Targets | undefined> {
  const named = targets.flatMap(({ type, id }) => (id === undefined ? [] : [{ type, id }]));
  const [innermost] = named.length === 0 ? targets : named;
  if (innermost === undefined || innermost.type === "state") return undefined;
  const { type, id } = innermost;
  if (id === undefined) return targets;
  const found = (await withParents(db, { type, id: Number(id) })).map((one) => ({
    type: one.type,
    id: String(one.id),
  }));
  const isFound = named.every((one) =>
    found.some((other) => other.type === one.type && other.id === one.id),
  );
  return isFound ? [...targets.filter((one) => one.id === undefined), ...found] : undefined;
}

/** The objects of one type in a list. */
export interface ListedResources {
  readonly type: ResourceKind;
  /** Limits the list to one deployment. */
  readonly deploymentId?: number;
  readonly action: PermissionAction;
}

/**
 * Returns a condition on the rows of the type's table: true for the objects on which grants permit the action, and for
 * none if the credential lacks it. Undefined for all objects. The condition does not include the deployments of the
 * credential.
 */
export async function permittedRows(
  { db, principal }: Actor,
  { type, deploymentId, action }: ListedResources,
) {
  const { isAdmin, userId, grants, limits } = principal;
  if (limits.actions !== undefined && !allows(limits.actions, action)) return noRow;
  const deployment: Targets =
    deploymentId === undefined ? [] : [{ type: "deployment", id: String(deploymentId) }];
  const policies = isAdmin ? [] : await policyGrants(db, userId, deployment);
  // No object has this ID, so only grants on all objects permit the action.
  const rights = { isAdmin, grants: [...grants, ...policies], limits: {} };
  const isEverywhere = !authorize(rights, action, [{ type, id: "" }, ...deployment]);
  return isEverywhere ? undefined : rowCondition({ userId, grants, action }, type);
}
