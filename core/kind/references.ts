// References between objects, and the dependency order that they impose.
import type { TSchema } from "typebox";
import { fieldsOf, membersOf } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind } from "./kind.ts";
import { joinPointer, splitPointer, valueAt } from "../pointer.ts";
import {
  mapValues,
  member,
  memoizePerSchema,
  variantFor,
  variants,
  view,
} from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";

/** A reference from a spec to another object. */
export interface Reference {
  /** JSON Pointer into the spec. */
  readonly path: string;
  /** The top-level field that contains it. */
  readonly field: string;
  /** Kind of the referenced object. */
  readonly kind: string;
  /** Name of a document, or key of an object outside the stack. */
  readonly value: string;
  /** Whether it is written as `{ external: key }`. */
  readonly external: boolean;
  /** Fields of the referenced object that must equal values of this spec, by the JSON Pointer of each. */
  readonly within?: Readonly<Record<string, string>>;
  /** JSON Pointer of the value that has the type that `type` of the referenced object names. */
  readonly typedValue?: string;
}

/** Returns the values that fields of the referenced object must equal, from the spec that refers to it. */
export function fieldsWithin({ within = {} }: Reference, spec: JsonObject): JsonObject {
  const values = Object.entries(within).map(([theirs, pointer]) => [
    theirs,
    valueAt(spec, splitPointer(pointer)),
  ]);
  return Object.fromEntries(values) as JsonObject;
}

/** Returns the references of a spec in field order. Ignores values of the wrong type; an empty text refers to nothing. */
export function referencesOf(kind: Kind, spec: JsonObject): Reference[] {
  const fields = membersOf(kind.spec);
  const owners = [{ segments: [], fields }];
  return fields.flatMap(({ name, schema }) =>
    referencesInValue({ schema, segments: [name], owners, target: undefined }, member(spec, name)),
  );
}

/** Returns the references in fields that an update can write. */
export function updatableReferencesOf(kind: Kind, spec: JsonObject): Reference[] {
  const updatable = new Set(
    fieldsOf(kind)
      .filter(({ traits }) => traits.onChange === undefined)
      .map(({ name }) => name),
  );
  return referencesOf(kind, spec).filter(({ field }) => updatable.has(field));
}

/** Returns the names of all kinds that a spec of this kind can refer to. */
export function referredKinds(kind: Kind): ReadonlySet<string> {
  return new Set(referredKindsIn(kind.spec));
}

const referredKindsIn = memoizePerSchema((schema): readonly string[] => {
  const { refersTo } = traitsOf(schema);
  const { items } = view(schema);
  const values = mapValues(schema);
  const inner = [
    ...membersOf(schema).map((one) => one.schema),
    ...(items === undefined ? [] : [items]),
    ...(values === undefined ? [] : [values]),
    ...variants(schema).filter((one) => one !== schema),
  ];
  return [...(refersTo === undefined ? [] : [refersTo]), ...inner.flatMap(referredKindsIn)];
});

type Target = Pick<Reference, "kind" | "within" | "typedValue">;

/** An object that contains a value: where it is, and its fields. */
interface Owner {
  readonly segments: readonly (string | number)[];
  readonly fields: readonly { readonly name: string }[];
}

interface ReferencePosition {
  readonly schema: TSchema;
  readonly segments: readonly (string | number)[];
  /** The objects that contain the value, the innermost first. */
  readonly owners: readonly Owner[];
  readonly target: Target | undefined;
}

function referencesInValue(spot: ReferencePosition, value: JsonValue | undefined): Reference[] {
  const { refersTo, within, typesValue } = traitsOf(spot.schema);
  const target =
    refersTo === undefined
      ? spot.target
      : {
          kind: refersTo,
          ...(within && { within: pointersBeside(spot, within) }),
          ...(typesValue !== undefined && {
            typedValue: pointersBeside(spot, { typesValue })["typesValue"],
          }),
        };
  if (target !== undefined && typeof value === "string") {
    return value === "" ? [] : [reference(spot, target, value)];
  }
  if (Array.isArray(value)) return referencesInList({ ...spot, target }, value);
  return isObject(value) ? referencesInObject({ ...spot, target }, value) : [];
}

function pointersBeside(
  { owners }: ReferencePosition,
  within: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const pointers = Object.entries(within).map(([theirs, ours]) => {
    const owner = owners.find(({ fields }) => fields.some(({ name }) => name === ours));
    return [theirs, joinPointer([...(owner?.segments ?? []), ours])];
  });
  return Object.fromEntries(pointers) as Readonly<Record<string, string>>;
}

function referencesInList(spot: ReferencePosition, items: readonly JsonValue[]): Reference[] {
  const variant = variantFor(spot.schema, items);
  const schema = (variant && view(variant).items) ?? {};
  return items.flatMap((item, index) =>
    referencesInValue({ ...spot, schema, segments: [...spot.segments, index] }, item),
  );
}

