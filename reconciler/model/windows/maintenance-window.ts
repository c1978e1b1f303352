// Decides whether maintenance windows and freezes allow a change now, why not, and when they next do. Pure.
import { matchesWildcard } from "../../../core/text/naming.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Match, WindowRuleSet } from "./window-schema.ts";
import { type Timing, timingOfFreeze, timingOfWindow } from "./schedule.ts";

/** The object that a rule is matched with. */
export interface WindowSubject {
  readonly kind: string;
  /** Undefined if unknown: then every name matches. */
  readonly name: string | undefined;
  /** Undefined if unknown: then every label matches. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The address of the change that cascades to this object. Absent for an object that is itself changed. */
  readonly cascadedFrom?: string;
}

/** One reason why a change is not allowed now. */
export interface WindowClosure {
  /** The owner of the rule, as words in a sentence: `the Stack`. */
  readonly by: string;
  /** `freeze`; `deny`: inside a denying window; `outside`: outside all allowing windows. */
  readonly why: "freeze" | "deny" | "outside";
  readonly reason: string;
  readonly owner: string | undefined;
  /** The cascaded object that the rule matches. Absent if the rule matches an object that is itself changed. */
  readonly cascaded?: Pick<WindowSubject, "kind" | "name" | "cascadedFrom">;
}

/** Whether changes are allowed at a moment. */
export interface WindowStatus {
  /** The reasons denying it, each once. Empty if all subjects may be changed. */
  readonly closures: readonly WindowClosure[];
  /** When all subjects may next be changed. Undefined if that is now, or not within a year. */
  readonly opens: Date | undefined;
}

interface TimedRule {
  readonly by: string;
  readonly effect: "freeze" | "deny" | "allow";
  readonly match: Match | undefined;
  readonly reason: string;
  readonly owner: string | undefined;
  readonly timing: Timing;
}

/** The rules, by set, that apply to a subject and to all others with the same rules. */
interface SubjectRules {
  readonly sets: readonly (readonly TimedRule[])[];
  /** The first such subject. */
  readonly subject: WindowSubject;
}

/**
 * Decides whether all `subjects` may be changed at `at`. A set allows a subject if none of its freezes and denying windows
 * is active and, if it has allowing windows, one of them is. All sets must allow, so no set can lift the rules of another.
 */
export function windowStatusFor(
  sets: readonly WindowRuleSet[],
  subjects: readonly WindowSubject[],
  at: Date,
): WindowStatus {
  // Changed objects come first: a closure names a cascaded object only if its rule matches no changed object.
  const cascaded = subjects.filter(({ cascadedFrom }) => cascadedFrom !== undefined);
  const changed = subjects.filter(({ cascadedFrom }) => cascadedFrom === undefined);
  const groups = rulesBySubject(sets.map(rulesOf), [...changed, ...cascaded]);
  const closures = new Map<string, WindowClosure>();
  for (const group of groups) {
    for (const closure of group.sets.flatMap((set) => closuresOf(set, at.getTime()))) {
      const signature = JSON.stringify(closure);
      if (!closures.has(signature))
        closures.set(signature, { ...closure, ...cascadedPart(group.subject) });
    }
  }
  const opens = closures.size === 0 ? undefined : nextOpening(groups, at.getTime());
  return { closures: [...closures.values()], opens };
}

function cascadedPart({
  kind,
  name,
  cascadedFrom,
}: WindowSubject): Pick<WindowClosure, "cascaded"> {
  return cascadedFrom === undefined ? {} : { cascaded: { kind, name, cascadedFrom } };
}

/** Describes the rules that will never be active again. */
export function expiredRulesAt(sets: readonly WindowRuleSet[], at: Date): readonly string[] {
  return sets
    .flatMap(rulesOf)
    .filter(({ timing }) => timing.isExpired(at.getTime()))
    .map(({ by, effect, reason }) => {
      const what = effect === "freeze" ? "freeze" : `window that ${effectText[effect]}`;
      return `the ${what} of ${by} (${reason})`;
    });
}

