// Compiles access policies. Their values are literals or paths into the caller's context; nothing is evaluated.
import { suggestion } from "../../core/text/naming.ts";
import { policyGroupName } from "../../core/text/tenant-groups.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { type Place, type Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import {
  type MemberLevelDeclaration,
  nestedSchemas,
  type PolicyDeclaration,
  type RowFilterDeclaration,
} from "./schema.ts";
import type { AccessPolicy, MemberKind, PolicyFilter, PolicyValue } from "./types.ts";

/** The cube or view of a policy. */
export interface PolicySubject {
  readonly name: string;
  readonly has: (member: string) => boolean;
  readonly names: () => readonly string[];
  /** Returns the member of a row filter, or undefined after adding an error. */
  readonly resolve: (text: string, at: Place) => FilteredMember | undefined;
  readonly problems: Problems;
}

/** A member that a row filter names. */
export interface FilteredMember {
  /** `cube.member`. */
  readonly name: string;
  readonly kind: MemberKind;
  /** The reason why no row filter can use the member; undefined if one can. */
  readonly reason: string | undefined;
}

const validateFilter = declaredValidator(nestedSchemas.filter);

/** Nesting of `and` and `or` in a row filter. */
const filterDepth = 10;

/** Compiles the policies of a cube or view. */
export function compilePolicies(
  policies: readonly Declared<PolicyDeclaration>[],
  subject: PolicySubject,
): readonly AccessPolicy[] {
  return policies.map((policy) => compilePolicy(policy, subject));
}

function compilePolicy(
  { value, at }: Declared<PolicyDeclaration>,
  subject: PolicySubject,
): AccessPolicy {
  const { problems } = subject;
  const named = (["group", "groups", "role"] as const).filter((key) => value[key] !== undefined);
  if (named.length !== 1) {
    const found = named.length === 0 ? "none of them" : named.join(" and ");
    problems.add(
      at,
      `a policy of ${subject.name} needs exactly one of group, groups and role; it has ${found}`,
    );
  }
  const { row_level: rows, member_masking: masking } = value;
  if (rows && (rows.filters === undefined) === (rows.allow_all === undefined)) {
    problems.add(
      within(at, "row_level"),
      "row_level needs exactly one of filters and allow_all: true",
    );
  }
  if (masking && value.member_level === undefined) {
    problems.add(within(at, "member_masking"), "member_masking needs member_level");
  }
  const members =
    value.member_level && levelMembers(value.member_level, within(at, "member_level"), subject);
  return {
    groups: [value.groups ?? value.group ?? []].flat().map(policyGroupName),
    ...(value.role !== undefined && { role: value.role }),
    conditions: (value.conditions ?? []).flatMap((condition, index) => {
      const found = contextValue(condition.if, within(at, "conditions", index, "if"), problems);
      return found ? [found] : [];
    }),
    ...(members && { members }),
    ...(masking && { masked: levelMembers(masking, within(at, "member_masking"), subject) }),
    ...(rows?.filters && {
      rows: rows.filters.flatMap((filter, index) =>
        compileFilter(filter, within(at, "row_level", "filters", index), { subject, depth: 0 }),
      ),
    }),
  };
}

/** Returns the members of a level: `includes` (all members by default) without `excludes`. */
function levelMembers(
  { includes = "*", excludes = [] }: MemberLevelDeclaration,
  at: Place,
  subject: PolicySubject,
): readonly string[] {
  const names = (list: "*" | readonly string[], key: string) =>
    list === "*"
      ? subject.names()
      : list.flatMap((text, index) => ownMember(text, within(at, key, index), subject));
  const without = new Set(names(excludes, "excludes"));
  return names(includes, "includes").filter((name) => !without.has(name));
}

function ownMember(text: string, at: Place, subject: PolicySubject): readonly string[] {
  const names = text.split(".");
  const name = names.at(-1) ?? "";
  const owner = names.length > 1 ? names.slice(0, -1).join(".") : "CUBE";
  if (owner !== "CUBE" && owner !== subject.name) {
    subject.problems.add(
      at,
      `${text} belongs to another cube; a policy lists members of ${subject.name}`,
    );
    return [];
  }
  if (subject.has(name)) return [name];
  subject.problems.add(
    at,
    `${subject.name} has no member ${name}${suggestion(name, subject.names())}`,
  );
  return [];
}

