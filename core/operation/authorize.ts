// Decides whether a principal may perform an action on an object: the service before a call, a plan in advance. Pure.
import type { JsonObject } from "../json.ts";
import { memoizePerObject } from "../memoize.ts";
import { matchesWildcard } from "../text/naming.ts";
import { valueAt } from "../pointer.ts";
import { actionsOf, type Operation, type PermissionScope } from "./operation.ts";
import {
  actionInfo,
  type Grant,
  isForAdministrators,
  policyTypeNamed,
  type PermissionAction,
  policyTypes,
  type ResourceKind,
  type ResourceType,
  sharingAction,
} from "./permission-actions.ts";

/** Access of an API key to states whose name matches `name`: a name, or a prefix followed by `*`. */
export type StateAccess = {
  readonly name: string;
  readonly access: "read" | "write";
};

/** The limits of a credential on its user's rights. Absent members do not limit it. */
export interface CredentialLimits {
  /** The actions of a key with chosen permissions. */
  readonly actions?: readonly PermissionAction[];
  /** The deployments in the scope of a key, or the one of an embed session. */
  readonly deployments?: readonly number[];
  /** The states of a key. They replace its other limits for states. */
  readonly states?: readonly StateAccess[];
}

/** Who calls: the rights of the user, and the limits of the credential. The operation `getCurrentUser` returns them. */
export interface Rights {
  readonly isAdmin: boolean;
  /** The grants of the user's roles and of policies on single objects. */
  readonly grants: readonly Grant[];
  readonly limits: CredentialLimits;
}

/** The types of the objects that permissions are checked for. */
type TargetType = ResourceKind | "state";

/** All of them, the innermost first. */
const targetTypes = [
  "dashboard",
  "report",
  "workbook",
  "folder",
  "deployment",
  "state",
] as const satisfies readonly TargetType[];

/** An object; without `id`, some object of the type. */
export interface Target {
  readonly type: TargetType;
  readonly id?: string;
}

/** The object of an operation, followed by the objects that contain it; empty for the whole account. */
export type Targets = readonly Target[];

/** Why an action is not permitted. */
export interface Refusal {
  readonly action: PermissionAction;
  /** Other actions, each of which would be enough. */
  readonly alternatives?: readonly PermissionAction[];
  /** The part that lacks the permission: the user, the chosen permissions of the credential, or its scope. */
  readonly cause: "user" | "permissions" | "deployments" | "states";
  readonly targets: Targets;
}

/** The parts of a request that can name an object. */
export interface RequestParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/**
 * Returns why the principal may not call the operation; undefined if it may. Without a request, the answer is about
 * some object that a request could name.
 */
export function authorizeCall(
  caller: Rights,
  operation: Pick<Operation, "permission">,
  request: RequestParts = {},
): Refusal | undefined {
  const rights = rightsFor(caller, operation);
  return oneRefusal(
    actionsOf(operation).map((action) => authorizeAction(rights, { operation, action }, request)),
  );
}

/** Returns the refusal of all alternatives; undefined if one of them is permitted, or there are none. */
export function oneRefusal(answers: readonly (Refusal | undefined)[]): Refusal | undefined {
  const [first, ...others] = answers.filter((answer) => answer !== undefined);
  if (first === undefined || 1 + others.length < answers.length) return undefined;
  if (others.length === 0) return first;
  return { ...first, alternatives: others.map(({ action }) => action) };
}

/** An operation, and one of the actions of which it needs one. */
interface NeededAction {
  readonly operation: Pick<Operation, "permission">;
  readonly action: PermissionAction;
}

/** Returns the rights for a call: `ReadAll` includes operations that say so, without the action that they need of the user. */
export function rightsFor<Caller extends Rights>(
  caller: Caller,
  { permission }: Pick<Operation, "permission">,
): Caller {
  const { actions, ...others } = caller.limits;
  const isIncluded =
    typeof permission === "object" && permission.readAll === true && actions?.includes("ReadAll");
  return isIncluded === true ? { ...caller, limits: others } : caller;
}

/** Decides as {@link authorizeCall} does, about one of the actions of the operation, with the rights of {@link rightsFor}. */
export function authorizeAction(
  rights: Rights,
  { operation: { permission }, action }: NeededAction,
  request: RequestParts,
): Refusal | undefined {
  if (typeof permission === "string") return undefined;
  const { scope } = permission;
  if (scope === "account" || !("resource" in scope)) {
    return authorize(rights, action, targetsOf(scope, request));
  }
  const named = request[scope.resource];
  if (named !== undefined) return authorizeSharing(rights, action, namedResource(named));
  const possible = policyTypes.map((type) =>
    authorizeSharing(rights, action, [{ type: targetType(type) }, { type: "deployment" }]),
  );
  return possible.includes(undefined) ? undefined : possible[0];
}

