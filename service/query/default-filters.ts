// Adds the default filters of views to the queries on them.
import type { ModelIndex } from "./model-index.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { memberFilters } from "./selection.ts";

/** Returns a query with the default filters of the views that it names, except those that its own filters replace. */
export function withDefaultFilters(model: ModelIndex, query: NormalizedQuery): NormalizedQuery {
  const { dimensions, measures, segments, timeDimensions, filters } = query;
  const filtered = new Set([
    ...filters.flatMap(memberFilters).map(({ member }) => member),
    ...timeDimensions.flatMap(({ dimension, dateRange }) => (dateRange ? [dimension] : [])),
  ]);
  const times = timeDimensions.map(({ dimension }) => dimension);
  const named = [...dimensions, ...measures, ...segments, ...times, ...filtered];
  const views = new Set(named.map((name) => name.split(".")[0] ?? ""));
  const added = [...views]
    .flatMap((name) => model.views.get(name)?.view.defaultFilters ?? [])
    .filter(({ unless }) => !unless.some((name) => filtered.has(name)))
    .map(({ member, operator, values }) => ({ member, operator, values }));
  return added.length === 0 ? query : { ...query, filters: [...filters, ...added] };
}
