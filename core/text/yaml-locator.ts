// Finds the offset of a value in a YAML text by its JSON Pointer.
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import { splitPointer } from "../pointer.ts";
import { withoutEnvironment } from "./yaml-environment.ts";

/** The part of a member to locate: its key or its value. */
export type KeyOrValue = "key" | "value";

const options = { stringKeys: true, uniqueKeys: false, prettyErrors: false } as const;

/**
 * Returns a function that finds offsets of values in one YAML document, from the start of `text`. Falls back to the nearest
 * existing ancestor. Parses the text on first use: few documents need it, and keeping all nodes takes much memory.
 * `spell` gives a second spelling of keys, by which a step finds a key that it does not equal.
 */
export function locator(
  text: string,
  spell?: (key: string) => string,
): (pointer: string, side: KeyOrValue) => number {
  let document: Document.Parsed | undefined;
  return (pointer, side) => {
    document ??= withoutEnvironment(() => parseDocument(text, options));
    return find({ document, spell }, pointer, side);
  };
}

interface Search {
  readonly document: Document.Parsed;
  readonly spell: ((key: string) => string) | undefined;
}

function find(search: Search, pointer: string, side: KeyOrValue): number {
  let node: unknown = search.document.contents;
  let key = startOf(node) ?? 0;
  for (const segment of splitPointer(pointer)) {
    const member = memberOf(search, node, segment);
    if (member === undefined) break;
    key = startOf(member.key) ?? key;
    node = member.value;
  }
  return side === "key" ? key : (startOf(node) ?? key);
}

function memberOf(
  { document, spell }: Search,
  parent: unknown,
  segment: string,
): { readonly key: unknown; readonly value: unknown } | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isSeq(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { key: item, value: item };
  }
  if (!isMap(node)) return undefined;
  // Of duplicate keys, parsing keeps the first.
  const spelled = (as: (key: string) => string) =>
    node.items.find(({ key }) => isScalar(key) && as(String(key.value)) === segment);
  return spelled(String) ?? (spell && spelled(spell));
}

/** Undefined for an empty value, as in `name:`. */
function startOf(node: unknown): number | undefined {
  const range = (node as Partial<Node> | null | undefined)?.range;
  if (range == null || (isScalar(node) && range[0] === range[1])) return undefined;
  return range[0];
}
