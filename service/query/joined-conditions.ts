// Conditions on a cube and on cubes that it joins, in parts of which each is about one row of a joined cube.
import type { PlacedMember } from "./dependencies.ts";
import type { QueryCost } from "./query-cost.ts";
import { allOf, anyOf, type Sql } from "./sql-fragments.ts";

/** A condition on one row of the cubes that are joined by one key of a cube. */
export interface JoinedCondition {
  readonly members: readonly PlacedMember[];
  readonly condition: Sql;
  /** Whether it holds for a row without one of the cube. */
  readonly admitsNull: boolean;
}

/** A condition by one key. Without `cube`, it is on the cube itself and on joined rows beside it. */
export interface KeyCondition extends JoinedCondition {
  /** The first cube of the joins. */
  readonly cube: string | undefined;
}

/** Conditions by several keys. No two parts of an `and` are on the same joined cube. */
interface SeveralConditions {
  readonly kind: Kind;
  readonly parts: readonly Condition[];
}

type Kind = "and" | "or";

/** A condition whose parts can be written one by one. */
export type Condition = KeyCondition | SeveralConditions;

const isSeveral = (one: Condition): one is SeveralConditions => "parts" in one;

/** Joins conditions. Those on a joined cube that must all hold become one, so that they hold for the same row of it. */
export function joinConditions(kind: Kind, list: readonly Condition[], cost: QueryCost): Condition {
  const flat = list.flatMap((one) => (isSeveral(one) && one.kind === kind ? one.parts : [one]));
  const several = flat.filter(isSeveral);
  const byKey = Map.groupBy(
    flat.filter((one): one is KeyCondition => !isSeveral(one)),
    ({ cube }) => cube,
  );
  const parts: readonly Condition[] = [
    ...[...byKey].map(([cube, same]) => ({ cube, ...asOne(kind, same, cost) })),
    ...several,
  ];
  const [only = { cube: undefined, ...asOne(kind, [], cost) }, ...others] = parts;
  if (others.length === 0) return only;
  const mixed = kind === "and" ? several.find((one) => sharesCube(one, parts)) : undefined;
  if (mixed === undefined) return { kind, parts };
  const rest = parts.filter((one) => one !== mixed);
  return joinConditions(
    "or",
    mixed.parts.map((one) => joinConditions("and", [...rest, one], cost)),
    cost,
  );
}

function asOne(kind: Kind, list: readonly JoinedCondition[], cost: QueryCost): JoinedCondition {
  const [only] = list;
  if (only && list.length === 1) return only;
  const conditions = list.map(({ condition }) => condition);
  for (const one of conditions) cost.charge(one);
  return {
    members: list.flatMap(({ members }) => members),
    condition: kind === "and" ? allOf(conditions) : anyOf(conditions),
    admitsNull: list[kind === "and" ? "every" : "some"](({ admitsNull }) => admitsNull),
  };
}

function sharesCube(one: SeveralConditions, parts: readonly Condition[]): boolean {
  const own = new Set(joinedCubes(one));
  return parts.some((other) => other !== one && joinedCubes(other).some((cube) => own.has(cube)));
}

function joinedCubes(one: Condition): readonly string[] {
  if (isSeveral(one)) return one.parts.flatMap(joinedCubes);
  return one.cube === undefined ? [] : [one.cube];
}

/** Writes a condition, of which `write` writes the parts. */
export function conditionSql(one: Condition, write: (part: KeyCondition) => Sql): Sql {
  if (!isSeveral(one)) return write(one);
  const parts = one.parts.map((part) => conditionSql(part, write));
  return one.kind === "and" ? allOf(parts) : anyOf(parts);
}
