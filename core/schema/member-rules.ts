// Rules between the members of an object that JSON Schema cannot express with a clear message.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { isObject, type JsonObject } from "../json.ts";
import { member } from "./schema.ts";

/**
 * The keyword of the rules. The service checks them in requests, plans in manifests, and the OpenAPI document contains
 * them.
 */
export const memberRulesKeyword = "x-member-rules";

/** Patterns by member. */
type Patterns<Member extends string = string> = Readonly<Partial<Record<Member, string>>>;

/**
 * A rule between members:
 * - exactly one of `exactlyOneOf` is given
 * - not all of `notTogether` are given
 * - the second of `requires` is given if the first is
 * - `given` is given
 * - `matches`: the members match their patterns
 * - `distinct`: the items of a list have different texts in a member
 * - `contains`: a list has an item whose members match their patterns
 * - `each`: the items of a list whose members match the patterns of `of` match their patterns
 *
 * With `when`, it applies to objects whose members match these patterns. `message` completes "the body", or the member that
 * `at` names.
 */
export type MemberRule<Member extends string = string> = {
  readonly message: string;
  readonly at?: Member;
  readonly when?: Patterns<Member>;
} & (
  | { readonly exactlyOneOf: readonly Member[] }
  | { readonly notTogether: readonly Member[] }
  | { readonly requires: readonly [Member, Member] }
  | { readonly given: Member }
  | { readonly matches: Patterns<Member> }
  | { readonly distinct: readonly [list: Member, of: string] }
  | { readonly contains: readonly [list: Member, item: Patterns] }
  | { readonly each: readonly [list: Member, item: Patterns]; readonly of?: Patterns }
);

/** The values that count as omitted, in addition to an absent member. */
const absentValues = [null, "", false] as const;

/** Returns the rule that exactly one of several members is given. */
export function exactlyOne<const Member extends string>(...names: Member[]): MemberRule<Member> {
  return { exactlyOneOf: names, message: `must have exactly one of ${names.join(" and ")}` };
}

/** Returns the rule that at most one of two members is given. */
export function notBoth<const Member extends string>(
  one: Member,
  other: Member,
  why = "send one of them",
): MemberRule<Member> {
  return { notTogether: [one, other], message: `must not have both ${one} and ${other}; ${why}` };
}

/** Returns the rule that a member needs another one. `what` describes the other one. */
export function requires<const Member extends string>(
  one: Member,
  needed: Member,
  what: string = needed,
): MemberRule<Member> {
  return { requires: [one, needed], message: `must have ${what}, which ${one} requires` };
}

/** Returns the rules of an object schema. */
export function rulesOf(schema: TSchema): readonly MemberRule[] {
  const { [memberRulesKeyword]: rules = [] } = schema as {
    readonly [memberRulesKeyword]?: readonly MemberRule[];
  };
  return rules;
}

/** Returns the members of which an object of a schema has exactly one; an empty list if there is no such rule. */
export function exclusiveMembers(schema: TSchema): readonly string[] {
  return rulesOf(schema).flatMap((rule) => ("exactlyOneOf" in rule ? rule.exactlyOneOf : []));
}

type Members = Readonly<Record<string, unknown>>;

/** Returns whether an object has a member. */
export function isGiven(object: Members, name: string): boolean {
  const value = member(object, name);
  return value !== undefined && !absentValues.some((absent) => absent === value);
}

/** Returns the rules that an object breaks. */
export function brokenRules(rules: readonly MemberRule[], object: Members): readonly MemberRule[] {
  return rules.filter(({ when, ...rule }) => {
    const applies = when === undefined || matchesAll(object, when);
    return applies && !holds(rule, object);
  });
}

function holds(rule: MemberRule, object: Members): boolean {
  const has = (name: string): boolean => isGiven(object, name);
  if ("exactlyOneOf" in rule) return rule.exactlyOneOf.filter(has).length === 1;
  if ("notTogether" in rule) return !rule.notTogether.every(has);
  if ("requires" in rule) return !has(rule.requires[0]) || has(rule.requires[1]);
  if ("given" in rule) return has(rule.given);
  if ("matches" in rule) return matchesAll(object, rule.matches);
  if ("distinct" in rule) {
    const [list, of] = rule.distinct;
    const texts = itemsOf(object, list).flatMap((item) => textOf(item, of) ?? []);
    return new Set(texts).size === texts.length;
  }
  if ("contains" in rule) {
    const [list, patterns] = rule.contains;
    const isList = Array.isArray(member(object, list));
    return !isList || itemsOf(object, list).some((item) => matchesAll(item, patterns));
  }
  const [list, patterns] = rule.each;
  return itemsOf(object, list)
    .filter((item) => matchesAll(item, rule.of ?? {}))
    .every((item) => matchesAll(item, patterns));
}

