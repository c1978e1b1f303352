// Where a value stands in a YAML text, found by its JSON Pointer.
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import { splitPointer } from "../../core/pointer.ts";

/** Which end of a member is meant: its key, or its value. */
export type KeyOrValue = "key" | "value";

/**
 * Offsets of values in one YAML document, from the start of `text`. A pointer that leads nowhere gives the nearest
 * ancestor that exists. The text is parsed on the first question: keeping the nodes of every document costs more
 * memory than the few that anyone asks about are worth.
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
  // The last of equal keys cannot be meant: parsing keeps the first.
  return node.items.find(({ key }) => isScalar(key) && key.value === segment);
}

/** Undefined for a value that is not written, as in `name:`. */
function startOf(node: unknown): number | undefined {
  const range = (node as Partial<Node> | null | undefined)?.range;
  if (range == null || (isScalar(node) && range[0] === range[1])) return undefined;
  return range[0];
}
