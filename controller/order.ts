// The order of sources as people see it: waves, of which each waits for the ones before.
import { limits } from "../core/limits/limits.ts";
import type { SourceOverview } from "./api-types.ts";
import { dependenciesOf, type DependencyMembers } from "./dependencies.ts";

type Order = NonNullable<SourceOverview["order"]>;

const orders = new WeakMap<readonly DependencyMembers[], ReadonlyMap<string, Order>>();

/** Returns the place of each source by its name. Of a pattern that a source waits for as a whole, only the pattern is named. */
export function orderOf(sources: readonly DependencyMembers[]): ReadonlyMap<string, Order> {
  const ordered = orders.get(sources) ?? computeOrder(sources);
  orders.set(sources, ordered);
  return ordered;
}

function computeOrder(sources: readonly DependencyMembers[]): ReadonlyMap<string, Order> {
  const order = new Map<string, Order>();
  const visit = (source: DependencyMembers): number => {
    const { name } = source;
    const placed = order.get(name);
    if (placed !== undefined) return placed.wave;
    // Of a cycle, which is refused elsewhere, the first is first.
    order.set(name, { wave: 0, after: [] });
    const before = dependenciesOf(source, sources);
    const wave = before.reduce((last, other) => Math.max(last, visit(other) + 1), 0);
    const names = new Set(before.map((other) => other.name));
    const after = before
      .filter(({ pattern }) => pattern === undefined || !names.has(pattern))
      .map((other) => other.name);
    const shown = after.slice(0, limits.controllerEventItems);
    const more = after.length - shown.length;
    order.set(name, { wave, after: shown, ...(more > 0 && { more }) });
    return wave;
  };
  for (const source of sources) visit(source);
  return order;
}
