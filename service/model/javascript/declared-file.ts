// The declarations of one JavaScript file as the value that the same file in YAML would have.
import { snakeCase } from "../../../core/text/naming.ts";
import { joinPointer, splitPointer } from "../../../core/pointer.ts";
import type { KeyOrValue } from "../../../core/text/yaml-locator.ts";
import { hasReferences, pathText, sqlText } from "./reference-text.ts";
import type { DeclaredKind, Encoded } from "./sandbox.ts";

/** A value that JavaScript declares and YAML cannot. */
interface ValueError {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

/** Objects in which JavaScript names the items of a list, by the key of the list. */
interface NamedLists {
  readonly [key: string]: NamedLists;
}

const listsOf: Readonly<Record<DeclaredKind, NamedLists>> = {
  cube: {
    measures: {},
    dimensions: { granularities: {} },
    segments: {},
    joins: {},
    hierarchies: {},
    pre_aggregations: { indexes: {} },
  },
  view: { dimensions: {}, measures: {} },
  view_group: {},
};

/** Keys whose texts are names of members and cubes, with dots between. */
const pathKeys: ReadonlySet<string> = new Set([
  ..."extends join_path includes excludes unless levels name member time_dimension dimension".split(
    " ",
  ),
  ..."drill_members group_by reduce_by add_group_by keep_only exclude include measures dimensions segments rollups columns views view_group view_groups".split(
    " ",
  ),
]);

/** Keys whose texts are values of the caller, in braces. */
const callerKeys: ReadonlySet<string> = new Set(["if", "values"]);

/** Returns the declaration of a call with these arguments, or why it has none. */
export function declarationOf(
  kind: DeclaredKind,
  encoded: Encoded,
): { readonly value: unknown } | { readonly errors: readonly ValueError[] } {
  const [name, object, ...rest] = itemsOf(encoded);
  if (
    typeof name === "object" ||
    object === undefined ||
    membersOf(object) === undefined ||
    rest.length > 0
  ) {
    return { errors: [{ pointer: "", message: `${kind}() takes a name and an object` }] };
  }
  const errors: ValueError[] = [];
  const value = convertNamed(
    { name: name ?? "", value: object, lists: listsOf[kind], pointer: "" },
    errors,
  );
  return errors.length > 0 ? { errors } : { value };
}

interface Named {
  readonly name: Encoded;
  readonly value: Encoded;
  readonly lists: NamedLists;
  readonly pointer: string;
}

/** Converts an object whose name is written before it. */
function convertNamed({ name, value, lists, pointer }: Named, errors: ValueError[]): unknown {
  const members = membersOf(value);
  if (members === undefined) return convert(value, { key: "", lists, pointer }, errors);
  if (members.some(([key]) => key === "name")) {
    const message = `its name is ${pointer === "" ? "the first argument" : "its key"}; remove name here`;
    errors.push({ pointer: `${pointer}/name`, message });
  }
  const object = convert(value, { key: "", lists, pointer }, errors);
  const text = convert(name, { key: "a name", lists: {}, pointer: `${pointer}/name` }, errors);
  return { name: text, ...(object as object) };
}

interface At {
  /** The key of the value, or of the list that has it, in snake_case. */
  readonly key: string;
  readonly lists: NamedLists;
  readonly pointer: string;
  readonly isFree?: boolean;
}

function convert(value: Encoded, at: At, errors: ValueError[]): unknown {
  if (typeof value === "string") return convertText(value, at, errors);
  if (value === null || typeof value !== "object") return value;
  const members = membersOf(value);
  if (members) {
    const entries = members.map(([key, inner]): readonly [string, unknown] => {
      const name = at.isFree === true ? key : snakeCase(key);
      const lists =
        at.isFree !== true && Object.hasOwn(at.lists, name) ? at.lists[name] : undefined;
      const pointer = `${at.pointer}${joinPointer([name])}`;
      const named = lists && membersOf(inner);
      if (named) {
        return [
          key,
          named.map(([own, one], index) =>
            convertNamed({ name: own, value: one, lists, pointer: `${pointer}/${index}` }, errors),
          ),
        ];
      }
      const isFree = at.isFree === true || name === "meta";
      return [key, convert(inner, { key: name, lists: lists ?? {}, pointer, isFree }, errors)];
    });
    return Object.fromEntries(entries);
  }
  if (value[0] === 1) {
    return itemsOf(value).map((one, index) =>
      convert(one, { ...at, pointer: `${at.pointer}/${index}` }, errors),
    );
  }
  errors.push({
    pointer: at.pointer,
    message: `the value is ${String(value[1])}, which is no data`,
  });
  return null;
}

function convertText(text: string, { key, pointer, isFree }: At, errors: ValueError[]): string {
  if (isFree !== true && key === "sql") return written(() => sqlText(text), pointer, errors);
  if (!hasReferences(text)) return text;
  if (isFree !== true && pathKeys.has(key)) return written(() => pathText(text), pointer, errors);
  if (isFree !== true && callerKeys.has(key))
    return written(() => pathText(text, ["{", "}"]), pointer, errors);
  const name = written(() => pathText(text), pointer, errors);
  errors.push({
    pointer,
    message: `${name} is not declared in the file, and ${key || "this text"} takes no reference`,
  });
  return text;
}

function written(write: () => string, pointer: string, errors: ValueError[]): string {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    errors.push({ pointer, message: error.message });
    return "";
  }
}

