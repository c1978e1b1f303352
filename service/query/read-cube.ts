// Reads a cube with the rows that the caller may read. Every FROM clause reads cubes through this module.
import { Failure } from "../../core/errors.ts";
import { type Dependencies, mergeDependencies, referencesIn } from "./dependencies.ts";
import { quote } from "./dialect.ts";
import { buildJoinTree, cubesOf, type JoinTree, multipliedFrom } from "./join-tree.ts";
import {
  canComputeColumns,
  isMultiStage,
  isSwitch,
  repeatsFilters,
  subQueryAlias,
  switchRows,
  templateSql,
} from "./member-sql.ts";
import { cubeOf, type MemberRef, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { type CubeAccess, cubeAccess } from "./row-policies.ts";
import { canFail, joinSql, type Sql, sql, whereSql } from "./sql-fragments.ts";

/** Writes whether a joined row shows the value of a member instead of its mask. A missing row has nothing to mask. */
export function isShownSql({ cube, member }: MemberRef): Sql {
  return sql`(${quote(cube)}.${quote(shownName(member))} IS NOT FALSE)`;
}

/** Returns a name that no table of a data model has. */
const shownName = (member: string) => `svc: shows ${member}`;

/**
 * Writes the rows of a cube that the caller may read, as a table expression with the name of the cube. Without a fence, a
 * database can evaluate conditions on hidden rows.
 */
function readCube(name: string, context: QueryContext, fence: Sql): Sql {
  const access = cubeAccess(name, context);
  if (isUnrestricted(access)) return rawTable(name, context);
  return sql`(${filteredQuery(name, context, access, fence)}) AS ${quote(name)}`;
}

/** Writes the query that reads a cube, which `{cube.sql()}` inserts. */
export function readQuery(name: string, context: QueryContext): Sql {
  const access = cubeAccess(name, context, true);
  if (!isUnrestricted(access)) {
    return filteredQuery(name, context, access, context.dialect.fence);
  }
  const { cube } = cubeOf(context.model, name);
  return cube.isQuery ? tableText(name, context) : sql`SELECT * FROM ${tableText(name, context)}`;
}

function isUnrestricted({ rows, shown }: CubeAccess): boolean {
  return rows === undefined && shown.size === 0;
}

/**
 * Writes the table or query of a cube. Throws `invalid` where SQL that is evaluated for hidden rows, too, would have a filter
 * of the caller in it.
 */
function tableText(name: string, context: QueryContext, hidesRows = false): Sql {
  const indexed = cubeOf(context.model, name);
  const pushedFilters = (member: string) => {
    const filters = context.pushedFilters(member);
    if (filters.length === 0 || !(hidesRows || context.hasViewFilters())) return filters;
    // The query has the same filter behind the row filter.
    if (repeatsFilters(indexed)) return [];
    throw new Failure(
      "invalid",
      `you cannot filter ${member}: the SQL of ${name} uses the filter before a row filter hides rows from you`,
    );
  };
  return templateSql(indexed.cube.table, { ...context, pushedFilters });
}

function rawTable(name: string, context: QueryContext, hidesRows?: boolean): Sql {
  const { cube } = cubeOf(context.model, name);
  const table = tableText(name, context, hidesRows);
  // The text of a query may end in a comment.
  return cube.isQuery ? sql`(${table}\n) AS ${quote(name)}` : sql`${table} AS ${quote(name)}`;
}

/**
 * Writes the query for the rows of a cube that a caller may read. It joins the cubes of its conditions, without their
 * policies.
 */
function filteredQuery(
  name: string,
  outer: QueryContext,
  { rows, shown }: CubeAccess,
  fence: Sql,
): Sql {
  // The time and the filters of a query never change the rows that the caller may read.
  const context = { ...outer, calendarShifts: new Map(), pushedFilters: () => [] };
  const { chains, subQueries } = mergeDependencies(
    [...(rows ? [rows] : []), ...shown.values()].map(({ dependencies }) => dependencies),
  );
  const tree = buildJoinTree(context.model, chains, { root: name });
  const [several] = multipliedFrom(tree, name);
  if (several !== undefined) {
    throw new Failure(
      "invalid",
      `a row filter of ${name} uses ${several}, of which a row of ${name} can have several; declare the join as many_to_one or one_to_one`,
    );
  }
  const [nested] = subQueries;
  if (nested) {
    throw new Failure(
      "invalid",
      `a row filter of ${name} uses ${nameOf(nested)}, which is not a value of a row`,
    );
  }
  const joins = joinsSql(tree, context, subQueries);
  const from = joinedSql(tree, joins, (cube) =>
    cube === name ? rawTable(cube, outer, true) : rawTable(cube, context),
  );
  const isEarly = joins.length > 0 && canComputeColumns(name, context);
  const end = isEarly && fence.length === 0 ? (context.dialect.joinFence ?? []) : fence;
  const columns = [...shown].map(
    ([member, { condition }]) =>
      sql`, COALESCE(${condition}, FALSE) AS ${quote(shownName(member))}`,
  );
  return sql`SELECT ${quote(name)}.*${joinSql(columns, "")} FROM ${from}${whereSql(rows ? [rows.condition] : [])}${end}`;
}

/** The rows that a FROM clause joins. */
interface JoinedRows {
  readonly subQueries: Dependencies["subQueries"];
  /** The SQL that a database can evaluate while it joins rows: conditions, and what it sorts and groups by. */
  readonly evaluated: readonly Sql[];
}

/** Writes the FROM clause of a tree. Each cube is read with the row filters of the caller. */
export function fromSql(
  tree: JoinTree,
  context: QueryContext,
  { subQueries, evaluated }: JoinedRows,
): Sql {
  const joins = joinsSql(tree, context, subQueries);
  const isFenced = [...joins.map(({ on }) => on), ...evaluated].some(canFail);
  const fence = isFenced ? context.dialect.fence : [];
  return joinedSql(tree, joins, (cube) => readCube(cube, context, fence));
}

/** A join of a cube by its name, or of other rows. */
interface Join {
  readonly to: string | Sql;
  /** The condition; empty to join all rows. */
  readonly on: Sql;
}

function joinsSql(
  tree: JoinTree,
  context: QueryContext,
  subQueries: Dependencies["subQueries"],
): readonly Join[] {
  const cubes = new Set(cubesOf(tree));
  const joins = tree.edges.map(({ from, join }) => {
    const other = referencesIn(join.sql).members.find(({ cube }) => !cubes.has(cube));
    if (other) {
      throw new Failure(
        "invalid",
        `the join from ${from} to ${join.cube} uses ${nameOf(other)}, whose cube is not joined`,
      );
    }
    const shift = context.calendarShifts.get(join.cube);
    const [key] = cubeOf(context.model, join.cube).keys;
    const on =
      shift && key
        ? { ...context, replaced: { cube: join.cube, member: key.name, sql: shift } }
        : context;
    return { to: join.cube, on: templateSql(join.sql, on) };
  });
  // The groups of a multi-stage dimension can depend on other joined dimensions.
  const rank = (one: MemberRef) => (isMultiStage(one, context) ? 1 : 0);
  const ordered = subQueries.toSorted((one, other) => rank(one) - rank(other));
  const added = ordered.map((dimension) => {
    const alias = subQueryAlias(dimension);
    if (isSwitch(dimension, context))
      return { to: sql`(${switchRows(dimension, context)}) AS ${alias}`, on: [] };
    const { query, on } = context.subQuery(dimension, context);
    return { to: sql`(${query}) AS ${alias}`, on };
  });
  return [...joins, ...added];
}

function joinedSql({ root }: JoinTree, joins: readonly Join[], read: (cube: string) => Sql): Sql {
  const joined = joins.map(({ to, on }) => {
    const rows = typeof to === "string" ? read(to) : to;
    return on.length === 0 ? sql` CROSS JOIN ${rows}` : sql` LEFT JOIN ${rows} ON ${on}`;
  });
  return sql`${read(root)}${joinSql(joined, "")}`;
}
