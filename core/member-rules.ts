// Rules between the members of an object, beyond what JSON Schema says with a clear message.
import { member } from "./schema.ts";

/** The keyword of the rules. The service checks them in requests, and the OpenAPI document says them. */
export const memberRulesKeyword = "x-member-rules";

/**
 * A rule between members: not all of `notTogether` are given, or the second of `requires` is given if the first is. `message`
 * completes "the body".
 */
export type MemberRule<Member extends string = string> = { readonly message: string } & (
  | { readonly notTogether: readonly Member[] }
  | { readonly requires: readonly [Member, Member] }
);

/** The values of a member that is not given, beside an absent one. */
export const absentValues = [null, "", false] as const;

/** Returns the rule that at most one of two members is given. */
export function notBoth<const Member extends string>(
  one: Member,
  other: Member,
  why = "send one of them",
): MemberRule<Member> {
  return { notTogether: [one, other], message: `must not have both ${one} and ${other}; ${why}` };
}

/** Returns the rule that a member needs another one. `what` describes that one. */
export function requires<const Member extends string>(
  one: Member,
  needed: Member,
  what: string = needed,
): MemberRule<Member> {
  return { requires: [one, needed], message: `must have ${what}, which ${one} requires` };
}

/** Returns whether an object has a member. */
export function isGiven(object: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = member(object, name);
  return value !== undefined && !absentValues.some((absent) => absent === value);
}

/** Returns the rules that an object breaks. */
export function brokenRules(
  rules: readonly MemberRule[],
  object: Readonly<Record<string, unknown>>,
): readonly MemberRule[] {
  return rules.filter((rule) =>
    "requires" in rule
      ? isGiven(object, rule.requires[0]) && !isGiven(object, rule.requires[1])
      : rule.notTogether.every((name) => isGiven(object, name)),
  );
}
