// Creates the context of a query, and writes the queries and subqueries of whole cubes that templates need.
import { Failure } from "../../core/errors.ts";
import type { CompiledModel } from "../model/types.ts";
import type { QueryCaller } from "./access.ts";
import type { Clock } from "./date-range.ts";
import { dependenciesOf, keyMembers, mergeDependencies } from "./dependencies.ts";
import type { Dialect } from "./dialect.ts";
import { keysSql } from "./measures.ts";
import { dimensionOf, sharedFailure, subQueryAlias } from "./member-sql.ts";
import { indexModel, type MemberRef, nameOf } from "./model-index.ts";
import { QueryCost } from "./query-cost.ts";
import type { PropagatedFilters, QueryContext } from "./query-context.ts";
import { readQuery } from "./read-cube.ts";
import { dimensionQuery } from "./stage-dimensions.ts";
import { allOf, raw, type Sql, sql } from "./sql-fragments.ts";

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
  whole: Pick<QueryContext, "cost" | "joined" | "reads" | "filterJoins"> = {
    cost: new QueryCost(),
    joined: new Set(),
    reads: [],
    filterJoins: [],
  },
): QueryContext {
  if (depth > nestingMax) {
    throw new Failure(
      "invalid",
      `the SQL of cubes and of dimensions with sub_query nests deeper than ${nestingMax} levels`,
    );
  }
  const inner = (name: string) => {
    whole.cost.countQuery(name);
    return createQueryContext(input, depth + 1, whole);
  };
  return {
    ...input,
    ...whole,
    model: indexModel(input.model),
    pushedFilters: () => [],
    hasViewFilters: () => false,
    timeShifts: new Map(),
    calendarShifts: new Map(),
    propagatedFilters: () => noFilters,
    cubeQuery: (cube) => readQuery(cube, inner(cube)),
    named: [],
    subQuery: (dimension, outer) => {
      const { pushedFilters, propagatedFilters, hasViewFilters } = outer;
      const own = inner(nameOf(dimension));
      const isOpen = dimensionOf(own, dimension).propagatesFilters !== true;
      if (!isOpen && own.shared) throw sharedFailure("propagate_filters_to_sub_query");
      const context = isOpen ? own : { ...own, pushedFilters, propagatedFilters, hasViewFilters };
      const keys = keysSql(dimension.cube, outer).map(
        (key, index) => sql`${key} = ${subQueryAlias(dimension)}.d${raw(String(index))}`,
      );
      return { query: subQuerySql(dimension, context), on: allOf(keys) };
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
  const keys = keysSql(cube, context);
  const grouping = {
    dimensions: keys,
    conditions,
    conditionsWithoutRange: conditions,
    rowFilters,
    filteredBy: [],
    dependencies: mergeDependencies([
      dependenciesOf(context.model, keyMembers(context.model, cube)),
      dependencies,
    ]),
    shown: [],
    rolling: undefined,
    members: keys.map(() => undefined),
    changed: undefined,
  };
  return dimensionQuery(ref, context, grouping).query;
}
