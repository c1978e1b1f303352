// Finds the offset of a value in a YAML text by its JSON Pointer.
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import { splitPointer } from "../../core/pointer.ts";

/** The part of a member to locate: its key or its value. */
export type KeyOrValue = "key" | "value";

/**
 * Returns a function that finds offsets of values in one YAML document, from the start of `text`. Falls back to the nearest
 * existing ancestor. Parses the text on first use: few documents need it, and keeping all nodes takes much memory.
 */
export function locator(text: string): (pointer: string, side: KeyOrValue) => number {
  let document: Document.Parsed | undefined;
  return (pointer, side) => {
    document ??= parseDocument(text, { stringKeys: true, uniqueKeys: false, prettyErrors: false });
    return find(document, pointer, side);
  };
}

function find(document: Document.Parsed, pointer: string, side: KeyOrValue): number {
  let node: unknown = document.contents;
  let key = startOf(node) ?? 0;
  for (const segment of splitPointer(pointer)) {
    const member = memberOf(document, node, segment);
    if (member === undefined) break;
    key = startOf(member.key) ?? key;
    node = member.value;
  }
  return side === "key" ? key : (startOf(node) ?? key);
}

function memberOf(
  document: Document.Parsed,
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
  return node.items.find(({ key }) => isScalar(key) && key.value === segment);
}

/** Undefined for an empty value, as in `name:`. */
function startOf(node: unknown): number | undefined {
  const range = (node as Partial<Node> | null | undefined)?.range;
  if (range == null || (isScalar(node) && range[0] === range[1])) return undefined;
  return range[0];
}