/** Returns the members of an encoded object; undefined for another value. */
function membersOf(value: Encoded): readonly (readonly [string, Encoded])[] | undefined {
  if (!Array.isArray(value) || value[0] !== 0) return undefined;
  const members: (readonly [string, Encoded])[] = [];
  for (let at = 2; at < value.length; at += 2)
    members.push([String(value[at]), value[at + 1] as Encoded]);
  return members;
}

/** Returns the items of an encoded list; none for another value. */
function itemsOf(value: Encoded): readonly Encoded[] {
  return Array.isArray(value) && value[0] === 1 ? (value.slice(2) as Encoded[]) : [];
}

/** Returns the place of a member of an encoded object or list; undefined if its literal does not have it. */
export type MemberPlace = (literal: number, member: string, side: KeyOrValue) => number | undefined;

/** Returns the place of the value at a pointer in the declaration of a call; undefined for the call itself. */
export function placeIn(
  encoded: Encoded,
  { pointer, side }: { readonly pointer: string; readonly side: KeyOrValue },
  memberPlace: MemberPlace,
): number | undefined {
  const [, object = null] = itemsOf(encoded);
  const segments = splitPointer(pointer);
  let place: number | undefined;
  let at: Encoded = object;
  for (const [depth, segment] of segments.entries()) {
    const list: readonly Encoded[] = Array.isArray(at) ? at : [];
    const index = indexOf(list)?.get(segment);
    // An object in the place of a list has its items by number, and the name of an item is its key.
    const number = index ?? Number(segment);
    const isObject = list[0] === 0;
    const key = isObject ? String(list[2 + number * 2]) : segment;
    const inner = list[isObject ? 3 + number * 2 : 2 + number];
    if (inner === undefined) break;
    const isName = isObject && index === undefined && segments[depth + 1] === "name";
    const isLast = depth === segments.length - 1;
    const literal = literalOf(at);
    const found = literal && memberPlace(literal, key, isName ? "key" : isLast ? side : "value");
    place = found ?? literalOf(inner) ?? place;
    at = inner;
  }
  return place;
}

const indexes = new WeakMap<readonly Encoded[], ReadonlyMap<string, number>>();

/** Returns the numbers of the members of an encoded object by both spellings; undefined for another value. */
function indexOf(value: readonly Encoded[]): ReadonlyMap<string, number> | undefined {
  const known = indexes.get(value);
  if (known) return known;
  const keys = membersOf(value)?.map(([key]) => key);
  if (keys === undefined) return undefined;
  const index = new Map([
    ...keys.map((key, number) => [snakeCase(key), number] as const),
    ...keys.map((key, number) => [key, number] as const),
  ]);
  indexes.set(value, index);
  return index;
}

function literalOf(value: Encoded): number | undefined {
  const place = Array.isArray(value) ? value[1] : undefined;
  return typeof place === "number" && place > 0 ? place : undefined;
}