const effectText = { deny: "denies", allow: "allows" } as const;

function rulesOf({ by, windows, freezes }: WindowRuleSet): readonly TimedRule[] {
  return [
    ...freezes.map(({ match, reason, owner, ...when }): TimedRule => {
      return { by, match, reason, owner, effect: "freeze", timing: timingOfFreeze(when) };
    }),
    ...windows.map(({ match, reason, owner, effect, ...when }): TimedRule => {
      const denies = effect === "deny" ? "deny" : "allow";
      return { by, match, reason, owner, effect: denies, timing: timingOfWindow(when) };
    }),
  ];
}

/** Groups subjects by the rules that match them: a plan has many changes, and few combinations of rules. */
function rulesBySubject(
  sets: readonly (readonly TimedRule[])[],
  subjects: readonly WindowSubject[],
): readonly SubjectRules[] {
  const groups = new Map<string, SubjectRules>();
  for (const subject of subjects) {
    const matches = sets.map((rules) => rules.map(({ match }) => matchesSubject(subject, match)));
    const signature = JSON.stringify(matches);
    if (groups.has(signature)) continue;
    const group = sets.map((rules, set) => rules.filter((_, index) => matches[set]?.[index]));
    groups.set(signature, { sets: group, subject });
  }
  return [...groups.values()];
}

function matchesSubject(
  { kind, name, labels }: WindowSubject,
  { kinds, names, labels: wanted }: Match = {},
) {
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (names !== undefined && name !== undefined && !names.some((one) => matchesWildcard(name, one)))
    return false;
  if (wanted === undefined || labels === undefined) return true;
  return Object.entries(wanted).every(([label, value]) => labels[label] === value);
}

/** Returns the rules that block a moment: active denying rules, or all allowing rules if none of them is active. */
function blockingRules(all: readonly TimedRule[], at: number) {
  const rules = all.filter(({ timing }) => !timing.isExpired(at));
  const denying = rules.filter(({ effect, timing }) => effect !== "allow" && timing.holds(at));
  const allowing = rules.filter(({ effect }) => effect === "allow");
  const isOutside = allowing.length > 0 && !allowing.some(({ timing }) => timing.holds(at));
  return { denying, allowing, isOutside };
}

function closuresOf(rules: readonly TimedRule[], at: number): readonly WindowClosure[] {
  const { denying, allowing, isOutside } = blockingRules(rules, at);
  return [
    ...denying.map(({ by, effect, reason, owner }): WindowClosure => {
      return { by, why: effect === "freeze" ? "freeze" : "deny", reason, owner };
    }),
    ...(isOutside ? allowing : []).map(({ by, reason, owner }): WindowClosure => {
      return { by, why: "outside", reason, owner };
    }),
  ];
}

/** Steps from one possible opening to the next, for a bounded number of steps and at most a year ahead. */
function nextOpening(groups: readonly SubjectRules[], from: number): Date | undefined {
  const sets = groups.flatMap((group) => group.sets);
  const last = from + limits.windowDays * 86_400_000;
  let at = from;
  for (let step = 0; step < limits.windowTransitions; step++) {
    const next = Math.max(...sets.map((rules) => closedUntil(rules, at)));
    if (next === at) return new Date(at);
    if (next > last) return undefined;
    at = next;
  }
  return undefined;
}

/** Returns a moment until which the rules certainly block; `at` itself if they allow. */
function closedUntil(all: readonly TimedRule[], at: number): number {
  const { denying, allowing, isOutside } = blockingRules(all, at);
  if (denying.length > 0) return Math.max(...denying.map(({ timing }) => timing.nextChange(at)));
  return isOutside ? Math.min(...allowing.map(({ timing }) => timing.nextChange(at))) : at;
}
