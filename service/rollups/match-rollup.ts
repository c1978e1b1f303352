// Plans a query over the rows of a rollup instead of the tables, if both have the same answer. Pure.
import { isFailure } from "../../core/errors.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import type { CompiledModel } from "../model/types.ts";
import type { PlanInput } from "../query/create-query-context.ts";
import { duckdb, duckdbOfOthers } from "../query/duckdb-dialect.ts";
import { leavesOf } from "../query/measures.ts";
import { indexModel, memberRef, nameOf, resolveMember } from "../query/model-index.ts";
import { planQuery, type QueryPlan } from "../query/query-to-sql.ts";
import type { NormalizedQuery } from "../query/query-schema.ts";
import { planRollups, type Rollup, type RollupPlan } from "./plan-rollup.ts";
import { modelOverRollup, type RollupUse } from "./rollup-model.ts";

/** A rollup, and the plan of a query over its rows. */
export interface RollupMatch {
  readonly rollup: Rollup;
  readonly plan: QueryPlan;
}

/** A rollup that does not answer a query. */
export interface RollupMiss {
  /** `cube.name`. */
  readonly id: string;
  /** Why it does not, as `it has no orders.status`. */
  readonly reason: string;
}

/** A query that is planned over the tables. */
export interface PlannedOverTables {
  readonly query: NormalizedQuery;
  readonly plan: QueryPlan;
  /** The dialect is that of the tables. */
  readonly input: PlanInput;
}

/**
 * Returns the rollups that answer a query, in the order of their declarations. Plans the query over each when it is asked for;
 * undefined stands for one that does not answer it.
 */
export function* matchRollups(on: PlannedOverTables): Generator<RollupMatch | undefined> {
  if (on.query.ungrouped) return;
  const { model } = on.input;
  const groups = groupsOf(on.plan, model);
  const leaves = leavesOfQuery(on);
  for (const one of planRollups(model)) {
    const { declared } = one;
    if (leaves.some((name) => !one.leaves.has(name))) continue;
    const stored = new Set(declared.dimensions);
    for (const { dimension } of declared.timeDimensions) stored.add(dimension);
    if (groups.some(({ name }) => !stored.has(name))) continue;
    const match = matchOf(one.plan, on);
    yield "rollup" in match ? match : undefined;
  }
}

/** Returns why the rollups of the cubes that a query reads do not answer it; `stored` is the reason of one that could. */
export function missedRollups(
  on: PlannedOverTables,
  stored: (id: string) => string,
): readonly RollupMiss[] {
  const groups = groupsOf(on.plan, on.input.model);
  const leaves = leavesOfQuery(on);
  const read = planRollups(on.input.model).filter(({ id }) =>
    on.plan.cubes.includes(memberRef(id).cube),
  );
  return read.map(({ id, declared, plan, leaves: computed }) => {
    const names = new Set([
      ...declared.dimensions,
      ...declared.timeDimensions.map(({ dimension }) => dimension),
    ]);
    const missing = groups.find(({ name }) => !names.has(name));
    if (on.query.ungrouped) return { id, reason: "an ungrouped query reads single rows" };
    if (missing) return { id, reason: `it has no ${missing.name}` };
    const leaf = "rollup" in plan ? leaves.find((name) => !computed.has(name)) : undefined;
    if (leaf !== undefined) return { id, reason: `it has no ${leaf}` };
    const match = matchOf(plan, on);
    return { id, reason: "rollup" in match ? stored(id) : match.reason };
  });
}

/** Returns the names of the measures from which a query computes its own. */
function leavesOfQuery({ query, input }: PlannedOverTables): readonly string[] {
  const index = indexModel(input.model);
  const measures = query.measures.map((name) => resolveMember(index, name, ["measure"]));
  return leavesOf(index, measures).map(nameOf);
}

function matchOf(
  declared: RollupPlan,
  on: PlannedOverTables,
): RollupMatch | Pick<RollupMiss, "reason"> {
  if ("reason" in declared) return declared;
  const { rollup } = declared;
  const plan = planOverRows(rollup, on);
  return "reason" in plan ? plan : { rollup, plan };
}

/** Returns the dimensions of a query, which a rollup must store. */
function groupsOf({ columns }: QueryPlan, model: CompiledModel): readonly Group[] {
  const index = indexModel(model);
  return columns.flatMap(({ kind, member: name, granularity }) => {
    if (kind === "measure") return [];
    const { cube, member } = resolveMember(index, name, ["dimension"]);
    return [{ name: `${cube}.${member}`, granularity }];
  });
}

interface Group {
  /** `cube.dimension`. */
  readonly name: string;
  readonly granularity: string | undefined;
}

/** The models over the rows of each rollup, for the uses that queries need. */
const modelsOver = memoizePerObject((model: CompiledModel) =>
  memoizePerObject((rollup: Rollup) => {
    const models = new Map<string, CompiledModel>();
    return (use: Omit<RollupUse, "rollup">) => {
      const key = `${use.isExact} ${use.isNative}`;
      const stored = models.get(key) ?? modelOverRollup(model, { ...use, rollup });
      models.set(key, stored);
      return stored;
    };
  }),
);

function planOverRows(
  rollup: Rollup,
  { query, plan, input }: PlannedOverTables,
): QueryPlan | Pick<RollupMiss, "reason"> {
  if (!isWithin(plan, rollup)) return { reason: "the query joins cubes otherwise than it does" };
  const isNative = input.dialect === duckdb;
  const use = { isNative, isExact: isExact(plan, rollup, input.model) };
  const model = modelsOver(input.model)(rollup)(use);
  try {
    return planQuery(query, { ...input, model, dialect: isNative ? duckdb : duckdbOfOthers });
  } catch (error) {
    if (isFailure(error)) return { reason: `its rows do not answer the query: ${error.message}` };
    throw error;
  }
}

/**
 * Returns whether the joins of a query and of its row filters are among those of a rollup, which has the rows of one path to
 * each cube: its other joins neither add nor repeat rows.
 */
function isWithin({ tree, filterJoins, cubes }: QueryPlan, rollup: Rollup): boolean {
  if (tree.root !== rollup.tree.root) return false;
  const joined = new Set(rollup.tree.edges.map(({ from, join }) => `${from} ${join.cube}`));
  const edges = [...tree.edges, ...filterJoins];
  const isJoined = edges.every(({ from, join }) => joined.has(`${from} ${join.cube}`));
  // Stages of measures can read more cubes.
  return isJoined && cubes.length === tree.edges.length + 1;
}

/** Returns whether each group of a query is one row of a rollup. Without dimensions, there can also be a group of no rows. */
function isExact(plan: QueryPlan, rollup: Rollup, model: CompiledModel): boolean {
  if (rollup.segments.length > 0) return false;
  const groups = new Set(
    groupsOf(plan, model).map(({ name, granularity }) =>
      granularity === undefined ? name : `${name}.${granularity}`,
    ),
  );
  const stored = [
    ...rollup.dimensions,
    ...rollup.times.map(({ dimension, granularity }) => `${dimension}.${granularity}`),
  ];
  return (
    stored.length > 0 && groups.size === stored.length && stored.every((one) => groups.has(one))
  );
}