/**
 * Returns why the answer of an operation can leave out objects that exist: the principal may not read all that the
 * operation concerns; undefined if it leaves out none.
 */
export function refusalOfOthers(
  caller: Rights,
  operation: Pick<Operation, "permission">,
  request: RequestParts,
): Refusal | undefined {
  const { permission } = operation;
  if (!leavesOut(operation) || typeof permission === "string") return undefined;
  const { scope, others } = permission;
  const rights = rightsFor(caller, operation);
  const needed = others === undefined ? actionsOf(operation) : [others];
  const named = scope === "account" || "resource" in scope ? [] : targetsOf(scope, request);
  // Only grants for all objects of a type contain one whose ID is not known.
  const targets = named.map(({ type, id = "" }) => ({ type, id }));
  return oneRefusal(needed.map((action) => authorize(rights, action, targets)));
}

/** Returns whether the answer of an operation leaves out what the caller may not read, instead of a refusal. */
export function leavesOut({ permission }: Pick<Operation, "permission">): boolean {
  return (
    typeof permission === "object" &&
    (permission.others !== undefined || listedType({ permission }) !== undefined)
  );
}

/** Returns whether a request of an operation names an object of the type that a list has, or an object in one. */
export function isInListed(
  list: Pick<Operation, "permission">,
  of: { readonly operation: Pick<Operation, "permission">; readonly request: RequestParts },
): boolean {
  const {
    operation: { permission },
    request,
  } = of;
  const listed = listedType(list);
  if (listed === undefined || typeof permission === "string") return false;
  const { scope } = permission;
  if (scope === "account") return false;
  const targets =
    "resource" in scope ? namedResource(request[scope.resource]) : targetsOf(scope, request);
  return targets.some(
    ({ type, id }) => id !== undefined && targetTypes.indexOf(type) <= targetTypes.indexOf(listed),
  );
}

/** Returns the type of the objects that a list has of those that the caller may read. */
function listedType({ permission }: Pick<Operation, "permission">): TargetType | undefined {
  if (typeof permission === "string") return undefined;
  const { scope } = permission;
  if (scope === "account" || "resource" in scope) return undefined;
  return fieldsOf(scope).find(({ steps }) => steps === "any")?.type;
}

/** Decides about the policies of an object: those who manage the object manage its policies. */
function authorizeSharing(
  rights: Rights,
  action: PermissionAction,
  targets: Targets,
): Refusal | undefined {
  const [target] = targets;
  return authorize(rights, (target && sharingAction(target.type)) ?? action, targets);
}

/** Returns the object that `resourceType` and `resourceId` name; none if they are malformed. */
function namedResource(named: unknown): Targets {
  const { resourceType, resourceId: id } = (named ?? {}) as Readonly<Record<string, unknown>>;
  const type = policyTypeNamed(resourceType);
  if (type === undefined || typeof id !== "number") return [];
  return [{ type: targetType(type), id: String(id) }];
}

/** Returns the type of the objects that permissions on a type of resources are checked for. */
export function targetType(type: ResourceType): TargetType {
  // Folders contain both reports and workbooks; one of the types is older.
  return type === "ReportFolder" ? "folder" : (type.toLowerCase() as TargetType);
}

/** A scope that names objects by fields of the request. */
type FieldScope = Exclude<PermissionScope, "account" | { readonly resource: unknown }>;

/** The type of an object, and where the request has its ID. */
interface TargetField {
  readonly type: TargetType;
  readonly steps: readonly string[] | "any";
}

/** Returns where a request names objects, the innermost first. */
const fieldsOf = memoizePerObject((scope: FieldScope): readonly TargetField[] => {
  const fields: Readonly<Partial<Record<TargetType, string>>> = scope;
  return targetTypes.flatMap((type) => {
    const path = fields[type];
    return path === undefined ? [] : [{ type, steps: path === "any" ? path : path.split(".") }];
  });
});

/** Returns the objects that a request names, the innermost first. Malformed IDs count as unknown. */
function targetsOf(scope: "account" | FieldScope, request: RequestParts): Targets {
  if (scope === "account") return [];
  return fieldsOf(scope).flatMap(({ type, steps }): Target[] => {
    // Any object of the type can be in a folder.
    if (steps === "any")
      return type === "deployment" || type === "state"
        ? [{ type }]
        : [{ type }, { type: "folder" }];
    const id = valueAt(request as JsonObject, steps);
    if (type === "state") return [typeof id === "string" ? { type, id } : { type }];
    return [typeof id === "number" ? { type, id: String(id) } : { type }];
  });
}

