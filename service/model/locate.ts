// Finds the offset of a value in a YAML text by its JSON Pointer. Keys match in camelCase and in snake_case.
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import { snakeCase } from "../../core/naming.ts";
import { splitPointer } from "../../core/pointer.ts";

/** The part of a member to locate: its key or its value. */
export type KeyOrValue = "key" | "value";

/** Returns a function that finds offsets in a document. Falls back to the nearest existing ancestor. */
export function locator(text: string): (pointer: string, side: KeyOrValue) => number {
  let document: Document.Parsed | undefined;
  return (pointer, side) => {
    document ??= parseDocument(text, { uniqueKeys: false, prettyErrors: false });
    let node: unknown = document.contents;
    let key = startOf(node) ?? 0;
    for (const segment of splitPointer(pointer)) {
      const found = memberOf(document, node, segment);
      if (found === undefined) break;
      key = startOf(found.key) ?? key;
      node = found.value;
    }
    return side === "key" ? key : (startOf(node) ?? key);
  };
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
  const named = (spell: (name: string) => string) =>
    node.items.find(({ key }) => isScalar(key) && spell(String(key.value)) === segment);
  return named((name) => name) ?? named(snakeCase);
}

function startOf(node: unknown): number | undefined {
  const range = (node as Partial<Node> | null | undefined)?.range;
  if (range == null || (isScalar(node) && range[0] === range[1])) return undefined;
  return range[0];
}
