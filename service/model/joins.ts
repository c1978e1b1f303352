// Compiles joins: their target, their condition, and their requirements on the joined cubes.
import { suggestion } from "../../core/text/naming.ts";
import { type Cube, joinTarget } from "./declarations.ts";
import { within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveRowSql, type SqlContext } from "./resolve.ts";
import type { JoinDeclaration } from "./schema.ts";
import type { CompiledJoin } from "./types.ts";

/** Compiles the joins of a cube and adds their errors. */
export function compileJoins(context: SqlContext): readonly CompiledJoin[] {
  const { cube, declarations, problems } = context;
  const names = new Set<string>();
  return cube.joins.flatMap(({ value, at }): CompiledJoin[] => {
    const target = joinTarget(declarations, cube, value);
    if (target === undefined) {
      const hint = suggestion(value.name, declarations.cubes.keys());
      problems.addMissing(
        within(at, "name"),
        `${cube.value.name} joins ${value.name}, which is not a cube${hint}`,
      );
      return [];
    }
    checkJoinName({ value, at }, { names, context });
    checkPrimaryKeys({ value, at }, target, context);
    return [
      {
        cube: target.value.name,
        ...(value.alias !== undefined && { alias: value.alias }),
        relationship: value.relationship,
        sql: resolveRowSql(value.sql, within(at, "sql"), { ...context, join: value }),
        text: value.sql,
      },
    ];
  });
}

function checkJoinName(
  { value, at }: Declared<JoinDeclaration>,
  { names, context: { cube, problems } }: { names: Set<string>; context: SqlContext },
): void {
  const name = value.alias ?? value.name;
  if (names.has(name)) {
    problems.add(
      within(at, "name"),
      `${cube.value.name} has two joins named ${name}; give each an alias`,
    );
  }
  if (value.name === cube.value.name && value.alias === undefined) {
    problems.add(within(at, "name"), `${name} joins itself; give the join an alias`);
  }
  if (value.alias === value.name) {
    problems.add(
      within(at, "alias"),
      `the alias ${name} equals the name of the joined cube; choose another`,
    );
  }
  names.add(name);
}

/** Measures that a join can count twice without the keys of their cube. */
const fanOutTypes = new Set(["sum", "avg", "count", "number"]);

function checkPrimaryKeys(
  { value, at }: Declared<JoinDeclaration>,
  target: Cube,
  { cube, problems }: SqlContext,
): void {
  for (const side of new Set([cube, target])) {
    if (side.isPartial) continue;
    const measures = [...side.measures.values()];
    const measure = measures.find((one) => fanOutTypes.has(one.value.type));
    const hasKey = [...side.dimensions.values()].some((one) => one.value.primary_key === true);
    if (measure === undefined || hasKey) continue;
    problems.add(
      within(at, "name"),
      `the join from ${cube.value.name} to ${value.name} can multiply rows, so ${side.value.name} needs a dimension with primary_key: true for its measure ${measure.value.name}`,
    );
  }
}
