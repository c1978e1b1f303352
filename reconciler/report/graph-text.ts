// Formats the dependency graph of a stack as text and as Graphviz DOT.
import type { Graph, GraphNode } from "../verbs/graph.ts";
import { pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

/** Formats one line per object, grouped by layer, with its dependencies. */
export function graphText({ stack, nodes }: Graph): string {
  const layers = Map.groupBy(nodes, ({ layer }) => layer);
  const edges = nodes.flatMap(({ dependsOn }) => dependsOn).length;
  const total =
    `Stack ${escapeInvisible(stack)}: ${pluralize(nodes.length, "object")} in ` +
    `${pluralize(layers.size, "layer")}, ${pluralize(edges, "dependency", "dependencies")}.`;
  const blocks = [...layers].map(([layer, list]) =>
    [`${layer + 1}.`, ...list.map(line)].join("\n"),
  );
  return [...blocks, total].join("\n\n");
}

function line({ address, dependsOn }: GraphNode): string {
  const tail =
    dependsOn.length === 0 ? "" : `  depends on ${dependsOn.map(escapeInvisible).join(", ")}`;
  return `  ${escapeInvisible(address)}${tail}`;
}

/** Formats the graph as DOT, with an arrow from an object to each dependency. */
export function graphDot({ stack, nodes }: Graph): string {
  const lines = nodes.flatMap(({ address, dependsOn }) => [
    `  ${quoted(address)};`,
    ...dependsOn.map((need) => `  ${quoted(address)} -> ${quoted(need)};`),
  ]);
  return [`digraph ${quoted(stack)} {`, "  rankdir=BT;", ...lines, "}"].join("\n");
}

function quoted(text: string): string {
  return `"${escapeInvisible(text).replace(/["\\]/gu, "\\$&")}"`;
}
