// Plans the rows of a pre-aggregation: the answer to a query for all its members, for every caller. Pure.
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import type {
  CompiledDimension,
  CompiledMeasure,
  CompiledModel,
  CompiledPreAggregation,
  PreAggregationUse,
} from "../model/types.ts";
import type { QueryCaller } from "../query/access.ts";
import type { Dialect } from "../query/dialect.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { dependenciesOf } from "../query/dependencies.ts";
import { type JoinTree, multipliedFrom } from "../query/join-tree.ts";
import { leavesOf, measureOf, windowOf } from "../query/measures.ts";
import {
  cubeOf,
  indexModel,
  memberRef,
  type MemberRef,
  type ModelIndex,
  nameOf,
} from "../query/model-index.ts";
import { createQueryContext } from "../query/create-query-context.ts";
import { type JoinKey, joinKeys } from "../query/read-cube.ts";
import { type PlanColumn, planQuery } from "../query/query-to-sql.ts";
import type { NormalizedQuery, QueryFilter } from "../query/query-schema.ts";
import { edgeName, segmentName } from "./rollup-names.ts";
import { partitionsOf, type RollupPartitions } from "./rollup-partitions.ts";
import { previousPeriod, readsClock, type RefreshCheck, refreshCheck } from "../query/refresh.ts";
import { usedMembers } from "../query/used-members.ts";
import type { Statement } from "../query/sql-fragments.ts";

/** A pre-aggregation that queries can use. Its columns are `c0`, `c1`, … in the order of its members. */
export interface Rollup {
  /** `cube.name`. */
  readonly id: string;
  /** Whether it is built again without queries. */
  readonly isScheduled: boolean;
  readonly tree: JoinTree;
  /** Returns the keys of its joins, none of which may repeat: a query with fewer joins would have fewer rows. */
  readonly keys: (dialect: Dialect) => readonly JoinKey[];
  readonly dataSource: string;
  /** Dimensions with exact values, by `cube.dimension`. */
  readonly dimensions: readonly string[];
  readonly segments: readonly string[];
  /** Times that are truncated to a granularity in UTC. */
  readonly times: readonly { readonly dimension: string; readonly granularity: string }[];
  /** Aggregates, by `cube.measure`. */
  readonly measures: readonly string[];
  /** The members of its columns, with their types. */
  readonly columns: readonly Pick<PlanColumn, "member" | "type">[];
  /** Returns what decides at a time whether its rows are outdated. */
  readonly freshness: (dialect: Dialect, now: Date) => Freshness;
  /** Writes the statement that returns its rows, or part of them, and one more than may be stored if there are too many. */
  readonly statement: (dialect: Dialect, filters?: readonly QueryFilter[]) => Statement;
  /** The parts of its rows; undefined if they are stored together. */
  readonly partitions?: RollupPartitions;
}

/** What decides whether rows are outdated. */
export interface Freshness {
  /** Rows of the same results of all checks are up to date. */
  readonly checks: readonly RefreshCheck[];
  /** Others that are built since then may still be used while they are built again. In milliseconds since 1970. */
  readonly usableSince: number;
}

/** A rollup, or the reason why no query can use it. */
export type RollupPlan = { readonly rollup: Rollup } | { readonly reason: string };

/** A pre-aggregation. */
interface PlannedPreAggregation {
  /** `cube.name`. */
  readonly id: string;
  readonly declared: CompiledPreAggregation;
  /** The aggregates that its measures are computed from, by `cube.measure`: queries of others need no plan. */
  readonly leaves: ReadonlySet<string>;
  /** Planned on first use: a model can have many. */
  readonly plan: RollupPlan;
}

/** Returns the pre-aggregations of a model in the order of their declarations. */
export const planRollups = memoizePerObject(
  (model: CompiledModel): readonly PlannedPreAggregation[] => {
    const cubes = model.cubes.filter((cube) => cube.aliasOf === undefined);
    const declaring = cubes.filter(({ preAggregations }) => preAggregations.length > 0);
    if (declaring.length === 0) return [];
    const open = openModel(model);
    const index = indexModel(model);
    return declaring.flatMap((cube) =>
      cube.preAggregations.map((declared) => {
        let planned: RollupPlan | undefined;
        const id = `${cube.name}.${declared.name}`;
        return {
          id,
          declared,
          leaves: new Set(leavesOf(index, declared.measures.map(memberRef)).map(nameOf)),
          get plan() {
            return (planned ??= planRollup({ model, open }, id, declared));
          },
        };
      }),
    );
  },
);

/** Returns whether queries can use each pre-aggregation of a model. */
export function preAggregationUses(model: CompiledModel): readonly PreAggregationUse[] {
  return planRollups(model).map(({ id, plan }) => ({
    name: id,
    usable: "rollup" in plan,
    ...("reason" in plan && { reason: plan.reason }),
  }));
}

