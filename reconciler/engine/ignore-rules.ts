// Applies ignore rules before comparison: copies ignored fields from the live object into the desired spec.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { compare } from "../../core/spec/diff.ts";
import { keyReferences } from "../../core/kind/cascades.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, scopeOf } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import { expiresAt, type IgnoreRule, manages } from "../../core/kind/lifecycle-rules.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import {
  type DesiredObject,
  type DesiredState,
  locationIn,
  type UnresolvedValue,
} from "../model/index.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { sentences } from "../../core/text/naming.ts";

/** Returns pointers to the members that a rule which has not expired at `now`, or the option of the run, ignores. */
function activePaths(
  { rules, keptPaths = [], unresolved = [] }: DesiredObject,
  now: Date,
): readonly string[] {
  const active = (rules?.ignore ?? []).filter((rule) => now < expiresAt(rule));
  const ignored = [...active, ...unresolved].map(({ path }) => path);
  return [...ignored, ...keptPaths].map(specPath);
}

/** Returns the fields in which the option of the run ignores members, by address. */
export function keptFieldsByAddress({
  objects,
}: Pick<DesiredState, "objects">): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    objects.flatMap(({ address, keptPaths }) => {
      if (keptPaths === undefined) return [];
      const fields = keptPaths.flatMap((path) => splitPointer(specPath(path)).slice(0, 1));
      return [[address, new Set(fields)] as const];
    }),
  );
}

/** Returns the fields that an undo restores in objects of which it writes only these, by address. */
export function restoredFieldsByAddress({
  objects,
}: Pick<DesiredState, "objects">): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    objects.flatMap(({ address, onlyFields }) =>
      onlyFields === undefined ? [] : [[address, new Set(onlyFields)] as const],
    ),
  );
}

/**
 * Returns the desired object with its ignored fields as the live object has them, and those that a partial object
 * ignores where a write needs them, or would change them without them.
 */
export function withIgnoredFields(
  desiredObject: DesiredObject,
  observed: ObservedObject,
  now: Date,
): DesiredObject {
  const { kind, rules, keptPaths, unresolved } = desiredObject;
  const isWhole = rules?.ignore === undefined && rules?.manage === undefined;
  if (isWhole && keptPaths === undefined && unresolved === undefined) return desiredObject;
  const spec = {
    ...untouchedFields(desiredObject, observed),
    ...copyPaths(desiredObject.spec, ignoredPaths(desiredObject, now), observed.spec),
    ...parentNames(desiredObject),
  };
  return { ...desiredObject, spec, key: keyOf(kind, spec), scope: scopeOf(kind, spec) };
}

function untouchedFields(
  { kind, spec, onlyFields }: DesiredObject,
  observed: ObservedObject,
): JsonObject {
  if (onlyFields === undefined) return {};
  const required = (kind.spec.required ?? []) as readonly string[];
  return Object.fromEntries(
    fieldsOf(kind).flatMap(({ name, traits }) => {
      const value = member(observed.spec, name);
      const isNeeded = traits.whenOmitted !== undefined || required.includes(name);
      return isNeeded && spec[name] === undefined && value !== undefined
        ? [[name, value] as const]
        : [];
    }),
  );
}

/** Returns the desired object with its ignored fields as the inventory has them. */
export function withIgnoredFieldsAsRecorded(
  desiredObject: DesiredObject,
  lastApplied: JsonObject,
  now: Date,
): JsonObject {
  return copyPaths(desiredObject.spec, ignoredPaths(desiredObject, now), lastApplied);
}

/** Returns pointers to the ignored members: all declared ones if updates are not managed. */
export function ignoredPaths(desiredObject: DesiredObject, now: Date): readonly string[] {
  if (!manages(desiredObject.rules, "update"))
    return Object.keys(desiredObject.spec).map((name) => joinPointer([name]));
  return activePaths(desiredObject, now);
}

