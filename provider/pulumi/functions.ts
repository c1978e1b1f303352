// Implements the package's functions: `getKind` finds one object by its key, `getKinds` lists a collection.
import { Failure } from "../../core/errors.ts";
import { keyOf } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type Kind, type ObservedObject, kindsByName } from "../../core/kind/kind.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { type ListedKind, requireParents } from "../bridge/require-parents.ts";
import { readTargetFor } from "../bridge/read-target.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import type { PropertyError } from "./resources.ts";
import { functionTokens, propertiesOf, isStable } from "./properties.ts";
import { stateOf, desiredInputs } from "./state.ts";
import {
  hasUnknown,
  isMap,
  type PropertyMap,
  type PropertyValue,
  markSecretsLike,
  unknownValue,
} from "./property-values.ts";

/** The result of a function, or the errors in its arguments. */
export type FunctionResult =
  | { readonly result: PropertyMap }
  | { readonly failures: readonly PropertyError[] };

/** A function of the package. */
export interface PackageFunction extends ListedKind {
  /** True if it lists a collection; false if it finds one object. */
  readonly lists: boolean;
}

/** Returns the functions of these resource types by token. */
export function functionTable(kinds: readonly Kind[]): ReadonlyMap<string, PackageFunction> {
  const byName = kindsByName(kinds);
  const kindNamed = (name: string): Kind | undefined => byName.get(name);
  return new Map(
    kinds.flatMap((kind): (readonly [string, PackageFunction])[] => {
      const { one, list } = functionTokens(kind);
      return [
        [one, { kind, kindNamed, lists: false }],
        ...(list === undefined ? [] : [[list, { kind, kindNamed, lists: true }] as const]),
      ];
    }),
  );
}

/** Calls a function. Unknown arguments give an unknown result. */
export async function call(
  { kind, lists, kindNamed }: PackageFunction,
  bridge: Bridge,
  given: PropertyMap,
): Promise<FunctionResult> {
  const failures = argumentErrors(kind, lists, given);
  if (failures.length > 0) return { failures };
  const names = lists ? ["items"] : ["id", ...outputNames(kind)];
  if (hasUnknown(given))
    return { result: Object.fromEntries(names.map((name) => [name, unknownValue])) };
  const spec = fullyKnownFields(desiredInputs(kind, given));
  if (!lists) return { result: await findObject(kind, bridge, { spec, given }) };
  const scope = Object.fromEntries(kind.scope.map((name) => [name, textOf(spec[name])]));
  const objects = await bridge.list(kind, scope);
  if (objects.length === 0) await requireParents({ kind, kindNamed }, spec, bridge);
  const items = objects
    .map((observed) => functionOutputs(kind, observed, given))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return { result: { items } };
}

async function findObject(
  kind: Kind,
  bridge: Bridge,
  { spec, given }: { readonly spec: JsonObject; readonly given: PropertyMap },
): Promise<PropertyMap> {
  const requestedFields = new Set(Object.keys(kind.spec.properties));
  const observed = await bridge.readFresh(readTargetFor(kind, spec, { requestedFields }));
  if (observed !== undefined) return functionOutputs(kind, observed, given);
  throw new Failure("not_found", `there is no ${kind.name} ${keyOf(kind, spec)}`);
}

/** Returns the properties that the schema declares. Secret arguments stay secret. */
function functionOutputs(
  kind: Kind,
  observed: ObservedObject,
  given: PropertyMap,
): PropertyMap & { readonly id: string } {
  const { status } = propertiesOf(kind);
  const volatile = status
    .filter((one) => !isStable(one))
    .map(({ name, property }) => [property, observed.status[name] as PropertyValue | undefined]);
  const state: PropertyMap = { ...Object.fromEntries(volatile), ...stateOf(kind, observed, {}) };
  const shown = outputNames(kind).flatMap((name): [string, PropertyValue][] => {
    const value = state[name];
    return value === undefined ? [] : [[name, markSecretsLike(value, given[name])]];
  });
  return { id: keyOf(kind, observed.spec), ...Object.fromEntries(shown) };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function outputNames(kind: Kind): readonly string[] {
  const { inputs, status, hasKey } = propertiesOf(kind);
  return [...[...inputs, ...status].map(({ property }) => property), ...(hasKey ? ["key"] : [])];
}

function argumentErrors(kind: Kind, lists: boolean, given: PropertyMap): readonly PropertyError[] {
  const names = lists ? kind.scope : kind.key;
  const accepted = propertiesOf(kind).inputs.filter(({ name }) => names.includes(name));
  const known = accepted.map(({ property }) => property);
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: name,
      reason: sentences("is not an argument of this function.", didYouMean(name, known)),
    }));
  const missing = accepted
    .filter(({ property, required }) => required && (given[property] ?? null) === null)
    .map(({ property }) => ({ path: property, reason: "is required" }));
  const wrong = accepted
    .filter(({ property }) => isMap(given[property]) || Array.isArray(given[property]))
    .map(({ property }) => ({ path: property, reason: "must be a single value" }));
  return [...unknown, ...missing, ...wrong];
}