/** Returns a model in which everyone may read everything, and segments are dimensions too. */
function openModel(model: CompiledModel): CompiledModel {
  const shown = <T extends { readonly public: boolean }>(list: readonly T[]) =>
    list.map((one) => ({ ...one, public: true }));
  return {
    cubes: model.cubes.map(({ policies: _, ...cube }) => ({
      ...cube,
      public: true,
      measures: [...shown(cube.measures), ...cube.dimensions.flatMap(edgesOf(cube.name))],
      dimensions: [
        ...shown(cube.dimensions),
        ...cube.segments.map(({ name, title, sql }) => ({
          name: segmentName(name),
          title,
          public: true,
          type: "boolean" as const,
          sql,
          primaryKey: false,
          subQuery: false,
          granularities: [],
        })),
      ],
    })),
    views: [],
    viewGroups: [],
  };
}

/** Returns the measures of the first and the last value of a time. */
const edgesOf =
  (cube: string) =>
  ({ name, title, type, subQuery }: CompiledDimension): readonly CompiledMeasure[] =>
    type !== "time" || subQuery
      ? []
      : (["first", "last"] as const).map((edge) => ({
          name: edgeName(edge, name),
          title,
          public: true,
          type: edge === "first" ? "min" : "max",
          sql: [{ kind: "member", path: [cube], member: name, memberKind: "dimension" }],
          filters: [],
          drillMembers: [],
        }));

const everyone: QueryCaller = {
  groups: [],
  roles: [],
  userAttributes: {},
  securityContext: undefined,
  isEmbedded: false,
};

interface Models {
  readonly model: CompiledModel;
  readonly open: CompiledModel;
}

function planRollup(models: Models, id: string, declared: CompiledPreAggregation): RollupPlan {
  const { type } = declared;
  if (models.model.readsContext === true) {
    return { reason: "the data model reads COMPILE_CONTEXT, and all callers share stored rows" };
  }
  if (type !== "rollup") return { reason: `the service does not build the type ${type}` };
  if (declared.isRanged) {
    return { reason: "it has build_range_start or build_range_end, and queries need all rows" };
  }
  try {
    const rollup = rollupOf(models, id, declared);
    const reason = reasonAgainst(models, rollup);
    return reason === undefined ? { rollup } : { reason };
  } catch (error) {
    if (isFailure(error)) return { reason: error.message };
    throw error;
  }
}

/** The query, and what it reads. */
interface PlannedRollup extends Rollup {
  /** The cubes, as often as each is read. */
  readonly reads: readonly string[];
}

function rollupOf({ open }: Models, id: string, declared: CompiledPreAggregation): PlannedRollup {
  const index = indexModel(open);
  // Only the database of the tables can compute arithmetic over others as it does.
  const leaves = leavesOf(index, declared.measures.map(memberRef)).map(nameOf);
  const measures = [...new Set([...leaves, ...declared.measures])];
  const { dimensions, segments } = declared;
  // A time without a granularity is stored as it is.
  const exact = declared.timeDimensions.flatMap(({ dimension, granularity }) =>
    granularity === undefined ? [dimension] : [],
  );
  const dimensionNames = [...new Set([...dimensions, ...exact])];
  const times = declared.timeDimensions.flatMap(({ dimension, granularity }) =>
    granularity === undefined || dimensionNames.includes(dimension)
      ? []
      : [{ dimension, granularity }],
  );
  const query: NormalizedQuery = {
    measures,
    dimensions: [
      ...dimensionNames,
      ...segments.map(memberRef).map((ref) => `${ref.cube}.${segmentName(ref.member)}`),
    ],
    timeDimensions: times,
    segments: [],
    filters: [],
    order: [],
    limit: limits.rollupRows + 1,
    rowLimit: limits.rollupRows + 1,
    timezone: "UTC",
  };
  const clock = { now: new Date(0), timezone: "UTC" };
  const planFor = (dialect: Dialect, { filters = [], ...other }: Partial<PlanOptions> = {}) =>
    planQuery(
      { ...query, ...other, filters },
      { model: open, caller: everyone, dialect, clock, shared: true },
    );
  const { tree, dataSource, reads, columns } = planFor(duckdb);
  const ownKey = declared.refreshKey;
  const keys = ownKey
    ? [ownKey]
    : [...new Set(reads)].map((name) => cubeOf(index, name).cube.refreshKey ?? { every: "1 hour" });
  const contextFor = (dialect: Dialect, now: Date) =>
    createQueryContext({
      model: open,
      caller: everyone,
      dialect,
      shared: true,
      clock: { now, timezone: "UTC" },
      used: new Map(),
    });
  const freshness = (dialect: Dialect, now: Date): Freshness => {
    const context = contextFor(dialect, now);
    return {
      checks: keys.flatMap((refreshKey) => refreshCheck({ refreshKey }, context) ?? []),
      usableSince: Math.max(...keys.map((key) => previousPeriod(key, now))),
    };
  };
  freshness(duckdb, clock.now);
  return {
    id,
    isScheduled: declared.isScheduled,
    tree,
    keys: (dialect) => joinKeys(tree, contextFor(dialect, clock.now)),
    dataSource,
    dimensions: dimensionNames,
    segments,
    times,
    measures,
    columns,
    freshness,
    statement: (dialect, filters) => planFor(dialect, { filters: filters ?? [] }).statement,
    ...partitionsOf(declared, {
      times,
      dimensions: dimensionNames,
      firstTime: dimensionNames.length + segments.length,
      bounds: (dialect, names) =>
        planFor(dialect, { measures: names, dimensions: [], timeDimensions: [] }).statement,
    }),
    reads,
  };
}

