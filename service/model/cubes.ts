// Compiles cubes: their table, members, joins and hierarchies.
import type { Cube, Declarations } from "./declarations.ts";
import { queryStartProblem } from "./check-sql-text.ts";
import { cubeNamed, declaredSource, describe, joinTarget } from "./declarations.ts";
import { compileDimension } from "./dimensions.ts";
import { compileJoins } from "./joins.ts";
import { compileMeasures } from "./measures.ts";
import { checkRefreshKey, compilePreAggregations, compileRefreshKey } from "./pre-aggregations.ts";
import { compilePolicies, type PolicySubject } from "./compile-policies.ts";
import { type Place, type Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import {
  memberKindOf,
  memberNames,
  resolveMemberPath,
  resolveRowSql,
  type SqlContext,
  stageReason,
} from "./resolve.ts";
import type { HierarchyDeclaration } from "./schema.ts";
import type { CompiledCube, CompiledHierarchy } from "./types.ts";

/** Compiles one cube and adds its errors to `problems`. */
export function compileCube(
  cube: Cube,
  declarations: Declarations,
  problems: Problems,
): CompiledCube {
  const { value, at, aliasOf } = cube;
  const context: SqlContext = { cube, declarations, problems };
  checkRefreshKey(value.refresh_key, within(at, "refresh_key"), { problems });
  return {
    ...describe(value),
    ...(aliasOf !== undefined && { aliasOf, public: false }),
    ...(value.sql_alias !== undefined && { sqlAlias: value.sql_alias }),
    ...tableOf(cube, context),
    dataSource: value.data_source ?? "default",
    ...(value.refresh_key && {
      refreshKey: compileRefreshKey(value.refresh_key, within(at, "refresh_key"), context),
    }),
    dimensions: [...cube.dimensions.values()].map((one) => compileDimension(one, context)),
    measures: compileMeasures(context),
    segments: [...cube.segments.values()].map((one) => ({
      ...describe(one.value),
      sql: resolveRowSql(one.value.sql, within(one.at, "sql"), context),
    })),
    hierarchies: [...cube.hierarchies.values()].map((one) => compileHierarchy(one, context)),
    joins: compileJoins(context),
    preAggregations: compilePreAggregations(cube, context),
    ...(cube.policies && { policies: compilePolicies(cube.policies, cubeSubject(context)) }),
    source: declaredSource(cube),
  };
}

/** Returns the members that policies of a cube can name: its own. */
function cubeSubject({ cube, declarations, problems }: SqlContext): PolicySubject {
  return {
    name: cube.aliasOf ?? cube.value.name,
    has: (name: string) => memberKindOf(cube, name) !== undefined,
    names: () => memberNames(cube),
    /** A row filter may name a member of a joined cube. */
    resolve: (text: string, at: Place) => {
      const found = resolveMemberPath(text, at, { cube, declarations, problems });
      if (found === undefined) return undefined;
      const { path, member, memberKind: kind } = found;
      const name = `${path.at(-1) ?? ""}.${member}`;
      return { name, kind, reason: filterReason(found, declarations) };
    },
    problems,
  };
}

/** Returns the reason why a row filter cannot use a member of a cube; undefined if it can. */
function filterReason(
  { path, member }: { readonly path: readonly string[]; readonly member: string },
  declarations: Declarations,
): string | undefined {
  const cubes = path.flatMap((name) => cubeNamed(declarations, name) ?? []);
  for (const [index, from] of cubes.entries()) {
    const to = cubes[index + 1];
    const join = from.joins.find((one) => joinTarget(declarations, from, one.value) === to);
    if (to && join?.value.relationship === "one_to_many") {
      return `a row of ${from.value.name} can have several of ${join.value.name}; a row filter needs a dimension that a row has one of`;
    }
  }
  const dimension = cubes.at(-1)?.dimensions.get(member)?.value;
  if (dimension?.type === "switch")
    return `${member} is of type switch, of which each row has all values; a row filter cannot use it`;
  if (dimension?.sub_query !== true) return stageReason({ path, member }, declarations);
  return `${member} has sub_query, which reads rows of its own; a row filter cannot use it`;
}

function tableOf(cube: Cube, context: SqlContext): Pick<CompiledCube, "table" | "isQuery"> {
  const { sql, sql_table, name } = cube.value;
  if (sql !== undefined && sql_table !== undefined) {
    context.problems.add(
      within(cube.at, "sql_table"),
      `${name} has both sql and sql_table; keep one`,
    );
  } else if (sql === undefined && sql_table === undefined && cube.value.extends === undefined) {
    context.problems.add(within(cube.at, "name"), `${name} has neither sql nor sql_table; add one`);
  }
  if (sql_table !== undefined) return { table: [sql_table], isQuery: false };
  const misspelled = sql === undefined ? undefined : queryStartProblem(sql);
  if (misspelled !== undefined) context.problems.add(within(cube.at, "sql"), misspelled);
  return {
    table:
      sql === undefined
        ? []
        : resolveRowSql(sql, within(cube.at, "sql"), { ...context, isAlone: true }),
    isQuery: true,
  };
}

function compileHierarchy(
  { value, at }: Declared<HierarchyDeclaration>,
  context: SqlContext,
): CompiledHierarchy {
  const { name, title, public: shown } = describe(value);
  const levels = value.levels.flatMap((text, index) => {
    const place = within(at, "levels", index);
    const found = resolveMemberPath(text, place, context);
    if (found === undefined) return [];
    if (found.memberKind === "dimension") return [`${found.path.at(-1) ?? ""}.${found.member}`];
    context.problems.add(
      place,
      `${text} is a ${found.memberKind}; a level of a hierarchy is a dimension`,
    );
    return [];
  });
  return { name, title, public: shown, levels };
}
