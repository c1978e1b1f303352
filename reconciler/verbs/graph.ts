// Which documents of a stack need which: the order in which their objects are made, and the other way round go.
import { dependencyLayers } from "../../core/references.ts";
import { loadStack, type LoadOptions } from "../manifest/load.ts";
import type { VerbResult } from "./session.ts";

/** An object of a stack among the others. */
export interface GraphNode {
  readonly address: string;
  /** Addresses that it refers to, or lies in. */
  readonly dependsOn: readonly string[];
  /** Position in the order, from 0: objects of one are made at the same time. */
  readonly layer: number;
}

/** What {@link graph} came to. */
export interface Graph {
  readonly stack: string;
  /** By layer, and within one as the documents stand. */
  readonly nodes: readonly GraphNode[];
}

/** The documents of a stack with what they need; asks no server. */
export async function graph(options: LoadOptions): Promise<VerbResult<Graph>> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined) return { ok: false, diagnostics };
  const { stack, objects: wishes } = desired;
  const needs = new Map(wishes.map((wish) => [wish.address, wish.dependsOn]));
  const ordered = dependencyLayers(
    wishes.map(({ address, dependsOn: of }) => ({ id: address, needs: of })),
  );
  const nodes = ordered.layers.flatMap((ids, layer) =>
    ids.map((address): GraphNode => ({ address, dependsOn: needs.get(address) ?? [], layer })),
  );
  return { ok: true, stack: stack.name, nodes, diagnostics };
}