/** The parts of a query that differ between the statements of a rollup. */
type PlanOptions = Pick<NormalizedQuery, "filters" | "measures" | "dimensions" | "timeDimensions">;

/** Returns the reason why the rows would not answer queries as the tables do; undefined if there is none. */
function reasonAgainst({ model: declared }: Models, rollup: PlannedRollup): string | undefined {
  const { tree, measures, times, statement } = rollup;
  const model = indexModel(declared);
  const [several] = multipliedFrom(tree, tree.root);
  if (several !== undefined) return `a row of ${tree.root} can have several of ${several}`;
  const repeated = measures.find((name) => multipliedFrom(tree, memberRef(name).cube).size > 0);
  if (repeated !== undefined) return `its joins repeat the rows of ${repeated}`;
  const members = [...rollup.dimensions, ...rollup.segments].map(memberRef);
  const { subQueries } = dependenciesOf(
    model,
    members.map((ref) => ({ ...ref, path: [ref.cube] })),
  );
  const named = [...members, ...times.map(({ dimension }) => memberRef(dimension))];
  const stage = named.find(
    ({ cube, member }) => cubeOf(model, cube).dimensions.get(member)?.addGroupBy,
  );
  if (stage) return `${nameOf(stage)} depends on the groups of each query`;
  const choice = subQueries.find(
    ({ cube, member }) => cubeOf(model, cube).dimensions.get(member)?.values,
  );
  if (choice) return `each row has all values of ${nameOf(choice)}`;
  if (readsClock(statement(duckdb).text)) return "its SQL reads the time or chance";
  for (const { dimension, granularity } of times) {
    const { cube, member } = memberRef(dimension);
    const granularities = cubeOf(model, cube).dimensions.get(member)?.granularities ?? [];
    if (granularities.some(({ name, sql }) => name === granularity && sql !== undefined)) {
      return `the granularity ${granularity} of ${dimension} is SQL`;
    }
  }
  const other = measures.find((name) => {
    const measure = measureOf(model, memberRef(name));
    return windowOf(measure) !== undefined || measure.stage !== undefined;
  });
  if (other !== undefined) return `${other} is computed from rows of other groups`;
  return policyReason(model, rollup);
}

/** A policy of the root filters the rows as it filters its table, if nothing else reads that; others need their tables. */
function policyReason(
  model: ModelIndex,
  { tree, reads, ...rollup }: PlannedRollup,
): string | undefined {
  const { root } = tree;
  for (const cube of new Set(reads)) {
    const { policies } = cubeOf(model, cube).cube;
    if (policies === undefined) continue;
    if (cube !== root || reads.filter((one) => one === root).length > 1) {
      return `it reads ${cube} through joins or SQL, which has an access policy`;
    }
    if (policies.some(({ masked }) => masked !== undefined)) {
      return `the access policy of ${cube} masks members`;
    }
    const { dimensions, segments, measures, times } = rollup;
    const members = [...dimensions, ...segments, ...measures, ...times.map((one) => one.dimension)];
    const direct = members.map((name) => ({ ...memberRef(name), usage: "value" as const }));
    // Such a use decides about rows, and columns do not show it.
    const isInSql = usedMembers(model, direct)
      .get(root)
      ?.some(({ usage }) => usage === "sql");
    if (isInSql) return `SQL of another cube uses ${root}, which has an access policy`;
  }
  return undefined;
}

/** Returns whether an aggregate of groups is computed from aggregates of their parts. */
export function isAdditive(model: ModelIndex, ref: MemberRef): boolean {
  return additiveTypes.has(measureOf(model, ref).type);
}

const additiveTypes: ReadonlySet<string> = new Set(["count", "sum", "min", "max"]);
