// Checks SQL that needs one value for each row: it cannot read a dimension of type switch, of which each row has all values.
import { appendTo } from "../../core/append-to.ts";
import { referencedNames, report, templatesOf } from "./check-references.ts";
import type { Declarations } from "./declarations.ts";
import type { Problems } from "./problems.ts";
import type { CompiledCube, SqlTemplate } from "./types.ts";

/** Adds an error for each aggregate, key, granularity, join and table that reads a switch, directly or through other members. */
export function checkSwitches(
  cubes: readonly CompiledCube[],
  declarations: Declarations,
  problems: Problems,
): void {
  const readers = switchReaders(cubes);
  if (readers.size === 0) return;
  const check = (name: string, templates: readonly SqlTemplate[], advice: string) => {
    const read = templates.flatMap(referencedNames).find((one) => readers.has(one));
    if (read === undefined) return;
    const reason = `reads ${readers.get(read)}, which has several values for each row; ${advice}`;
    report(name, reason, { declarations, problems });
  };
  for (const cube of cubes) {
    check(cube.name, [cube.table], "use a column");
    for (const join of cube.joins)
      check(cube.name, [join.sql], `the join to ${join.cube} needs columns`);
    for (const measure of cube.measures) {
      // The name of a measure that the compiler adds begins with the one of its origin.
      const [own = ""] = measure.name.split(" ");
      const templates = measure.stage ? [] : templatesOf(measure);
      check(`${cube.name}.${own}`, templates, "use case in a multi-stage measure");
    }
    for (const dimension of cube.dimensions) {
      const name = `${cube.name}.${dimension.name}`;
      const granularities = dimension.granularities.flatMap(({ sql }) => (sql ? [sql] : []));
      check(name, dimension.primaryKey ? templatesOf(dimension) : [], "use a column as the key");
      check(name, granularities, "use columns in granularities");
    }
  }
}

/** Returns the switch that each dimension and segment reads. A subquery reads rows of its own. */
function switchReaders(cubes: readonly CompiledCube[]): ReadonlyMap<string, string> {
  const users = new Map<string, string[]>();
  const found = new Map<string, string>();
  for (const cube of cubes) {
    for (const member of [...cube.dimensions, ...cube.segments]) {
      const name = `${cube.name}.${member.name}`;
      if ("values" in member) found.set(name, name);
      if ("subQuery" in member && member.subQuery) continue;
      for (const used of templatesOf(member).flatMap(referencedNames)) appendTo(users, used, name);
    }
  }
  // The loop adds names.
  for (const [name, read] of found) {
    for (const user of users.get(name) ?? []) if (!found.has(user)) found.set(user, read);
  }
  return found;
}