/** True if this field of an existing object is never written. */
export function isIgnored(
  desiredObject: DesiredObject,
  steps: readonly string[],
  now: Date,
): boolean {
  if (!manages(desiredObject.rules, "update")) return true;
  const pointer = joinPointer(steps);
  return activePaths(desiredObject, now).some((path) => `${pointer}/`.startsWith(`${path}/`));
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
  const { [name]: former, ...others } = to;
  if (rest.length === 0) return value === undefined ? others : { ...to, [name]: value };
  const inner = copyPath(objectOr(former), rest, isObject(value) ? value : undefined);
  // A field that is neither declared nor live stays absent.
  return former === undefined && Object.keys(inner).length === 0 ? to : { ...to, [name]: inner };
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Reports the differences that the rules ignore, and rules that have expired or have no effect. */
export function ignoreRuleNotes(
  desiredObject: DesiredObject,
  observed: ObservedObject | undefined,
  now: Date,
): Diagnostic[] {
  const { rules, keptPaths = [], unresolved = [] } = desiredObject;
  if (rules === undefined && keptPaths.length === 0 && unresolved.length === 0) return [];
  const differing = observed === undefined ? [] : differences(desiredObject, observed);
  const unmanaged = observed !== undefined && !manages(rules, "update");
  return [
    ...(unmanaged && differing.length > 0 ? [notManagedNote(desiredObject, differing)] : []),
    ...keptPaths.map((path) => keptNote(desiredObject, path)),
    ...unresolved.map((value) => notComparedNote(desiredObject, value)),
    ...(rules?.ignore ?? []).flatMap((rule, index) => {
      if (now >= expiresAt(rule)) return [expiredRuleNote(desiredObject, rule, index)];
      if (observed === undefined || unmanaged) return [];
      const path = specPath(rule.path);
      const isUsed = differing.some((pointer) => `${pointer}/`.startsWith(`${path}/`));
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

function about(desiredObject: DesiredObject, index: number) {
  return locationIn(desiredObject, `/metadata/lifecycle/ignore/${index}`);
}

function notManagedNote(desiredObject: DesiredObject, differing: readonly string[]): Diagnostic {
  return {
    code: "ignored-difference",
    severity: "info",
    ...locationIn(desiredObject, "/metadata/lifecycle/manage"),
    summary: `${pluralize(differing.length, "difference")} of ${desiredObject.address} ignored, because its document does not allow updates: ${differing.join(", ")}`,
  };
}

function keptNote(desiredObject: DesiredObject, path: string): Diagnostic {
  const note = {
    ...locationIn(desiredObject, path),
    code: "ignored-difference",
    severity: "info",
  } as const;
  if (desiredObject.onlyFields !== undefined) {
    const summary = `${path} of ${desiredObject.address} changed again after the run and is kept: --on-conflict keep`;
    return { ...note, summary };
  }
  return {
    ...note,
    summary: `${path} of ${desiredObject.address} differs and is not changed in this run: --on-conflict keep`,
    remedy:
      "The next plan shows the conflict again, until the document has the live value or ignores the field.",
  };
}

function notComparedNote(
  desiredObject: DesiredObject,
  { path, reason, remedy }: UnresolvedValue,
): Diagnostic {
  return {
    ...locationIn(desiredObject, path),
    code: "not-compared",
    severity: "info",
    summary: `${path} of ${desiredObject.address} is not compared: ${reason}`,
    remedy: sentences("An apply needs the value.", remedy),
  };
}

function ignoredNote(desiredObject: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  const until = rule.expires === undefined ? "" : ` until the end of ${rule.expires}`;
  return {
    ...about(desiredObject, index),
    code: "ignored-difference",
    severity: "info",
    summary: `${rule.path} of ${desiredObject.address} differs and is not changed${until}: ${rule.reason}`,
  };
}

function unusedRuleNote(desiredObject: DesiredObject, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(desiredObject, index),
    code: "ignore-unused",
    severity: "info",
    summary: `${rule.path} of ${desiredObject.address} matches its document, so the rule has no effect`,
    remedy: "Remove the rule if it is no longer needed.",
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
    summary: `${rule.path} of ${desiredObject.address} was ignored until the end of ${rule.expires ?? ""} and no longer is (${rule.reason})`,
    remedy: "Remove the rule, or give it another date.",
  };
}

/** Returns the fields of the key that refer to other objects, with their values. */
function parentNames({ kind, spec }: DesiredObject): JsonObject {
  return Object.fromEntries(keyReferences(kind).map(({ name }) => [name, spec[name]]));
}
