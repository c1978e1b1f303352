// Creates the context of a query, and writes the queries and subqueries of whole cubes that templates need.
import { Failure } from "../../core/errors.ts";
import type { CompiledModel } from "../model/types.ts";
import type { QueryCaller } from "./access.ts";
import type { Clock } from "./date-range.ts";
import { dependenciesOf, keyMembers, mergeDependencies, referencesIn } from "./dependencies.ts";
import type { Dialect } from "./dialect.ts";
import { groupedSource } from "./grouping.ts";
import { keysSql, leavesOf, measureOverColumns } from "./measures.ts";
import { dimensionOf, sharedFailure, templateSql } from "./member-sql.ts";
import { indexModel, type MemberRef, nameOf } from "./model-index.ts";
import { QueryCost } from "./query-cost.ts";
import type { PropagatedFilters, QueryContext } from "./query-context.ts";
import { readQuery } from "./read-cube.ts";
import { joinSql, numbered, type Sql, sql } from "./sql-fragments.ts";

/** The input of planning. */
export interface PlanInput extends Pick<QueryContext, "shared" | "hidesFirst"> {
  readonly model: CompiledModel;
  readonly caller: QueryCaller;
  readonly dialect: Dialect;
  readonly clock: Clock;
}

/** Nesting of `{cube.sql()}` and of dimensions with `sub_query`. */
const nestingMax = 16;

/** Returns a context without filters of a query. */
export function createQueryContext(
  input: PlanInput & Pick<QueryContext, "used">,
  depth = 0,
  cost = new QueryCost(),
): QueryContext {
  if (depth > nestingMax) {
    throw new Failure(
      "invalid",
      `the SQL of cubes and of dimensions with sub_query nests deeper than ${nestingMax} levels`,
    );
  }
  const inner = (name: string) => {
    cost.countQuery(name);
    return createQueryContext(input, depth + 1, cost);
  };
  return {
    ...input,
    model: indexModel(input.model),
    pushedFilters: () => [],
    timeShifts: new Map(),
    calendarShifts: new Map(),
    cost,
    propagatedFilters: () => noFilters,
    cubeQuery: (cube) => readQuery(cube, inner(cube)),
    subQuery: (dimension, { pushedFilters, propagatedFilters }) => {
      const own = inner(nameOf(dimension));
      const isOpen = dimensionOf(own, dimension).propagatesFilters !== true;
      if (!isOpen && own.shared) throw sharedFailure("propagate_filters_to_sub_query");
      return subQuerySql(dimension, isOpen ? own : { ...own, pushedFilters, propagatedFilters });
    },
  };
}

const noFilters: PropagatedFilters = {
  conditions: [],
  rowFilters: [],
  dependencies: { chains: [], subQueries: [] },
};

/** Writes the query for a dimension with `sub_query`: its measures for each key of its cube. */
function subQuerySql(ref: MemberRef, context: QueryContext): Sql {
  const { cube } = ref;
  const { conditions, rowFilters, dependencies } = context.propagatedFilters();
  const dimension = dimensionOf(context, ref);
  const keys = keysSql(cube, context);
  const { members } = referencesIn(dimension.sql ?? []);
  const grouping = {
    dimensions: keys,
    conditions,
    conditionsWithoutRange: conditions,
    rowFilters,
    dependencies: mergeDependencies([
      dependenciesOf(context.model, [...keyMembers(context.model, cube), ...members]),
      dependencies,
    ]),
    shown: [],
    rolling: undefined,
    members: keys.map(() => undefined),
    changed: undefined,
  };
  const leaves = leavesOf(context.model, members);
  const source = groupedSource(context, grouping, leaves);
  const value = templateSql(dimension.sql ?? [], context, (measure) =>
    measureOverColumns(measure, context, source.column),
  );
  const list = numbered(
    "k",
    keys.map((_, index) => source.dimension(index)),
  );
  return sql`${source.prefix}SELECT ${joinSql(list, ", ")}, ${value} AS v FROM ${source.from}`;
}
