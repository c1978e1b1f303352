// Reads a cube with the rows that the caller may read. Every FROM clause reads cubes through this module.
import { Failure, invariant } from "../../core/errors.ts";
import type { SqlTemplate } from "../model/types.ts";
import {
  type Dependencies,
  dependenciesOf,
  mergeDependencies,
  type PlacedMember,
  referencesIn,
} from "./dependencies.ts";
import { quote } from "./dialect.ts";
import {
  buildJoinTree,
  cubesOf,
  type JoinEdge,
  type JoinTree,
  multipliedFrom,
} from "./join-tree.ts";
import {
  canComputeColumns,
  dimensionOf,
  isMultiStage,
  isSwitch,
  repeatsFilters,
  subQueryAlias,
  switchRows,
  templateSql,
  withoutFilters,
  writeTemplate,
} from "./member-sql.ts";
import { cubeOf, type MemberRef, type ModelIndex, nameOf } from "./model-index.ts";
import { columnOf, comparesColumns, comparisonsOf, isColumn } from "./template-columns.ts";
import type { QueryContext } from "./query-context.ts";
import { type CubeAccess, cubeAccess, type JoinedFilters } from "./row-policies.ts";
import {
  allOf,
  anyOf,
  canFail,
  joinSql,
  printSql,
  type Sql,
  sql,
  type Statement,
  whereSql,
} from "./sql-fragments.ts";

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
  const access = cubeAccess(name, context, {
    isWhole: false,
    joined: joinedFilters(name, context),
  });
  if (isUnrestricted(access)) return rawTable(name, context);
  return sql`(${filteredQuery(name, context, access, fence)}) AS ${quote(name)}`;
}

