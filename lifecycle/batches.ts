// How subjects share calls: those that agree where a way wants agreement, at most so many to a call.
import { canonical, type JsonObject } from "../core/json.ts";
import type { ObjectWrite, Binding } from "../core/kind.ts";

/** A subject with its place among those that the caller gave. */
export interface IndexedWrite {
  readonly index: number;
  readonly write: ObjectWrite;
}

/** The calls that `way` makes for these subjects, in their order. */
export function batchesOf(
  way: Binding,
  placed: readonly IndexedWrite[],
): readonly (readonly IndexedWrite[])[] {
  const { max } = way.batch;
  const by = [...way.batch.groupBy, ...(way.prerequisite?.dependsOn ?? [])];
  if (max <= 1) return placed.map((one) => [one]);
  const groups = new Map<string, IndexedWrite[]>();
  for (const one of placed) {
    const group = groupOf(by, one.write.spec);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [one]);
    else members.push(one);
  }
  return [...groups.values()].flatMap((members) => chunks(members, max));
}

function groupOf(by: readonly string[], spec: JsonObject): string {
  return canonical(by.map((name) => spec[name] ?? null));
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}
