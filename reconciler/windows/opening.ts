// Whether objects may be changed at a moment, what stands against it, and when they may next: pure, for plans and stages alike.
import { like } from "../../core/names.ts";
import { limits } from "../../core/limits.ts";
import type { Match, RuleSet } from "./rule.ts";
import { type Timing, timingOfFreeze, timingOfWindow } from "./schedule.ts";

/** What a rule looks at. */
export interface Subject {
  readonly kind: string;
  /** Undefined where nobody knows it: then any name fits. */
  readonly name: string | undefined;
  /** Undefined where nobody knows them any more: then any label fits. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The address of the change that takes it along; left out of what is itself changed. */
  readonly goesWith?: string;
}

/** One reason why objects may not be changed now. */
export interface Closure {
  /** Whose rule it is, within a sentence: `the Stack`. */
  readonly by: string;
  /** A freeze, a window that denies, or being outside every window that allows. */
  readonly why: "freeze" | "deny" | "outside";
  readonly reason: string;
  readonly owner: string | undefined;
  /** What the rule is about, where that is none of what is itself changed. */
  readonly along?: Pick<Subject, "kind" | "name" | "goesWith">;
}

/** What can be said of a moment. */
export interface Opening {
  /** Why not, each reason once; empty when all subjects may be changed. */
  readonly closures: readonly Closure[];
  /** When all of them may be next; undefined where that is now, or not within a year. */
  readonly opens: Date | undefined;
}

interface Rule {
  readonly by: string;
  readonly effect: "freeze" | "deny" | "allow";
  readonly match: Match | undefined;
  readonly reason: string;
  readonly owner: string | undefined;
  readonly timing: Timing;
}

/** What binds one subject, or several with the same rules: those of each set apart. */
interface Bound {
  readonly sets: readonly (readonly Rule[])[];
  /** The first of them. */
  readonly subject: Subject;
}

/**
 * Whether all `subjects` may be changed at `at`. A set is open to a subject when none of its freezes and denying windows
 * holds and, where it has windows that allow, one of those does. All sets have to be open, so that none can lift another's.
 */
export function openingFor(
  sets: readonly RuleSet[],
  subjects: readonly Subject[],
  at: Date,
): Opening {
  // What is itself changed comes first: only a rule about nothing of it is told with what goes along.
  const [along, changed] = [true, false].map((goes) =>
    subjects.filter(({ goesWith }) => (goesWith !== undefined) === goes),
  );
  const bounds = boundsOf(sets.map(rulesOf), [...(changed ?? []), ...(along ?? [])]);
  const closures = new Map<string, Closure>();
  for (const bound of bounds) {
    for (const closure of bound.sets.flatMap((set) => closuresOf(set, at.getTime()))) {
      const sign = JSON.stringify(closure);
      if (!closures.has(sign)) closures.set(sign, { ...closure, ...alongOf(bound.subject) });
    }
  }
  const opens = closures.size === 0 ? undefined : nextOpening(bounds, at.getTime());
  return { closures: [...closures.values()], opens };
}

function alongOf({ kind, name, goesWith }: Subject): Pick<Closure, "along"> {
  return goesWith === undefined ? {} : { along: { kind, name, goesWith } };
}

/** The rules that will never hold again, in words. */
export function overAt(sets: readonly RuleSet[], at: Date): readonly string[] {
  return sets
    .flatMap(rulesOf)
    .filter(({ timing }) => timing.isOver(at.getTime()))
    .map(({ by, effect, reason }) => {
      const what = effect === "freeze" ? "freeze" : `window that ${spoken[effect]}`;
      return `the ${what} of ${by} (${reason})`;
    });
}

const spoken = { deny: "denies", allow: "allows" } as const;

function rulesOf({ by, windows, freezes }: RuleSet): readonly Rule[] {
  return [
    ...freezes.map(({ match, reason, owner, ...when }): Rule => {
      return { by, match, reason, owner, effect: "freeze", timing: timingOfFreeze(when) };
    }),
    ...windows.map(({ match, reason, owner, effect, ...when }): Rule => {
      const denies = effect === "deny" ? "deny" : "allow";
      return { by, match, reason, owner, effect: denies, timing: timingOfWindow(when) };
    }),
  ];
}

/** What binds the subjects, each combination of rules once: a plan has many changes, and few of those. */
function boundsOf(
  sets: readonly (readonly Rule[])[],
  subjects: readonly Subject[],
): readonly Bound[] {
  const bounds = new Map<string, Bound>();
  for (const subject of subjects) {
    const fitting = sets.map((rules) => rules.map(({ match }) => fits(subject, match)));
    const sign = JSON.stringify(fitting);
    if (bounds.has(sign)) continue;
    const bound = sets.map((rules, set) => rules.filter((_, index) => fitting[set]?.[index]));
    bounds.set(sign, { sets: bound, subject });
  }
  return [...bounds.values()];
}

function fits({ kind, name, labels }: Subject, { kinds, names, labels: wanted }: Match = {}) {
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (names !== undefined && name !== undefined && !names.some((one) => like(name, one)))
    return false;
  if (wanted === undefined || labels === undefined) return true;
  return Object.entries(wanted).every(([label, value]) => labels[label] === value);
}

/** What closes at a moment: rules that deny and hold, or those that allow, where none of them does. */
function standing(all: readonly Rule[], at: number) {
  const rules = all.filter(({ timing }) => !timing.isOver(at));
  const against = rules.filter(({ effect, timing }) => effect !== "allow" && timing.holds(at));
  const allowing = rules.filter(({ effect }) => effect === "allow");
  const isOutside = allowing.length > 0 && !allowing.some(({ timing }) => timing.holds(at));
  return { against, allowing, isOutside };
}

function closuresOf(rules: readonly Rule[], at: number): readonly Closure[] {
  const { against, allowing, isOutside } = standing(rules, at);
  return [
    ...against.map(({ by, effect, reason, owner }): Closure => {
      return { by, why: effect === "freeze" ? "freeze" : "deny", reason, owner };
    }),
    ...(isOutside ? allowing : []).map(({ by, reason, owner }): Closure => {
      return { by, why: "outside", reason, owner };
    }),
  ];
}

/** Walks to where what is closed may open, and looks again: over so many steps, and not beyond a year. */
function nextOpening(bounds: readonly Bound[], from: number): Date | undefined {
  const sets = bounds.flatMap((bound) => bound.sets);
  const last = from + limits.windowDays * 86_400_000;
  let at = from;
  for (let step = 0; step < limits.windowSteps; step++) {
    const next = Math.max(...sets.map((rules) => closedUntil(rules, at)));
    if (next === at) return new Date(at);
    if (next > last) return undefined;
    at = next;
  }
  return undefined;
}

/** A moment until which the rules are closed for certain: `at` itself where they are open. */
function closedUntil(all: readonly Rule[], at: number): number {
  const { against, allowing, isOutside } = standing(all, at);
  if (against.length > 0) return Math.max(...against.map(({ timing }) => timing.changes(at)));
  return isOutside ? Math.min(...allowing.map(({ timing }) => timing.changes(at))) : at;
}
