// Reads a cube with the row filters of its access policies. Every FROM clause reads cubes through this module.
import { Failure } from "../../core/errors.ts";
import type { AccessPolicy, PolicyFilter } from "../model/types.ts";
import { policiesFor, valueOf } from "./access.ts";
import { comparisonSql } from "./conditions.ts";
import {
  type Dependencies,
  dependenciesOf,
  type PlacedMember,
  referencesIn,
} from "./dependencies.ts";
import { quote } from "./dialect.ts";
import { buildJoinTree, cubesOf, type JoinTree, multipliedFrom } from "./join-tree.ts";
import { keysSql, measureOf } from "./measures.ts";
import { dimensionOf, dimensionSql, subQueryAlias, templateSql } from "./member-sql.ts";
import { cubeOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { allOf, anyOf, joinSql, raw, type Sql, sql } from "./sql.ts";

/** Writes the rows of a cube that the caller may read, as a table expression with the name of the cube. */
function readCube(name: string, context: QueryContext): Sql {
  const condition = rowCondition(name, context);
  if (condition === undefined) return rawTable(name, context);
  return sql`(${filteredQuery(name, context, condition)}) AS ${quote(name)}`;
}

/** Writes the query that reads a cube: what `{cube.sql()}` inserts. */
export function readQuery(name: string, context: QueryContext): Sql {
  const condition = rowCondition(name, context);
  if (condition !== undefined) return filteredQuery(name, context, condition);
  const { cube } = cubeOf(context.model, name);
  return cube.isQuery ? tableText(name, context) : sql`SELECT * FROM ${tableText(name, context)}`;
}

function tableText(name: string, context: QueryContext): Sql {
  const { cube } = cubeOf(context.model, name);
  return templateSql(cube.table, context);
}

function rawTable(name: string, context: QueryContext): Sql {
  const { cube } = cubeOf(context.model, name);
  const table = tableText(name, context);
  // Text of a query may end in a comment.
  return cube.isQuery ? sql`(${table}\n) AS ${quote(name)}` : sql`${table} AS ${quote(name)}`;
}

/** The row filters of a caller on a cube, and what they need. */
interface RowCondition {
  readonly condition: Sql;
  readonly dependencies: Dependencies;
}

/** Returns the condition on the rows of a cube; undefined if all are open. */
function rowCondition(name: string, context: QueryContext): RowCondition | undefined {
  const { cube } = cubeOf(context.model, name);
  return policyCondition(policiesFor(cube, context.caller), context, (member) =>
    memberOfCube(name, member),
  );
}

/** The member of a row filter of a cube: its own, or one of a joined cube. */
function memberOfCube(name: string, member: string): PlacedMember {
  const [cube = "", own = ""] = member.split(".");
  return { cube, member: own, path: cube === name ? [name] : [name, cube] };
}

/** Returns the condition of policies: any of them opens a row. Their dates are in UTC. Undefined if all rows are open. */
export function policyCondition(
  policies: readonly AccessPolicy[] | undefined,
  queryContext: QueryContext,
  place: (member: string) => PlacedMember,
): RowCondition | undefined {
  if (policies === undefined || policies.some(({ rows }) => rows === undefined)) return undefined;
  // The time zone of a query changes what it shows, never which rows the caller may read.
  const context = {
    ...queryContext,
    clock: { ...queryContext.clock, timezone: "UTC" },
    timeShifts: new Map(),
  };
  const members: PlacedMember[] = [];
  const conditions = policies.map(({ rows = [] }) =>
    allOf(
      rows.map((filter) =>
        policyFilterSql(filter, context, (name) => {
          const member = place(name);
          members.push(member);
          return member;
        }),
      ),
    ),
  );
  return { condition: anyOf(conditions), dependencies: dependenciesOf(context.model, members) };
}

function policyFilterSql(
  filter: PolicyFilter,
  context: QueryContext,
  place: (member: string) => PlacedMember,
): Sql {
  if ("and" in filter) return allOf(filter.and.map((one) => policyFilterSql(one, context, place)));
  if ("or" in filter) return anyOf(filter.or.map((one) => policyFilterSql(one, context, place)));
  const member = place(filter.member);
  if (filter.operator === "measureFilter") {
    const { filters } = measureOf(context.model, member);
    return allOf(filters.map((one) => templateSql(one, context)));
  }
  const values = filter.values.flatMap((value): readonly (string | null | undefined)[] => {
    const found = valueOf(value, context.caller);
    if ("literal" in value) return [value.literal === null ? null : String(value.literal)];
    const list = Array.isArray(found) ? found : [found];
    const isScalar = (one: unknown) => ["string", "number", "boolean"].includes(typeof one);
    // An empty list is a missing value.
    return list.length === 0
      ? [undefined]
      : list.map((one) => (isScalar(one) ? String(one) : undefined));
  });
  const known = values.filter((value) => value !== undefined);
  // A value that the caller lacks opens no rows, in a negated filter neither.
  if (known.length < values.length) return raw("FALSE");
  const { operator } = filter;
  if (known.length === 0 && operator !== "set" && operator !== "notSet") return raw("FALSE");
  const comparison = {
    expression: sql`(${dimensionSql(member, context)})`,
    type: dimensionOf(context, member).type,
    operator,
    values: known,
  };
  return comparisonSql(comparison, context);
}

/** Writes the query for the rows that a condition opens. It joins the cubes of the condition, without their policies. */
function filteredQuery(
  name: string,
  context: QueryContext,
  { condition, dependencies }: RowCondition,
): Sql {
  const tree = buildJoinTree(context.model, dependencies.chains, name);
  const [several] = multipliedFrom(tree, name);
  if (several !== undefined) {
    throw new Failure(
      "invalid",
      `a row filter of ${name} uses ${several}, of which a row of ${name} can have several; declare the join as many_to_one or one_to_one`,
    );
  }
  const [nested] = dependencies.subQueries;
  if (nested) {
    throw new Failure(
      "invalid",
      `a row filter of ${name} uses ${nested.cube}.${nested.member}, a dimension with sub_query, which reads rows of its own`,
    );
  }
  const from = joinedSql(tree, context, { read: rawTable, subQueries: dependencies.subQueries });
  return sql`SELECT ${quote(name)}.* FROM ${from} WHERE ${condition}`;
}

/** Writes the FROM clause of a tree. Each cube is read with the row filters of the caller. */
export function fromSql(
  tree: JoinTree,
  context: QueryContext,
  subQueries: Dependencies["subQueries"],
): Sql {
  return joinedSql(tree, context, { read: readCube, subQueries });
}

/** Writes the same as the right side of a join. */
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
        `the join from ${from} to ${join.cube} uses ${other.cube}.${other.member}, whose cube is not joined`,
      );
    }
    return sql` LEFT JOIN ${read(join.cube, context)} ON ${templateSql(join.sql, context)}`;
  });
  const added = subQueries.map((dimension) => {
    const alias = subQueryAlias(dimension);
    const matches = keysSql(dimension.cube, context).map(
      (key, index) => sql`${key} = ${alias}.k${raw(String(index))}`,
    );
    return sql` LEFT JOIN (${context.subQuery(dimension)}) AS ${alias} ON ${allOf(matches)}`;
  });
  return sql`${read(tree.root, context)}${joinSql([...joins, ...added], "")}`;
}
