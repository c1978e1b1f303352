// Computes the dependencies between the documents of a stack.
import { dependencyLayers } from "../../core/kind/references.ts";
import { loadStack, type LoadOptions } from "../manifest/load.ts";
import type { VerbResult } from "./session.ts";

/** An object of a stack with its dependencies. */
export interface GraphNode {
  readonly address: string;
  /** Addresses of the objects it refers to, and of its parents. */
  readonly dependsOn: readonly string[];
  /** Position in the order of creation, from 0: objects of a layer are created in parallel. */
  readonly layer: number;
}

/** Result of {@link graph}. */
export interface Graph {
  readonly stack: string;
  /** By layer, then in the order of the documents. */
  readonly nodes: readonly GraphNode[];
}

/** Returns the documents of a stack with their dependencies. Works offline. */
export async function graph(options: LoadOptions): Promise<VerbResult<Graph>> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined) return { ok: false, diagnostics };
  const { stack, objects } = desired;
  const needs = new Map(
    objects.map((desiredObject) => [desiredObject.address, desiredObject.dependsOn]),
  );
  const ordered = dependencyLayers(
    objects.map(({ address, dependsOn }) => ({ id: address, needs: dependsOn })),
  );
  const nodes = ordered.layers.flatMap((ids, layer) =>
    ids.map((address): GraphNode => ({ address, dependsOn: needs.get(address) ?? [], layer })),
  );
  return { ok: true, stack: stack.name, nodes, diagnostics };
}
