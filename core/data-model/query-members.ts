// Finds the members that a query names, with their places in it. Knows no data model.
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { joinPointer } from "../pointer.ts";

/** A kind of member. */
export type MemberKind = "dimension" | "measure" | "segment";

/** A member that a query names. */
export interface NamedMember {
  /** JSON Pointer into the query, or into the list of queries. */
  readonly path: string;
  /** `cube.member`, without a granularity. */
  readonly member: string;
  /** The kinds that the query can use there. */
  readonly kinds: readonly MemberKind[];
  /** The granularity that the query gives to a dimension, with its place. */
  readonly granularity?: { readonly path: string; readonly name: string };
}

/** Returns the members of a query, or of several. Ignores other texts, which are errors of the query. */
export function queryMembers(query: JsonValue | undefined): readonly NamedMember[] {
  if (!Array.isArray(query)) return isObject(query) ? membersOf(query, []) : [];
  return query.flatMap((one, index) => (isObject(one) ? membersOf(one, [index]) : []));
}

type Path = readonly (string | number)[];

const row: readonly MemberKind[] = ["dimension"];
const value: readonly MemberKind[] = ["dimension", "measure"];
const lists: readonly (readonly [string, readonly MemberKind[]])[] = [
  ["measures", ["measure"]],
  ["dimensions", row],
  ["segments", ["segment"]],
];

function membersOf(query: JsonObject, at: Path): readonly NamedMember[] {
  return [
    ...lists.flatMap(([list, kinds]) =>
      itemsOf(query, list).flatMap((item, index) => named(item, [...at, list, index], kinds)),
    ),
    ...itemsOf(query, "timeDimensions").flatMap((item, index) =>
      isObject(item) ? timeDimension(item, [...at, "timeDimensions", index]) : [],
    ),
    ...filterMembers(itemsOf(query, "filters"), [...at, "filters"]),
    ...orderMembers(query["order"], [...at, "order"]),
  ];
}

function timeDimension({ dimension, granularity }: JsonObject, at: Path): readonly NamedMember[] {
  const found = named(dimension, [...at, "dimension"], row);
  if (typeof granularity !== "string") return found;
  const path = joinPointer([...at, "granularity"]);
  return found.map((one) => ({ ...one, granularity: { path, name: granularity } }));
}

/** Collects the members of filters and of the groups in them, without recursion: they may nest deep. */
function filterMembers(filters: readonly JsonValue[], path: Path): readonly NamedMember[] {
  const found: NamedMember[] = [];
  const waiting = filters.map((filter, index) => ({ filter, at: [...path, index] }));
  // The groups that are added are visited too.
  for (const { filter, at } of waiting) {
    if (!isObject(filter)) continue;
    for (const name of ["member", "dimension"])
      found.push(...named(filter[name], [...at, name], value));
    for (const name of ["and", "or"]) {
      const inner = itemsOf(filter, name);
      waiting.push(...inner.map((one, index) => ({ filter: one, at: [...at, name, index] })));
    }
  }
  return found;
}

/** Collects the members of an order: an object with directions, or a list of pairs. */
function orderMembers(order: JsonValue | undefined, at: Path): readonly NamedMember[] {
  if (isObject(order)) return Object.keys(order).flatMap((id) => named(id, [...at, id], value));
  if (!Array.isArray(order)) return [];
  return order.flatMap((pair, index) =>
    Array.isArray(pair) ? named(pair[0], [...at, index, 0], value) : [],
  );
}

function itemsOf(object: JsonObject, name: string): readonly JsonValue[] {
  const items = object[name];
  return Array.isArray(items) ? items : [];
}

const memberPattern = /^(\w+\.\w+)(?:\.(\w+))?$/u;

function named(
  text: JsonValue | undefined,
  at: Path,
  kinds: readonly MemberKind[],
): readonly NamedMember[] {
  const [, member, name] = typeof text === "string" ? (memberPattern.exec(text) ?? []) : [];
  if (member === undefined) return [];
  const path = joinPointer(at);
  if (name === undefined) return [{ path, member, kinds }];
  // Only times have a granularity.
  return [{ path, member, kinds: row, granularity: { path, name } }];
}
