// Reads a cube with the rows that the caller may read. Every FROM clause reads cubes through this module.
import { Failure } from "../../core/errors.ts";
import { type Dependencies, mergeDependencies, referencesIn } from "./dependencies.ts";
import { quote } from "./dialect.ts";
import { buildJoinTree, cubesOf, type JoinTree, multipliedFrom } from "./join-tree.ts";
import { keysSql } from "./measures.ts";
import { isSwitch, subQueryAlias, switchRows, templateSql } from "./member-sql.ts";
import { cubeOf, type MemberRef, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { type CubeAccess, cubeAccess } from "./row-policies.ts";
import { allOf, joinSql, raw, type Sql, sql, whereSql } from "./sql-fragments.ts";

/** Writes whether a joined row shows the value of a member instead of its mask. A missing row has nothing to mask. */
export function isShownSql({ cube, member }: MemberRef): Sql {
  return sql`(${quote(cube)}.${quote(shownName(member))} IS NOT FALSE)`;
}

/** Returns a name that no table of a data model has. */
const shownName = (member: string) => `svc: shows ${member}`;

/** Writes the rows of a cube that the caller may read, as a table expression with the name of the cube. */
function readCube(name: string, context: QueryContext): Sql {
  const access = cubeAccess(name, context);
  if (isUnrestricted(access)) return rawTable(name, context);
  const fence = context.isFiltered ? context.dialect.fence : [];
  return sql`(${filteredQuery(name, context, access)}${fence}) AS ${quote(name)}`;
}

/** Writes the query that reads a cube, which `{cube.sql()}` inserts. */
export function readQuery(name: string, context: QueryContext): Sql {
  const access = cubeAccess(name, context, true);
  if (!isUnrestricted(access)) {
    return sql`${filteredQuery(name, context, access)}${context.dialect.fence}`;
  }
  const { cube } = cubeOf(context.model, name);
  return cube.isQuery ? tableText(name, context) : sql`SELECT * FROM ${tableText(name, context)}`;
}

function isUnrestricted({ rows, shown }: CubeAccess): boolean {
  return rows === undefined && shown.size === 0;
}

function tableText(name: string, context: QueryContext): Sql {
  const { cube } = cubeOf(context.model, name);
  return templateSql(cube.table, context);
}

function rawTable(name: string, context: QueryContext): Sql {
  const { cube } = cubeOf(context.model, name);
  const table = tableText(name, context);
  // The text of a query may end in a comment.
  return cube.isQuery ? sql`(${table}\n) AS ${quote(name)}` : sql`${table} AS ${quote(name)}`;
}

/**
 * Writes the query for the rows of a cube that a caller may read. It joins the cubes of its conditions, without their
 * policies.
 */
function filteredQuery(name: string, outer: QueryContext, { rows, shown }: CubeAccess): Sql {
  // The time of a query never changes the rows that the caller may read.
  const context = { ...outer, calendarShifts: new Map() };
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
  const from = joinedSql(tree, context, { read: rawTable, subQueries });
  const columns = [...shown].map(
    ([member, { condition }]) =>
      sql`, COALESCE(${condition}, FALSE) AS ${quote(shownName(member))}`,
  );
  return sql`SELECT ${quote(name)}.*${joinSql(columns, "")} FROM ${from}${whereSql(rows ? [rows.condition] : [])}`;
}

/** Writes the FROM clause of a tree. Each cube is read with the row filters of the caller. */
export function fromSql(
  tree: JoinTree,
  context: QueryContext,
  subQueries: Dependencies["subQueries"],
): Sql {
  const isJoined = tree.edges.length + subQueries.length > 0;
  const isFiltered = context.isFiltered || isJoined;
  return joinedSql(tree, { ...context, isFiltered }, { read: readCube, subQueries });
}

/** Writes the same FROM clause as the right side of a join. */
export function nestedFromSql(
  tree: JoinTree,
  context: QueryContext,
  subQueries: Dependencies["subQueries"],
): Sql {
  const from = fromSql(tree, context, subQueries);
  return tree.edges.length + subQueries.length === 0 ? from : sql`(${from})`;
}

function joinedSql(
  tree: JoinTree,
  context: QueryContext,
  {
    read,
    subQueries,
  }: {
    read: (name: string, context: QueryContext) => Sql;
    subQueries: Dependencies["subQueries"];
  },
): Sql {
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
    return sql` LEFT JOIN ${read(join.cube, context)} ON ${templateSql(join.sql, on)}`;
  });
  const added = subQueries.map((dimension) => {
    const alias = subQueryAlias(dimension);
    if (isSwitch(dimension, context))
      return sql` CROSS JOIN (${switchRows(dimension, context)}) AS ${alias}`;
    const matches = keysSql(dimension.cube, context).map(
      (key, index) => sql`${key} = ${alias}.k${raw(String(index))}`,
    );
    return sql` LEFT JOIN (${context.subQuery(dimension, context)}) AS ${alias} ON ${allOf(matches)}`;
  });
  return sql`${read(tree.root, context)}${joinSql([...joins, ...added], "")}`;
}