function referencesInObject(spot: ReferencePosition, value: JsonObject): Reference[] {
  const variant = variantFor(spot.schema, value) ?? {};
  const fields = membersOf(variant);
  const values = mapValues(variant);
  const { external } = value;
  if (fields.length === 0 && values === undefined) {
    if (spot.target === undefined || typeof external !== "string") return [];
    return [{ ...reference(spot, spot.target, external), external: true }];
  }
  const owners = [{ segments: spot.segments, fields }, ...spot.owners];
  const inner =
    values === undefined ? fields : Object.keys(value).map((name) => ({ name, schema: values }));
  return inner.flatMap(({ name, schema }) =>
    referencesInValue(
      { ...spot, schema, segments: [...spot.segments, name], owners },
      member(value, name),
    ),
  );
}

function reference(spot: ReferencePosition, target: Target, value: string): Reference {
  const field = String(spot.segments[0]);
  return { path: joinPointer(spot.segments), field, ...target, value, external: false };
}

/** A node with its dependencies, by ID. */
export interface GraphNode {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Nodes in creation order: a node depends only on nodes of earlier layers. */
export interface DependencyLayers {
  /** Layers, in input order. Nodes that depend on a cycle are in none. */
  readonly layers: readonly (readonly string[])[];
  /** One cycle, if there is any: each node depends on the next, and the last on the first. */
  readonly cycle: readonly string[] | undefined;
}

/**
 * Sorts nodes into layers in linear time. Ignores dependencies on unknown nodes; of several nodes with one ID, the first
 * is used.
 */
export function dependencyLayers(nodes: readonly GraphNode[]): DependencyLayers {
  const graph = graphOf(nodes);
  const groups: number[][] = [];
  let current = [...nodes.keys()].filter((node) => graph.unplacedNeeds[node] === 0);
  let placed = current.length;
  while (current.length > 0) {
    groups.push(current);
    const freed: number[] = [];
    for (const node of current) {
      for (const user of graph.dependents[node] ?? []) {
        const open = (graph.unplacedNeeds[user] ?? 0) - 1;
        graph.unplacedNeeds[user] = open;
        if (open === 0) freed.push(user);
      }
    }
    current = freed.toSorted((left, right) => left - right);
    placed += current.length;
  }
  return {
    layers: groups.map((layer) => layer.map((node) => nodes[node]?.id ?? "")),
    cycle: placed === nodes.length ? undefined : cycleIn(nodes, graph),
  };
}

/** Returns the layer of each node, from 0. */
export function layerById(layers: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  return new Map(layers.flatMap((ids, layer) => ids.map((id) => [id, layer] as const)));
}

interface Graph {
  readonly byId: ReadonlyMap<string, number>;
  /** For each node, the indexes of its dependents. */
  readonly dependents: readonly number[][];
  /** For each node, the number of dependencies that are not placed yet. */
  readonly unplacedNeeds: number[];
}

function graphOf(nodes: readonly GraphNode[]): Graph {
  const byId = new Map<string, number>();
  for (const [index, { id }] of nodes.entries()) if (!byId.has(id)) byId.set(id, index);
  const users: number[][] = nodes.map(() => []);
  const open = nodes.map(({ needs }, user) => {
    const met = new Set(needs.flatMap((id) => byId.get(id) ?? []));
    for (const node of met) users[node]?.push(user);
    return met.size;
  });
  return { byId, dependents: users, unplacedNeeds: open };
}

/** Returns a cycle: every unplaced node depends on another unplaced node, so following the dependencies ends in a cycle. */
function cycleIn(
  nodes: readonly GraphNode[],
  { byId, unplacedNeeds: open }: Graph,
): readonly string[] {
  const seen = new Map<number, number>();
  const path: number[] = [];
  let node: number | undefined = open.findIndex((count) => count > 0);
  while (node !== undefined && !seen.has(node)) {
    seen.set(node, path.length);
    path.push(node);
    node = nodes[node]?.needs
      .map((id) => byId.get(id))
      .find((need) => need !== undefined && (open[need] ?? 0) > 0);
  }
  const from = node === undefined ? 0 : (seen.get(node) ?? 0);
  return path.slice(from).map((index) => nodes[index]?.id ?? "");
}

/** Returns the spec with the references replaced by other values. */
export function withReferences(
  spec: JsonObject,
  references: readonly Reference[],
  valueOf: (reference: Reference) => JsonValue,
): JsonObject {
  return references.reduce<JsonObject>((before, one) => {
    const placed = withValueAt(before, splitPointer(one.path), valueOf(one));
    return isObject(placed) ? placed : before;
  }, spec);
}

function withValueAt(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  by: JsonValue,
): JsonValue {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, at) =>
      String(at) === step ? withValueAt(item, rest, by) : item,
    );
  }
  const members = isObject(value) ? value : {};
  return { ...members, [step]: withValueAt(member(members, step), rest, by) };
}
