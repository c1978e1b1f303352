// Whether objects may be changed at a moment, what stands against it, and when they may next: pure, for plans and stages alike.
import { matchesWildcard } from "../../../core/naming.ts";
import { limits } from "../../../core/limits.ts";
import type { Match, WindowRuleSet } from "./window-schema.ts";
import { type Timing, timingOfFreeze, timingOfWindow } from "./schedule.ts";

/** What a rule looks at. */
export interface WindowSubject {
  readonly kind: string;
  /** Undefined where nobody knows it: then any name fits. */
  readonly name: string | undefined;
  /** Undefined where nobody knows them any more: then any label fits. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The address of the change that takes it along; left out of what is itself changed. */
  readonly cascadedFrom?: string;
}

/** One reason why objects may not be changed now. */
export interface WindowClosure {
  /** Whose rule it is, within a sentence: `the Stack`. */
  readonly by: string;
  /** A freeze, a window that denies, or being outside every window that allows. */
  readonly why: "freeze" | "deny" | "outside";
  readonly reason: string;
  readonly owner: string | undefined;
  /** What the rule is about, where that is none of what is itself changed. */
  readonly cascaded?: Pick<WindowSubject, "kind" | "name" | "cascadedFrom">;
}

/** What can be said of a moment. */
export interface WindowStatus {
  /** Why not, each reason once; empty when all subjects may be changed. */
  readonly closures: readonly WindowClosure[];
  /** When all of them may be next; undefined where that is now, or not within a year. */
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

/** What binds one subject, or several with the same rules: those of each set apart. */
interface SubjectRules {
  readonly sets: readonly (readonly TimedRule[])[];
  /** The first of them. */
  readonly subject: WindowSubject;
}

/**
 * Whether all `subjects` may be changed at `at`. A set is open to a subject when none of its freezes and denying windows
 * holds and, where it has windows that allow, one of those does. All sets have to be open, so that none can lift another's.
 */
export function windowStatusFor(
  sets: readonly WindowRuleSet[],
  subjects: readonly WindowSubject[],
  at: Date,
): WindowStatus {
  // What is itself changed comes first: only a rule about nothing of it is told with what goes along.
  const [along, changed] = [true, false].map((goes) =>
    subjects.filter(({ cascadedFrom: goesWith }) => (goesWith !== undefined) === goes),
  );
  const bounds = rulesBySubject(sets.map(rulesOf), [...(changed ?? []), ...(along ?? [])]);
  const closures = new Map<string, WindowClosure>();
  for (const bound of bounds) {
    for (const closure of bound.sets.flatMap((set) => closuresOf(set, at.getTime()))) {
      const sign = JSON.stringify(closure);
      if (!closures.has(sign)) closures.set(sign, { ...closure, ...cascadedPart(bound.subject) });
    }
  }
  const opens = closures.size === 0 ? undefined : nextOpening(bounds, at.getTime());
  return { closures: [...closures.values()], opens };
}

function cascadedPart({
  kind,
  name,
  cascadedFrom: goesWith,
}: WindowSubject): Pick<WindowClosure, "cascaded"> {
  return goesWith === undefined ? {} : { cascaded: { kind, name, cascadedFrom: goesWith } };
}

/** The rules that will never hold again, in words. */
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

/** What binds the subjects, each combination of rules once: a plan has many changes, and few of those. */
function rulesBySubject(
  sets: readonly (readonly TimedRule[])[],
  subjects: readonly WindowSubject[],
): readonly SubjectRules[] {
  const bounds = new Map<string, SubjectRules>();
  for (const subject of subjects) {
    const fitting = sets.map((rules) => rules.map(({ match }) => matchesSubject(subject, match)));
    const sign = JSON.stringify(fitting);
    if (bounds.has(sign)) continue;
    const bound = sets.map((rules, set) => rules.filter((_, index) => fitting[set]?.[index]));
    bounds.set(sign, { sets: bound, subject });
  }
  return [...bounds.values()];
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

/** What closes at a moment: rules that deny and hold, or those that allow, where none of them does. */
function blockingRules(all: readonly TimedRule[], at: number) {
  const rules = all.filter(({ timing }) => !timing.isExpired(at));
  const against = rules.filter(({ effect, timing }) => effect !== "allow" && timing.holds(at));
  const allowing = rules.filter(({ effect }) => effect === "allow");
  const isOutside = allowing.length > 0 && !allowing.some(({ timing }) => timing.holds(at));
  return { against, allowing, isOutside };
}

function closuresOf(rules: readonly TimedRule[], at: number): readonly WindowClosure[] {
  const { against, allowing, isOutside } = blockingRules(rules, at);
  return [
    ...against.map(({ by, effect, reason, owner }): WindowClosure => {
      return { by, why: effect === "freeze" ? "freeze" : "deny", reason, owner };
    }),
    ...(isOutside ? allowing : []).map(({ by, reason, owner }): WindowClosure => {
      return { by, why: "outside", reason, owner };
    }),
  ];
}

/** Walks to where what is closed may open, and looks again: over so many steps, and not beyond a year. */
function nextOpening(bounds: readonly SubjectRules[], from: number): Date | undefined {
  const sets = bounds.flatMap((bound) => bound.sets);
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

/** A moment until which the rules are closed for certain: `at` itself where they are open. */
function closedUntil(all: readonly TimedRule[], at: number): number {
  const { against, allowing, isOutside } = blockingRules(all, at);
  if (against.length > 0) return Math.max(...against.map(({ timing }) => timing.nextChange(at)));
  return isOutside ? Math.min(...allowing.map(({ timing }) => timing.nextChange(at))) : at;
}
