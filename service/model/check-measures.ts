// Checks how measures use each other. A measure that no query could compute is an error of the model.
import { calculatedTypes, isComposite } from "./composite-measures.ts";
import { cubeNamed, type Declarations } from "./declarations.ts";
import { type Problems, within } from "./problems.ts";
import { report } from "./check-references.ts";
import type { CompiledCube, CompiledMeasure, SqlPart, SqlTemplate } from "./types.ts";

/** A measure with the cube that declares it. */
interface OwnMeasure {
  readonly cube: string;
  readonly name: string;
  readonly measure: CompiledMeasure;
}

interface MeasureContext {
  readonly measures: ReadonlyMap<string, OwnMeasure>;
  readonly declarations: Declarations;
  readonly problems: Problems;
}

/**
 * Adds an error for each measure that mixes columns with other parts in an unsupported way, and for each subquery over
 * time shifts.
 */
export function checkMeasures(
  cubes: readonly CompiledCube[],
  declarations: Declarations,
  problems: Problems,
): void {
  const measures = new Map<string, OwnMeasure>();
  for (const { name: cube, measures: own } of cubes) {
    for (const measure of own) {
      const name = `${cube}.${measure.name}`;
      measures.set(name, { cube, name, measure });
    }
  }
  const context = { measures, declarations, problems };
  for (const one of measures.values()) {
    const reason = mixedReason(one, context);
    if (reason !== undefined) report(one.name, reason, { declarations, problems });
  }
  for (const cube of cubes) checkSubQueries(cube, context);
}

function usedIn(template: SqlTemplate, { measures }: MeasureContext): readonly OwnMeasure[] {
  const isMeasure = (part: SqlPart) =>
    typeof part !== "string" && part.kind === "member" && part.memberKind === "measure";
  return template.filter(isMeasure).flatMap((part) => {
    if (typeof part === "string" || part.kind !== "member") return [];
    return measures.get(`${part.path.at(-1) ?? ""}.${part.member}`) ?? [];
  });
}

/** Returns the reason why a calculated measure with its own columns cannot be computed; undefined if it can. */
function mixedReason({ cube, measure }: OwnMeasure, context: MeasureContext): string | undefined {
  const isMixed = calculatedTypes.has(measure.type) && !measure.stage && !isComposite(measure);
  if (!isMixed) return undefined;
  const seen = new Set<OwnMeasure>();
  const open = [...usedIn(measure.sql ?? [], context)];
  for (const one of open) {
    if (seen.has(one)) continue;
    seen.add(one);
    const kind = one.measure.stage
      ? `the multi-stage measure ${one.name}`
      : one.measure.rollingWindow !== undefined
        ? `the running measure ${one.name}`
        : undefined;
    const what = kind ?? (one.cube === cube ? undefined : `a measure of ${one.cube}`);
    if (what !== undefined) {
      return `combines columns with ${what}; use only measures and aggregates in its sql`;
    }
    // A measure with its own columns has its own error.
    if (isComposite(one.measure)) open.push(...usedIn(one.measure.sql ?? [], context));
  }
  return undefined;
}

/** A subquery has no time dimension and no filters of the query, so that nothing can change them in it. */
function checkSubQueries(cube: CompiledCube, context: MeasureContext): void {
  const { declarations, problems } = context;
  for (const { name, sql = [], subQuery } of cube.dimensions) {
    if (!subQuery) continue;
    const changing = changingMeasure(usedIn(sql, context), context);
    const declared = cubeNamed(declarations, cube.name)?.dimensions.get(name);
    if (changing === undefined || declared === undefined) continue;
    const reason = changing.measure.stage?.filter
      ? "a filter; a subquery has no filters to change"
      : "a time_shift; a subquery has no time to shift";
    problems.enter(cube.name);
    problems.add(
      within(declared.at, "name"),
      `${name} has sub_query and uses ${changing.name}, which has ${reason}`,
    );
  }
}

/** Returns a measure that changes the time or the filters of a query. */
function changingMeasure(
  used: readonly OwnMeasure[],
  context: MeasureContext,
): OwnMeasure | undefined {
  const seen = new Set<OwnMeasure>();
  const open = [...used];
  for (const one of open) {
    if (seen.has(one)) continue;
    seen.add(one);
    const { stage } = one.measure;
    if (stage && (stage.filter || stage.timeShift.length > 0)) return one;
    if (one.measure.stage || isComposite(one.measure)) {
      open.push(...usedIn(one.measure.sql ?? [], context));
    }
  }
  return undefined;
}