/** Writes the query that reads a cube, which `{cube.sql()}` inserts. */
export function readQuery(name: string, context: QueryContext): Sql {
  const access = cubeAccess(name, context, { isWhole: true, joined: joinedFilters(name, context) });
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
  context.reads.push(name);
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
  return writeTemplate(indexed.cube.table, { ...context, pushedFilters });
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
  const context = unfiltered(outer);
  const all = [...(rows ? [rows] : []), ...shown.values()];
  const { chains, subQueries } = mergeDependencies(all.map(({ dependencies }) => dependencies));
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
  context.filterJoins.push(...tree.edges);
  const joins = joinsSql(tree, context, subQueries);
  const from = joinedSql(tree, joins, (cube) =>
    cube === name ? rawTable(cube, outer, true) : rawTable(cube, context),
  );
  const readsOthers = joins.length > 0 || all.some(({ readsJoined }) => readsJoined);
  const isEarly = readsOthers && canComputeColumns(name, context);
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

/** Returns a context for row filters: the time and the filters of a query never change the rows that the caller may read. */
function unfiltered(context: QueryContext): QueryContext {
  return { ...context, calendarShifts: new Map(), pushedFilters: () => [] };
}

/** Returns the row filters of a cube on the cubes that it joins, which it reads without their policies. */
function joinedFilters(name: string, outer: QueryContext): JoinedFilters {
  const context = unfiltered(outer);
  return filtersByKey(name, context, (tree) =>
    joinedSql(tree, joinsSql(tree, context, []), (cube) => rawTable(cube, context)),
  );
}

/** Returns the row filters of a view on the cubes that its first cube joins, of which the caller sees some rows. */
export function joinedViewFilters(name: string, outer: QueryContext): JoinedFilters {
  const context = unfiltered(outer);
  return filtersByKey(name, context, (tree, evaluated) =>
    fromSql(tree, context, { subQueries: [], evaluated }),
  );
}

/**
 * Writes row filters on joined cubes, `(column, …) IN (SELECT key, …)`: for a column and joins of columns, whose SQL names
 * the table of each. `fromOf` writes the FROM clause of the subquery.
 */
function filtersByKey(
  name: string,
  context: QueryContext,
  fromOf: (tree: JoinTree, evaluated: readonly Sql[]) => Sql,
): JoinedFilters {
  const { model } = context;
  const treeOf = (members: readonly PlacedMember[]) =>
    buildJoinTree(model, dependenciesOf(model, members).chains, { preferred: name });
  return {
    firstJoined: (member) =>
      treeOf([member]).edges.flatMap(({ from, join }) => (from === name ? [join.cube] : [])),
    isByKey(member) {
      if (member.cube === name || !isColumn(dimensionOf(context, member))) return false;
      const tree = treeOf([member]);
      const [first, ...others] = tree.edges;
      const inner = cubesOf(tree).slice(1);
      return (
        first !== undefined &&
        comparedColumns(first, model) !== undefined &&
        others.every(({ join }) => joinsColumns(join.sql, inner, model)) &&
        multipliedFrom(tree, name).size === 0
      );
    },
    write({ members, condition, admitsNull }) {
      const [first, ...edges] = treeOf(members).edges;
      const compared = first && comparedColumns(first, model);
      invariant(first && compared, "a joined filter without a key");
      context.filterJoins.push(first, ...edges);
      const own = compared.map(([column]) => templateSql(column, context));
      const key = compared.map(([, column]) => templateSql(column, context));
      const refers = (rows: Sql) => {
        const rowsOf = fromOf({ root: first.join.cube, edges }, [...key, rows]);
        const matches = own.map((column, at) => sql`${column} = ${key[at] ?? []}`);
        return context.dialect.looksUpKeys
          ? sql`EXISTS (SELECT 1 FROM ${rowsOf}${whereSql([...matches, rows])})`
          : sql`(${joinSql(own, ", ")}) IN (SELECT ${joinSql(key, ", ")} FROM ${rowsOf}${whereSql([rows])})`;
      };
      if (!admitsNull) return refers(condition);
      const present = refers(allOf(key.map((column) => sql`${column} IS NOT NULL`)));
      const missing = own.map((column) => sql`${column} IS NULL`);
      return anyOf([refers(condition), ...missing, sql`NOT ${present}`]);
    },
  };
}

/** A key by which a cube is joined. */
export interface JoinKey {
  /** The cube. */
  readonly cube: string;
  /** Has a row if the key repeats, so that the join repeats rows. */
  readonly repeated: Statement;
}

/** Returns the keys of the joins that are equalities of columns. */
export function joinKeys({ edges }: JoinTree, context: QueryContext): readonly JoinKey[] {
  return edges.flatMap((edge) => {
    const compared = comparedColumns(edge, context.model);
    if (compared === undefined) return [];
    const { cube } = edge.join;
    const key = compared.map(([, column]) => templateSql(column, context));
    const columns = joinSql(key, ", ");
    const rows = whereSql(key.map((column) => sql`${column} IS NOT NULL`));
    const repeated = sql`SELECT ${columns} FROM ${rawTable(cube, context)}${rows} GROUP BY ${columns} HAVING count(*) > 1 LIMIT 1`;
    return [{ cube, repeated: printSql(repeated, context.dialect) }];
  });
}

/** Returns whether the condition of a join compares columns of some cubes, each named with its table. */
function joinsColumns(
  condition: SqlTemplate,
  cubes: readonly string[],
  model: ModelIndex,
): boolean {
  const { members, tables } = referencesIn(condition);
  return (
    comparesColumns(condition) &&
    tables.every((path) => cubes.includes(path.at(-1) ?? "")) &&
    members.every(({ cube, member }) => {
      const dimension = cubeOf(model, cube).dimensions.get(member);
      return cubes.includes(cube) && dimension !== undefined && isColumn(dimension);
    })
  );
}

/** Returns the columns that the equalities of a join compare, the own one of each first; undefined for another condition. */
function comparedColumns(
  { from, join }: JoinEdge,
  model: ModelIndex,
): readonly (readonly [SqlTemplate, SqlTemplate])[] | undefined {
  if (!joinsColumns(join.sql, [from, join.cube], model)) return undefined;
  const pairs = comparisonsOf(join.sql).map(([left = [], right = [], ...others]) => {
    const [first, second] = [columnCube(left), columnCube(right)];
    if (others.length > 0) return undefined;
    if (first === from && second === join.cube) return [left, right] as const;
    return first === join.cube && second === from ? ([right, left] as const) : undefined;
  });
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

/** Writes the columns of a cube by which joins that are equalities of columns join it. */
export function joinColumnsSql(
  cube: string,
  edges: readonly JoinEdge[],
  context: QueryContext,
): readonly Sql[] {
  return edges.flatMap((edge) => {
    const side = edge.from === cube ? 0 : 1;
    if (edge.from !== cube && edge.join.cube !== cube) return [];
    const compared = comparedColumns(edge, context.model) ?? [];
    return compared.map((pair) => sql`(${templateSql(pair[side], context)})`);
  });
}

/** Returns the cube of a column, or of a member, that is a whole template. */
function columnCube(template: SqlTemplate): string | undefined {
  const [first] = template;
  if (typeof first !== "object") return undefined;
  const isWhole =
    first.kind === "table"
      ? columnOf(template) !== undefined
      : first.kind === "member" && template.length === 1;
  return isWhole && "path" in first ? first.path.at(-1) : undefined;
}

/** Writes the FROM clause of a tree. Each cube is read with the row filters of the caller. */
export function fromSql(
  tree: JoinTree,
  context: QueryContext,
  { subQueries, evaluated }: JoinedRows,
): Sql {
  for (const cube of cubesOf(tree)) context.joined.add(cube);
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
    const own = withoutFilters(
      context,
      context.hasViewFilters,
      `the join from ${from} to ${join.cube} uses the filter before a row filter hides rows from you`,
    );
    const on =
      shift && key ? { ...own, replaced: { cube: join.cube, member: key.name, sql: shift } } : own;
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