/** Returns why the principal may not perform `action` on an object; undefined if it may. */
export function authorize(
  { isAdmin, grants, limits }: Rights,
  action: PermissionAction,
  targets: Targets,
): Refusal | undefined {
  const cause =
    (isAdmin || isGranted(grants, action, targets) ? undefined : "user") ??
    refusalByLimits(limits, action, targets);
  return cause && { action, cause, targets };
}

function isGranted(grants: readonly Grant[], action: PermissionAction, targets: Targets): boolean {
  if (isForAdministrators(action)) return false;
  return grants.some((grant) => allows(grant.actions, action) && covers(grant, targets));
}

/** Returns whether a grant covers the object or one that contains it. */
function covers({ resourceType, resources }: Grant, targets: Targets): boolean {
  if (resourceType === "Global") return true;
  return targets.some(
    ({ type, id }) =>
      type === targetType(resourceType) &&
      (resources === "All" || id === undefined || resources.includes(id)),
  );
}

function refusalByLimits(
  { actions, deployments, states }: CredentialLimits,
  action: PermissionAction,
  targets: Targets,
): Refusal["cause"] | undefined {
  const state = targets.find(({ type }) => type === "state");
  if (state !== undefined && states !== undefined) {
    return states.some((one) => reachesState(one, action, state)) ? undefined : "states";
  }
  if (actions !== undefined && !allows(actions, action)) return "permissions";
  if (deployments === undefined) return undefined;
  const deployment = targets.find(({ type }) => type === "deployment");
  if (deployment === undefined) return "deployments";
  const isInside = deployment.id === undefined || deployments.includes(Number(deployment.id));
  return isInside ? undefined : "deployments";
}

/** Returns whether one of the granted actions is `action` or includes it. */
export function allows(granted: readonly PermissionAction[], action: PermissionAction): boolean {
  return granted.some(
    (one) =>
      one === action ||
      one === "All" ||
      (one === "ReadAll" && isReadAction(action)) ||
      allows((actionInfo(one).includes ?? []) as readonly PermissionAction[], action),
  );
}

/** Returns whether `ReadAll` includes the action. States can contain secrets, so they are granted by name. */
export function isReadAction(action: PermissionAction): boolean {
  return action.endsWith("Read") && action !== "StateRead";
}

function reachesState(
  { name, access }: StateAccess,
  action: PermissionAction,
  { id }: Target,
): boolean {
  const isPermitted = access === "write" || action === "StateRead";
  return isPermitted && (id === undefined || matchesWildcard(id, name));
}

/** A refusal in words: the missing permission, and a credential that has it. */
export interface RefusalText {
  readonly problem: string;
  /** The credential to use instead, as a noun. */
  readonly usable: string;
}

/**
 * Returns the permission or scope that a refused principal lacks, as a clause, and the credential that would be
 * permitted.
 */
export function describeRefusal({
  action,
  alternatives = [],
  cause,
  targets,
}: Refusal): RefusalText {
  const target = targets.find(({ id }) => id !== undefined);
  const names = [action, ...alternatives].join(" or ");
  const permission = `the permission ${names}${target === undefined ? "" : ` for ${nameOf(target)}`}`;
  switch (cause) {
    case "user":
      return isForAdministrators(action)
        ? {
            problem: `only administrators have ${permission}`,
            usable: "the credential of an administrator",
          }
        : {
            problem: `no role or policy of the user grants ${permission}`,
            usable: "the credential of a user who has one that grants it",
          };
    case "deployments":
      return describeOutOfScope(targets);
    case "permissions":
      return { problem: `the credential lacks ${permission}`, usable: "a credential that has it" };
    case "states":
      return {
        problem: `the credential lacks ${permission}`,
        usable: "a credential whose `states` grant it",
      };
  }
}

function describeOutOfScope(targets: Targets): RefusalText {
  const deployment = targets.find(({ type }) => type === "deployment");
  if (deployment?.id !== undefined) {
    return {
      problem: `the credential cannot access ${nameOf(deployment)}`,
      usable: "a credential with that deployment in its scope",
    };
  }
  return {
    problem:
      "the credential is limited to some deployments, but the operation concerns the whole account",
    usable: "a credential for all deployments",
  };
}

function nameOf({ type, id }: Target): string {
  return `${type} ${id}`;
}