/** Returns the items of a list; none for another type, which is a separate error. */
function itemsOf(object: Members, list: string): readonly unknown[] {
  const items = member(object, list);
  return Array.isArray(items) ? items : [];
}

function textOf(object: unknown, name: string): string | undefined {
  const value = isObject(object) ? member(object, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

function matchesAll(object: unknown, patterns: Patterns): boolean {
  return Object.entries(patterns).every(([name, pattern = ""]) => {
    const text = textOf(object, name);
    return text !== undefined && new RegExp(pattern, "u").test(text);
  });
}

/** A broken rule with the JSON Pointer of the value that breaks it. */
interface RuleError {
  readonly path: string;
  readonly message: string;
}

/** Returns the errors of an object: one for each broken rule, and one for each item that repeats the text of an earlier one. */
export function ruleErrors(rules: readonly MemberRule[], object: Members): readonly RuleError[] {
  return brokenRules(rules, object).flatMap((rule): readonly RuleError[] => {
    if ("distinct" in rule) return repeatedItems(rule.distinct, object);
    const { at, message } = rule;
    return [{ path: at === undefined ? "" : `/${at}`, message }];
  });
}

function repeatedItems(
  [list, of]: readonly [list: string, of: string],
  object: Members,
): readonly RuleError[] {
  const first = new Map<string, number>();
  return itemsOf(object, list).flatMap((item, index) => {
    const text = textOf(item, of);
    if (text === undefined) return [];
    const before = first.get(text);
    if (before !== undefined)
      return [
        { path: `/${list}/${index}/${of}`, message: `must differ from ${list}[${before}].${of}` },
      ];
    first.set(text, index);
    return [];
  });
}

/** The keyword for ajv. */
export const memberRulesDefinition: FuncKeywordDefinition = {
  keyword: memberRulesKeyword,
  type: "object",
  errors: "full",
  compile: (rules: readonly MemberRule[]) => {
    const check: ReturnType<NonNullable<FuncKeywordDefinition["compile"]>> = (value, at) => {
      const errors = ruleErrors(rules, value as Members);
      if (errors.length === 0) return true;
      check.errors = errors.map(({ path, message }) => ({
        keyword: memberRulesKeyword,
        params: {},
        message,
        ...(path !== "" && { instancePath: `${at?.instancePath ?? ""}${path}` }),
      }));
      return false;
    };
    return check;
  },
};

/** Returns a rule as JSON Schema; undefined for a rule that JSON Schema cannot express. */
export function ruleSchema(rule: MemberRule): JsonObject | undefined {
  const { when } = rule;
  const schema = alwaysSchema(rule);
  if (when === undefined || schema === undefined) return schema;
  return conditional(when, schema);
}

function conditional(when: Patterns, schema: JsonObject): JsonObject {
  return { anyOf: [{ not: withPatterns(when) }, schema] };
}

function alwaysSchema(rule: MemberRule): JsonObject | undefined {
  const absent = (name: string): JsonObject => ({ properties: { [name]: { enum: absentValues } } });
  if ("exactlyOneOf" in rule) return { oneOf: rule.exactlyOneOf.map(hasMember) };
  if ("notTogether" in rule) return { anyOf: rule.notTogether.map(absent) };
  if ("requires" in rule) {
    const [one, needed] = rule.requires;
    return { anyOf: [absent(one), hasMember(needed)] };
  }
  if ("given" in rule) return hasMember(rule.given);
  if ("matches" in rule) return withPatterns(rule.matches);
  if ("distinct" in rule) return undefined;
  if ("contains" in rule) {
    const [list, item] = rule.contains;
    return { properties: { [list]: { contains: withPatterns(item) } } };
  }
  const [list, item] = rule.each;
  const items =
    rule.of === undefined ? withPatterns(item) : conditional(rule.of, withPatterns(item));
  return { properties: { [list]: { items } } };
}

function hasMember(name: string): JsonObject {
  return { required: [name], properties: { [name]: { not: { enum: absentValues } } } };
}

/** Returns the schema of objects whose members are texts that match patterns. */
function withPatterns(patterns: Patterns): JsonObject {
  const properties = Object.entries(patterns).map(([name, pattern = ""]) => [
    name,
    { type: "string", pattern },
  ]);
  return {
    type: "object",
    required: Object.keys(patterns),
    properties: Object.fromEntries(properties) as JsonObject,
  };
}
