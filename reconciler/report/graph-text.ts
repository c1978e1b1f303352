// The graph of a stack as text for people, and for the tools that draw.
import type { Graph, GraphNode } from "../verbs/graph.ts";
import { pluralize, escapeInvisible } from "./escape-text.ts";

/** A line an object under its layer, with what it needs. */
export function graphText({ stack, nodes }: Graph): string {
  const layers = Map.groupBy(nodes, ({ layer }) => layer);
  const edges = nodes.flatMap(({ dependsOn: needs }) => needs).length;
  const total = `Stack ${escapeInvisible(stack)}: ${pluralize(nodes.length, "object")} in ${pluralize(layers.size, "layer")}, ${pluralize(edges, "reference")}.`;
  const blocks = [...layers].map(([layer, list]) =>
    [`${layer + 1}.`, ...list.map(line)].join("\n"),
  );
  return [...blocks, total].join("\n\n");
}

function line({ address, dependsOn: needs }: GraphNode): string {
  const tail = needs.length === 0 ? "" : `  needs ${needs.map(escapeInvisible).join(", ")}`;
  return `  ${escapeInvisible(address)}${tail}`;
}

/** In the language of Graphviz: an arrow from an object to each that it needs. */
export function graphDot({ stack, nodes }: Graph): string {
  const lines = nodes.flatMap(({ address, dependsOn: needs }) => [
    `  ${quoted(address)};`,
    ...needs.map((need) => `  ${quoted(address)} -> ${quoted(need)};`),
  ]);
  return [`digraph ${quoted(stack)} {`, "  rankdir=BT;", ...lines, "}"].join("\n");
}

function quoted(text: string): string {
  return `"${escapeInvisible(text).replace(/["\\]/gu, "\\$&")}"`;
}
