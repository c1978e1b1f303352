// The functions of the package: one object by its key, and every object of a collection.
import { Failure } from "../../core/errors.ts";
import { keyOf } from "../../core/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { closestMatch } from "../../core/naming.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { type ListedKind, requireParents } from "../bridge/require-parents.ts";
import { readTargetFor } from "../bridge/read-cache.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import type { PropertyError } from "./resources.ts";
import { functionTokens, propertiesOf } from "./properties.ts";
import { stateOf, desiredInputs } from "./state.ts";
import {
  hasUnknown,
  isMap,
  type PropertyMap,
  type PropertyValue,
  markSecretsLike,
  unknownValue,
} from "./property-values.ts";

/** What a function answers: its result, or what is wrong with its arguments. */
export type FunctionResult =
  | { readonly result: PropertyMap }
  | { readonly failures: readonly PropertyError[] };

/** One function of the package. */
export interface PackageFunction extends ListedKind {
  /** It lists a collection, rather than finding one object. */
  readonly lists: boolean;
}

/** The functions of these kinds by their tokens. */
export function functionTable(kinds: readonly Kind[]): ReadonlyMap<string, PackageFunction> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const kindNamed = (name: string): Kind | undefined => byName.get(name);
  return new Map(
    kinds.flatMap((kind): [string, PackageFunction][] => {
      const { one, list } = functionTokens(kind);
      return [
        [one, { kind, kindNamed, lists: false }],
        [list, { kind, kindNamed, lists: true }],
      ];
    }),
  );
}

/** Calls a function. Arguments that are not known yet make a result that is not known either. */
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
  const sights = await bridge.list(kind, scope);
  if (sights.length === 0) await requireParents({ kind, kindNamed }, spec, bridge);
  const items = sights
    .map((sight) => functionOutputs(kind, sight, given))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return { result: { items } };
}

async function findObject(
  kind: Kind,
  bridge: Bridge,
  { spec, given }: { readonly spec: JsonObject; readonly given: PropertyMap },
): Promise<PropertyMap> {
  const interest = new Set(Object.keys(kind.spec.properties));
  const sight = await bridge.readFresh(readTargetFor(kind, spec, { requestedFields: interest }));
  if (sight !== undefined) return functionOutputs(kind, sight, given);
  throw new Failure("not_found", `There is no ${kind.name} ${keyOf(kind, spec)}.`);
}

/** The properties that the schema names; arguments that were secret stay so. */
function functionOutputs(
  kind: Kind,
  sight: ObservedObject,
  given: PropertyMap,
): PropertyMap & { readonly id: string } {
  const state = stateOf(kind, sight, {});
  const shown = outputNames(kind).flatMap((name): [string, PropertyValue][] => {
    const value = state[name];
    return value === undefined ? [] : [[name, markSecretsLike(value, given[name])]];
  });
  return { id: keyOf(kind, sight.spec), ...Object.fromEntries(shown) };
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
  const taken = propertiesOf(kind).inputs.filter(({ name }) => names.includes(name));
  const known = taken.map(({ property }) => property);
  const strangers = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = closestMatch(name, known);
      const remedy = meant === undefined ? "" : ` Did you mean ${meant}?`;
      return { path: name, reason: `is not an argument that there is.${remedy}` };
    });
  const missing = taken
    .filter(({ property, required }) => required && (given[property] ?? null) === null)
    .map(({ property }) => ({ path: property, reason: "is required" }));
  const wrong = taken
    .filter(({ property }) => isMap(given[property]) || Array.isArray(given[property]))
    .map(({ property }) => ({ path: property, reason: "must be a single value" }));
  return [...strangers, ...missing, ...wrong];
}
