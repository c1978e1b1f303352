// The data sources that queries read.
import { Failure } from "../../core/errors.ts";
import { cubeOf, indexModel } from "./model-index.ts";
import type { PlanInput } from "./create-query-context.ts";
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { namedMembers } from "./selection.ts";

/** Returns the data source of the first member of a query. Throws as planning does for its members. */
export function dataSourceOfQuery(
  query: NormalizedQuery,
  input: Pick<PlanInput, "model" | "caller">,
): string {
  const model = indexModel(input.model);
  const [first] = namedMembers({ model, caller: input.caller }, query);
  return first ? cubeOf(model, first.member.cube).cube.dataSource : "default";
}

/** Returns the data source of cubes. Throws `invalid` if they have several. */
export function dataSourceOfCubes(
  { model }: Pick<QueryContext, "model">,
  cubes: readonly string[],
): string {
  const sources = cubes.map((name) => cubeOf(model, name).cube.dataSource);
  const [first = "default"] = sources;
  const other = sources.find((source) => source !== first);
  if (other === undefined) return first;
  throw new Failure(
    "invalid",
    `the query joins cubes of the data sources ${first} and ${other}, which no database can join`,
  );
}
