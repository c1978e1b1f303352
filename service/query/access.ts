// Access policies: decides which members and rows of a cube or view a caller may read.
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { linkedName } from "../model/links.ts";
import type { AccessPolicy, CompiledCube, CompiledView, PolicyValue } from "../model/types.ts";
import { memberKinds, type ModelIndex, type QueryMember, resolveMember } from "./model-index.ts";

/** The caller of a query, which access policies and `SECURITY_CONTEXT` read. */
export interface QueryCaller {
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly userAttributes: JsonObject;
  /** Undefined if it is unknown, because the token carries none. */
  readonly securityContext: JsonObject | undefined;
  /** Whether this is an embed session or an external user, who reads only what the host of the session names. */
  readonly isEmbedded: boolean;
  /** The only members that it may use, as queries name them; undefined if access policies alone decide. */
  readonly members?: ReadonlySet<string> | undefined;
  /** Reports in SQL whose members it may use besides. */
  readonly statements?: readonly string[] | undefined;
}

type Subject = Pick<CompiledCube | CompiledView, "policies" | "name">;

/** Returns the policies that apply to a caller; undefined if the subject has none and everything is open. */
export function policiesFor(
  { policies }: Subject,
  caller: QueryCaller,
): readonly AccessPolicy[] | undefined {
  return policies && applyingPolicies(caller)(policies);
}

const applyingPolicies = memoizePerObject((caller: QueryCaller) =>
  memoizePerObject((policies: readonly AccessPolicy[]) =>
    policies.filter((policy) => appliesTo(policy, caller)),
  ),
);

function appliesTo({ groups, role, conditions }: AccessPolicy, caller: QueryCaller): boolean {
  const isMember =
    role === "*" ||
    groups.includes("*") ||
    groups.some((group) => caller.groups.includes(group)) ||
    (role !== undefined && caller.roles.includes(role));
  return isMember && conditions.every((condition) => isTrue(condition, caller));
}

/** Returns whether a value is true; a missing value is false. Throws `invalid` for a value that is not a boolean. */
function isTrue(condition: PolicyValue, caller: QueryCaller): boolean {
  const value = valueOf(condition, caller);
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  const path = "path" in condition ? `${condition.context}.${condition.path.join(".")}` : "";
  throw new Failure("invalid", `the condition ${path} of an access policy is not a boolean`);
}

/** Returns a literal, or the caller's value; undefined if the caller has none. */
export function valueOf(value: PolicyValue, caller: QueryCaller): JsonValue | undefined {
  return "literal" in value ? value.literal : contextValue(caller[value.context], value.path);
}

/**
 * Returns the value at a path; undefined if there is none. Throws `invalid` for an integer that JSON has rounded,
 * because it may be the ID of another tenant.
 */
export function contextValue(
  context: JsonObject | undefined,
  path: readonly string[],
): JsonValue | undefined {
  const value = path.reduce<JsonValue | undefined>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    context,
  );
  if ([value].flat().some((one) => Number.isInteger(one) && !Number.isSafeInteger(one)))
    throw new Failure(
      "invalid",
      `${path.join(".")} of the caller is a number beyond 2^53, which JSON rounds; send it as text`,
    );
  return value;
}

/** The policies of a caller that show a member: its values, or its mask. Each shows them in the rows that it admits. */
export interface MemberPolicies {
  readonly open: readonly AccessPolicy[];
  readonly masked: readonly AccessPolicy[];
}

/** Returns the policies that show a member to a caller; undefined if the subject has none and everything is open. */
export function memberPolicies(
  subject: Subject,
  name: string,
  caller: QueryCaller,
): MemberPolicies | undefined {
  const policies = policiesFor(subject, caller);
  if (policies === undefined) return undefined;
  // The address of a link is a part of its dimension.
  const own = linkedName(name);
  const opens = (policy: AccessPolicy) => membersOf(policy).open?.has(own) ?? true;
  return {
    open: policies.filter(opens),
    masked: policies.filter((one) => !opens(one) && membersOf(one).masked.has(own)),
  };
}

const membersOf = memoizePerObject(({ members, masked }: AccessPolicy) => ({
  open: members && new Set(members),
  masked: new Set(masked),
}));

function isInScope({ subject, ownName }: QueryMember, { members }: QueryCaller): boolean {
  return members === undefined || members.has(`${subject.name}.${linkedName(ownName)}`);
}

/** Returns the caller with the drill members of the measures that it may use. */
export function withDrillMembers(model: ModelIndex, caller: QueryCaller): QueryCaller {
  const { members } = caller;
  if (members === undefined) return caller;
  const drilled = [...members].flatMap((name) => {
    const [owner = "", own = ""] = name.split(".");
    const inView = model.views.get(owner)?.members.get(own);
    const cube = model.cubes.get(inView?.path.at(-1) ?? owner);
    const measure = cube?.measures.get(inView?.member ?? own);
    return measure ? namesIn(model, owner, measure.drillMembers) : [];
  });
  return { ...caller, members: new Set([...members, ...drilled]) };
}

/** Returns whether the caller may use a member in a query. */
export function isVisible(member: QueryMember, caller: QueryCaller): boolean {
  if (!member.public || !isInScope(member, caller)) return false;
  const { subject, ownName, reads = [] } = member;
  const policies = memberPolicies(subject, ownName, caller);
  if (policies === undefined) return true;
  const isOpen = (name: string) => (memberPolicies(subject, name, caller)?.open ?? []).length > 0;
  if (!reads.every(isOpen)) return false;
  // A segment has no value that a mask could replace.
  return policies.open.length > 0 || (policies.masked.length > 0 && member.kind !== "segment");
}

/** Returns names of cube members in a cube or view, which uses its own names for the members that it takes from cubes. */
function namesIn(model: ModelIndex, subject: string, names: readonly string[]): readonly string[] {
  const view = model.views.get(subject)?.view;
  return names.map((name) => {
    const own = view?.members.find(({ path, member }) => `${path.at(-1) ?? ""}.${member}` === name);
    return own ? `${subject}.${own.name}` : name;
  });
}

/** Returns the names of cube members, `cube.member`, that the caller may query in a cube or view. */
export function visibleNames(
  model: ModelIndex,
  names: readonly string[],
  {
    subject,
    caller,
  }: { readonly subject: Pick<CompiledCube, "name">; readonly caller: QueryCaller },
): readonly string[] {
  return namesIn(model, subject.name, names).filter((name) =>
    isVisible(resolveMember(model, name, memberKinds), caller),
  );
}

/** Throws `forbidden` if the caller may not use a member of a query. */
export function requireVisible(member: QueryMember, caller: QueryCaller): void {
  if (!isInScope(member, caller)) {
    throw new Failure(
      "forbidden",
      `You requested hidden member: '${member.name}'. No dashboard that the session may view uses it; add it to one, or set embedding.queryScope of the app configuration to model.`,
    );
  }
  if (!isVisible(member, caller)) throw hiddenFailure(member);
}

/** Returns the failure of a query that uses a member which its caller may not use. */
export function hiddenFailure({ name }: QueryMember): Failure {
  return new Failure(
    "forbidden",
    `You requested hidden member: '${name}'. Make it public in the data model, or add it to an access policy that applies to the caller.`,
  );
}
