// What a document leaves alone is decided before anything is compared: it is copied from the live object into the wish.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { compare } from "../../core/diff.ts";
import { keyOf, scopeOf } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind.ts";
import { expiresAt, type IgnoreRule, manages } from "../../core/lifecycle-rules.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import { parentNames } from "./match.ts";
import type { DesiredObject } from "../model/index.ts";
import { pluralize } from "../report/escape-text.ts";

/** The rules of a document that hold at `now`. */
function activeIgnoreRules({ rules }: DesiredObject, now: Date): readonly IgnoreRule[] {
  return (rules?.ignore ?? []).filter((rule) => now < expiresAt(rule));
}

/** The wish with everything that its document leaves alone as the live object has it. */
export function withIgnoredFields(
  wish: DesiredObject,
  sight: ObservedObject,
  now: Date,
): DesiredObject {
  const { kind, rules } = wish;
  if (rules?.ignore === undefined && rules?.manage === undefined) return wish;
  const spec = {
    ...copyPaths(wish.spec, ignoredPaths(wish, now), sight.spec),
    ...parentNames(wish),
  };
  return { ...wish, spec, key: keyOf(kind, spec), scope: scopeOf(kind, spec) };
}

/** The wish as the inventory would hold it if nothing but what is left alone has moved since. */
export function withIgnoredFieldsAsRecorded(
  wish: DesiredObject,
  lastApplied: JsonObject,
  now: Date,
): JsonObject {
  return copyPaths(wish.spec, ignoredPaths(wish, now), lastApplied);
}

/** Pointers into the spec; all that is wished for where updates are not managed. */
function ignoredPaths(wish: DesiredObject, now: Date): readonly string[] {
  if (!manages(wish.rules, "update"))
    return Object.keys(wish.spec).map((name) => joinPointer([name]));
  return activeIgnoreRules(wish, now).map(({ path }) => specPath(path));
}

/** True where this of the spec is not written to an object that is there, whatever its document wishes for. */
export function isIgnored(wish: DesiredObject, steps: readonly string[], now: Date): boolean {
  if (!manages(wish.rules, "update")) return true;
  const at = joinPointer(steps);
  return activeIgnoreRules(wish, now).some((rule) =>
    `${at}/`.startsWith(`${specPath(rule.path)}/`),
  );
}

function specPath(path: string): string {
  return path.slice("/spec".length);
}

function copyPaths(spec: JsonObject, paths: readonly string[], from: JsonObject): JsonObject {
  return paths.reduce<JsonObject>((to, path) => copyPath(to, splitPointer(path), from), spec);
}

function copyPath(
  to: JsonObject,
  [name = "", ...rest]: readonly string[],
  from: JsonObject | undefined,
): JsonObject {
  const value = member(from, name);
  const { [name]: own, ...others } = to;
  if (rest.length === 0) return value === undefined ? others : { ...to, [name]: value };
  const inner = copyPath(objectOr(own), rest, isObject(value) ? value : undefined);
  // What is not wished for, and not there, is not made up only to be left alone.
  return own === undefined && Object.keys(inner).length === 0 ? to : { ...to, [name]: inner };
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** What is to be said of the rules of a document: what they leave alone, and which are over or have nothing to do. */
export function ignoreRuleNotes(
  wish: DesiredObject,
  sight: ObservedObject | undefined,
  now: Date,
): Diagnostic[] {
  const { rules } = wish;
  if (rules === undefined) return [];
  const differing = sight === undefined ? [] : differences(wish, sight);
  const unmanaged = sight !== undefined && !manages(rules, "update");
  return [
    ...(unmanaged && differing.length > 0 ? [notManagedNote(wish, differing)] : []),
    ...(rules.ignore ?? []).flatMap((rule, index) => {
      if (now >= expiresAt(rule)) return [expiredRuleNote(wish, rule, index)];
      if (sight === undefined || unmanaged) return [];
      const path = specPath(rule.path);
      const isUsed = differing.some((one) => one === path || one.startsWith(`${path}/`));
      return [isUsed ? ignoredNote(wish, rule, index) : unusedRuleNote(wish, rule, index)];
    }),
  ];
}

function differences(
  { kind, spec }: Pick<DesiredObject, "kind" | "spec">,
  sight: ObservedObject,
): string[] {
  return compare(kind, spec, sight.spec).map(({ path }) => path);
}

function about({ address, place }: DesiredObject, index: number) {
  return { address, place, path: `/metadata/lifecycle/ignore/${index}` };
}

function notManagedNote(wish: DesiredObject, differing: readonly string[]): Diagnostic {
  return {
    code: "left-alone",
    severity: "info",
    address: wish.address,
    place: wish.place,
    path: "/metadata/lifecycle/manage",
    summary: `${pluralize(differing.length, "difference")} of ${wish.address} left alone, since its document does not let updates be managed: ${differing.join(", ")}`,
  };
}

function ignoredNote(wish: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  const until = rule.expires === undefined ? "" : ` until the end of ${rule.expires}`;
  return {
    ...about(wish, index),
    code: "left-alone",
    severity: "info",
    summary: `${rule.path} of ${wish.address} differs and is left alone${until}: ${rule.reason}`,
  };
}

function unusedRuleNote(wish: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(wish, index),
    code: "ignore-unused",
    severity: "info",
    summary: `${rule.path} of ${wish.address} is as its document says, so that there is nothing to ignore`,
    remedy: "remove the rule if it is not needed any more",
  };
}

function expiredRuleNote(wish: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(wish, index),
    code: "ignore-expired",
    severity: "warning",
    summary: `${rule.path} of ${wish.address} was ignored until the end of ${rule.expires ?? ""}, and is not any more (${rule.reason})`,
    remedy: "remove the rule, or give it another date",
  };
}
