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
  desiredObject: DesiredObject,
  observed: ObservedObject,
  now: Date,
): DesiredObject {
  const { kind, rules } = desiredObject;
  if (rules?.ignore === undefined && rules?.manage === undefined) return desiredObject;
  const spec = {
    ...copyPaths(desiredObject.spec, ignoredPaths(desiredObject, now), observed.spec),
    ...parentNames(desiredObject),
  };
  return { ...desiredObject, spec, key: keyOf(kind, spec), scope: scopeOf(kind, spec) };
}

/** The wish as the inventory would hold it if nothing but what is left alone has moved since. */
export function withIgnoredFieldsAsRecorded(
  desiredObject: DesiredObject,
  lastApplied: JsonObject,
  now: Date,
): JsonObject {
  return copyPaths(desiredObject.spec, ignoredPaths(desiredObject, now), lastApplied);
}

/** Pointers into the spec; all that is wished for where updates are not managed. */
function ignoredPaths(desiredObject: DesiredObject, now: Date): readonly string[] {
  if (!manages(desiredObject.rules, "update"))
    return Object.keys(desiredObject.spec).map((name) => joinPointer([name]));
  return activeIgnoreRules(desiredObject, now).map(({ path }) => specPath(path));
}

/** True where this of the spec is not written to an object that is there, whatever its document wishes for. */
export function isIgnored(
  desiredObject: DesiredObject,
  steps: readonly string[],
  now: Date,
): boolean {
  if (!manages(desiredObject.rules, "update")) return true;
  const at = joinPointer(steps);
  return activeIgnoreRules(desiredObject, now).some((rule) =>
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
  desiredObject: DesiredObject,
  observed: ObservedObject | undefined,
  now: Date,
): Diagnostic[] {
  const { rules } = desiredObject;
  if (rules === undefined) return [];
  const differing = observed === undefined ? [] : differences(desiredObject, observed);
  const unmanaged = observed !== undefined && !manages(rules, "update");
  return [
    ...(unmanaged && differing.length > 0 ? [notManagedNote(desiredObject, differing)] : []),
    ...(rules.ignore ?? []).flatMap((rule, index) => {
      if (now >= expiresAt(rule)) return [expiredRuleNote(desiredObject, rule, index)];
      if (observed === undefined || unmanaged) return [];
      const path = specPath(rule.path);
      const isUsed = differing.some((one) => one === path || one.startsWith(`${path}/`));
      return [
        isUsed
          ? ignoredNote(desiredObject, rule, index)
          : unusedRuleNote(desiredObject, rule, index),
      ];
    }),
  ];
}

function differences(
  { kind, spec }: Pick<DesiredObject, "kind" | "spec">,
  observed: ObservedObject,
): string[] {
  return compare(kind, spec, observed.spec).map(({ path }) => path);
}

function about({ address, place }: DesiredObject, index: number) {
  return { address, place, path: `/metadata/lifecycle/ignore/${index}` };
}

function notManagedNote(desiredObject: DesiredObject, differing: readonly string[]): Diagnostic {
  return {
    code: "ignored-difference",
    severity: "info",
    address: desiredObject.address,
    place: desiredObject.place,
    path: "/metadata/lifecycle/manage",
    summary: `${pluralize(differing.length, "difference")} of ${desiredObject.address} left alone, since its document does not let updates be managed: ${differing.join(", ")}`,
  };
}

function ignoredNote(desiredObject: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  const until = rule.expires === undefined ? "" : ` until the end of ${rule.expires}`;
  return {
    ...about(desiredObject, index),
    code: "ignored-difference",
    severity: "info",
    summary: `${rule.path} of ${desiredObject.address} differs and is left alone${until}: ${rule.reason}`,
  };
}

function unusedRuleNote(desiredObject: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(desiredObject, index),
    code: "ignore-unused",
    severity: "info",
    summary: `${rule.path} of ${desiredObject.address} is as its document says, so that there is nothing to ignore`,
    remedy: "remove the rule if it is not needed any more",
  };
}

function expiredRuleNote(
  desiredObject: DesiredObject,
  rule: IgnoreRule,
  index: number,
): Diagnostic {
  return {
    ...about(desiredObject, index),
    code: "ignore-expired",
    severity: "warning",
    summary: `${rule.path} of ${desiredObject.address} was ignored until the end of ${rule.expires ?? ""}, and is not any more (${rule.reason})`,
    remedy: "remove the rule, or give it another date",
  };
}
