// The functions of the package: one object by its key, and every object of a collection.
import { Failure } from "../../core/errors.ts";
import { keyOf } from "../../core/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind, Sight } from "../../core/kind.ts";
import { nearest } from "../../core/names.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { type Listed, needParents } from "../bridge/parents.ts";
import { askFor } from "../bridge/sightings.ts";
import { knownPart } from "../bridge/values.ts";
import type { Complaint } from "./objects.ts";
import { functionsOf, propertiesOf } from "./properties.ts";
import { stateOf, wishOf } from "./state.ts";
import {
  hasUnknown,
  isMap,
  type PropertyMap,
  type PropertyValue,
  sealedLike,
  unknown,
} from "./values.ts";

/** What a function answers: its result, or what is wrong with its arguments. */
export type Answer = { readonly result: PropertyMap } | { readonly failures: readonly Complaint[] };

/** One function of the package. */
export interface PackageFunction extends Listed {
  /** It lists a collection, rather than finding one object. */
  readonly lists: boolean;
}

/** The functions of these kinds by their tokens. */
export function functionTable(kinds: readonly Kind[]): ReadonlyMap<string, PackageFunction> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const kindNamed = (name: string): Kind | undefined => byName.get(name);
  return new Map(
    kinds.flatMap((kind): [string, PackageFunction][] => {
      const { one, list } = functionsOf(kind);
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
): Promise<Answer> {
  const failures = complaints(kind, lists, given);
  if (failures.length > 0) return { failures };
  const names = lists ? ["items"] : ["id", ...outputNames(kind)];
  if (hasUnknown(given))
    return { result: Object.fromEntries(names.map((name) => [name, unknown])) };
  const spec = knownPart(wishOf(kind, given));
  if (!lists) return { result: await find(kind, bridge, { spec, given }) };
  const scope = Object.fromEntries(kind.scope.map((name) => [name, textOf(spec[name])]));
  const sights = await bridge.list(kind, scope);
  if (sights.length === 0) await needParents({ kind, kindNamed }, spec, bridge);
  const items = sights
    .map((sight) => found(kind, sight, given))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return { result: { items } };
}

async function find(
  kind: Kind,
  bridge: Bridge,
  { spec, given }: { readonly spec: JsonObject; readonly given: PropertyMap },
): Promise<PropertyMap> {
  const interest = new Set(Object.keys(kind.spec.properties));
  const sight = await bridge.readFresh(askFor(kind, spec, { interest }));
  if (sight !== undefined) return found(kind, sight, given);
  throw new Failure("not_found", `There is no ${kind.name} ${keyOf(kind, spec)}.`);
}

/** The properties that the schema names; arguments that were secret stay so. */
function found(
  kind: Kind,
  sight: Sight,
  given: PropertyMap,
): PropertyMap & { readonly id: string } {
  const state = stateOf(kind, sight, {});
  const shown = outputNames(kind).flatMap((name): [string, PropertyValue][] => {
    const value = state[name];
    return value === undefined ? [] : [[name, sealedLike(value, given[name])]];
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

function complaints(kind: Kind, lists: boolean, given: PropertyMap): readonly Complaint[] {
  const names = lists ? kind.scope : kind.key;
  const taken = propertiesOf(kind).inputs.filter(({ name }) => names.includes(name));
  const known = taken.map(({ property }) => property);
  const strangers = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
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