function compileFilter(
  filter: RowFilterDeclaration,
  at: Place,
  { subject, depth }: { subject: PolicySubject; depth: number },
): readonly PolicyFilter[] {
  const { problems } = subject;
  const forms = (["member", "and", "or"] as const).filter((key) => filter[key] !== undefined);
  if (forms.length !== 1) {
    problems.add(at, "a row filter needs exactly one of member, and, or");
    return [];
  }
  if (forms[0] !== "member") {
    return nestedFilters(filter, forms[0] === "and" ? "and" : "or", { at, subject, depth });
  }
  if (filter.operator === undefined) {
    problems.add(at, "a row filter needs an operator");
    return [];
  }
  const isMeasureFilter = filter.operator === "measureFilter";
  const isUnary = isMeasureFilter || filter.operator === "set" || filter.operator === "notSet";
  if (isUnary === (filter.values !== undefined)) {
    problems.add(
      at,
      isUnary
        ? `the operator ${filter.operator} takes no values`
        : `the operator ${filter.operator} needs values`,
    );
  }
  const member = subject.resolve(filter.member ?? "", within(at, "member"));
  if (member === undefined) return [];
  const reason = memberReason(member, { text: filter.member ?? "", isMeasureFilter });
  if (reason !== undefined) problems.add(within(at, "member"), reason);
  const values = (filter.values ?? []).flatMap((value, index): readonly PolicyValue[] => {
    if (value === null || value === "") {
      const text = JSON.stringify(value);
      problems.add(
        within(at, "values", index),
        `${text} opens no row; to open rows without a value, use the operator notSet`,
      );
    }
    if (typeof value !== "string" || !value.includes("{")) return [{ literal: value }];
    const found = contextValue(value, within(at, "values", index), problems);
    return found ? [found] : [];
  });
  return [{ member: member.name, operator: filter.operator, values }];
}

function memberReason(
  { kind, reason }: FilteredMember,
  { text, isMeasureFilter }: { readonly text: string; readonly isMeasureFilter: boolean },
): string | undefined {
  if (isMeasureFilter) {
    if (kind === "measure") return reason;
    return `the operator measureFilter needs a measure, and ${text} is a ${kind}`;
  }
  return kind === "dimension" ? reason : `${text} is a ${kind}; a row filter needs a dimension`;
}

function nestedFilters(
  filter: RowFilterDeclaration,
  form: "and" | "or",
  { at, subject, depth }: { at: Place; subject: PolicySubject; depth: number },
): readonly PolicyFilter[] {
  if (depth >= filterDepth) {
    subject.problems.add(at, `row filters nest deeper than ${filterDepth} levels`);
    return [];
  }
  const inner = (filter[form] ?? []).flatMap((value, index) => {
    const place = within(at, form, index);
    const errors = validateFilter(value);
    for (const { path, message } of errors) {
      subject.problems.add(
        { ...place, pointer: `${place.pointer}${path}` },
        `the row filter ${message}`,
      );
    }
    if (errors.length > 0) return [];
    return compileFilter(value as RowFilterDeclaration, place, { subject, depth: depth + 1 });
  });
  return [form === "and" ? { and: inner } : { or: inner }];
}

const contextPattern =
  /^\s*\{\s*(userAttributes|user_attributes|securityContext|security_context)((?:\.[A-Za-z_]\w*)+)\s*\}\s*$/;

/** Returns the context path of `{userAttributes.name}` or `{securityContext.name}`. */
function contextValue(text: string, at: Place, problems: Problems): PolicyValue | undefined {
  const match = contextPattern.exec(text);
  if (!match) {
    problems.add(
      at,
      `${JSON.stringify(text)} is not a value; write {userAttributes.name} or {securityContext.name}, because expressions are never evaluated`,
    );
    return undefined;
  }
  const context = match[1]?.startsWith("user") === true ? "userAttributes" : "securityContext";
  return { context, path: (match[2] ?? "").split(".").slice(1) };
}
