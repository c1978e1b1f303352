// What a document leaves alone is decided before anything is compared: it is copied from the live object into the wish.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { compare } from "../../core/diff.ts";
import { keyOf, scopeOf } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Sight } from "../../core/kind.ts";
import { expiresAt, type IgnoreRule, manages } from "../../core/lifecycle-rules.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { member } from "../../core/schema.ts";
import { parentNames } from "./match.ts";
import type { Wish } from "../model.ts";
import { counted } from "../report/visible.ts";

/** The rules of a document that hold at `now`. */
function heeded({ rules }: Wish, now: Date): readonly IgnoreRule[] {
  return (rules?.ignore ?? []).filter((rule) => now < expiresAt(rule));
}

/** The wish with everything that its document leaves alone as the live object has it. */
export function settled(wish: Wish, sight: Sight, now: Date): Wish {
  const { kind, rules } = wish;
  if (rules?.ignore === undefined && rules?.manage === undefined) return wish;
  const spec = { ...copied(wish.spec, leftAlone(wish, now), sight.spec), ...parentNames(wish) };
  return { ...wish, spec, key: keyOf(kind, spec), scope: scopeOf(kind, spec) };
}

/** The wish as the inventory would hold it if nothing but what is left alone has moved since. */
export function asRecorded(wish: Wish, lastApplied: JsonObject, now: Date): JsonObject {
  return copied(wish.spec, leftAlone(wish, now), lastApplied);
}

/** Pointers into the spec; all that is wished for where updates are not managed. */
function leftAlone(wish: Wish, now: Date): readonly string[] {
  if (!manages(wish.rules, "update"))
    return Object.keys(wish.spec).map((name) => joinPointer([name]));
  return heeded(wish, now).map(({ path }) => inSpec(path));
}

/** True where this of the spec is not written to an object that is there, whatever its document wishes for. */
export function isLeftAlone(wish: Wish, steps: readonly string[], now: Date): boolean {
  if (!manages(wish.rules, "update")) return true;
  const at = joinPointer(steps);
  return heeded(wish, now).some((rule) => `${at}/`.startsWith(`${inSpec(rule.path)}/`));
}

function inSpec(path: string): string {
  return path.slice("/spec".length);
}

function copied(spec: JsonObject, paths: readonly string[], from: JsonObject): JsonObject {
  return paths.reduce<JsonObject>((to, path) => withCopy(to, splitPointer(path), from), spec);
}

function withCopy(
  to: JsonObject,
  [name = "", ...rest]: readonly string[],
  from: JsonObject | undefined,
): JsonObject {
  const value = member(from, name);
  const { [name]: own, ...others } = to;
  if (rest.length === 0) return value === undefined ? others : { ...to, [name]: value };
  const inner = withCopy(objectOr(own), rest, isObject(value) ? value : undefined);
  // What is not wished for, and not there, is not made up only to be left alone.
  return own === undefined && Object.keys(inner).length === 0 ? to : { ...to, [name]: inner };
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** What is to be said of the rules of a document: what they leave alone, and which are over or have nothing to do. */
export function notesOnRules(wish: Wish, sight: Sight | undefined, now: Date): Diagnostic[] {
  const { rules } = wish;
  if (rules === undefined) return [];
  const differing = sight === undefined ? [] : differences(wish, sight);
  const unmanaged = sight !== undefined && !manages(rules, "update");
  return [
    ...(unmanaged && differing.length > 0 ? [unwritten(wish, differing)] : []),
    ...(rules.ignore ?? []).flatMap((rule, index) => {
      if (now >= expiresAt(rule)) return [expired(wish, rule, index)];
      if (sight === undefined || unmanaged) return [];
      const path = inSpec(rule.path);
      const isUsed = differing.some((one) => one === path || one.startsWith(`${path}/`));
      return [isUsed ? ignored(wish, rule, index) : unused(wish, rule, index)];
    }),
  ];
}

function differences({ kind, spec }: Pick<Wish, "kind" | "spec">, sight: Sight): string[] {
  return compare(kind, spec, sight.spec).map(({ path }) => path);
}

function about({ address, place }: Wish, index: number) {
  return { address, place, path: `/metadata/lifecycle/ignore/${index}` };
}

function unwritten(wish: Wish, differing: readonly string[]): Diagnostic {
  return {
    code: "left-alone",
    severity: "info",
    address: wish.address,
    place: wish.place,
    path: "/metadata/lifecycle/manage",
    summary: `${counted(differing.length, "difference")} of ${wish.address} left alone, since its document does not let updates be managed: ${differing.join(", ")}`,
  };
}

function ignored(wish: Wish, rule: IgnoreRule, index: number): Diagnostic {
  const until = rule.expires === undefined ? "" : ` until the end of ${rule.expires}`;
  return {
    ...about(wish, index),
    code: "left-alone",
    severity: "info",
    summary: `${rule.path} of ${wish.address} differs and is left alone${until}: ${rule.reason}`,
  };
}

function unused(wish: Wish, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(wish, index),
    code: "ignore-unused",
    severity: "info",
    summary: `${rule.path} of ${wish.address} is as its document says, so that there is nothing to ignore`,
    remedy: "remove the rule if it is not needed any more",
  };
}

function expired(wish: Wish, rule: IgnoreRule, index: number): Diagnostic {
  return {
    ...about(wish, index),
    code: "ignore-expired",
    severity: "warning",
    summary: `${rule.path} of ${wish.address} was ignored until the end of ${rule.expires ?? ""}, and is not any more (${rule.reason})`,
    remedy: "remove the rule, or give it another date",
  };
}
