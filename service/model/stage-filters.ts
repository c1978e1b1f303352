// Compiles the key `filter` of multi-stage measures: which filters apply to the measures that they use.
import { declaredValidator } from "../../core/schema/validate.ts";
import { cubeNamed } from "./declarations.ts";
import { type Place, within } from "./problems.ts";
import { resolveMemberPath, type SqlContext, stageReason } from "./resolve.ts";
import { nestedSchemas, type RowFilterDeclaration, type StageFilterDeclaration } from "./schema.ts";
import type { DimensionPath, IncludedFilter, StageFilter } from "./types.ts";

/** Nesting of `and` and `or` in a filter. */
const filterDepth = 10;

const validateFilter = declaredValidator(nestedSchemas.filter);

/** Compiles a filter and adds its errors. */
export function compileStageFilter(
  { mode, exclude, keep_only: keepOnly, include = [] }: StageFilterDeclaration,
  at: Place,
  context: SqlContext,
): StageFilter {
  const names = (list: readonly string[], key: string) =>
    list.flatMap((text, index) => {
      const place = within(at, key, index);
      const found = resolveMemberPath(text, place, context);
      if (found === undefined) return [];
      if (found.memberKind !== "measure") return [`${found.path.at(-1) ?? ""}.${found.member}`];
      context.problems.add(place, `${text} is a measure; name a dimension or segment`);
      return [];
    });
  const members: DimensionPath[] = [];
  const included = include.flatMap((value, index) =>
    compileIncluded(value, within(at, "include", index), { context, members, depth: 0 }),
  );
  return {
    isFixed: mode === "fixed",
    ...(keepOnly && { keepOnly: names(keepOnly, "keep_only") }),
    exclude: names(exclude ?? [], "exclude"),
    include: included,
    members,
  };
}

interface IncludeContext {
  readonly context: SqlContext;
  /** Collects the dimensions that the filters name. */
  readonly members: DimensionPath[];
  readonly depth: number;
}

function compileIncluded(
  value: unknown,
  at: Place,
  { context, members, depth }: IncludeContext,
): readonly IncludedFilter[] {
  const { problems } = context;
  const errors = validateFilter(value);
  for (const { path, message } of errors)
    problems.add({ ...at, pointer: `${at.pointer}${path}` }, `the filter ${message}`);
  if (errors.length > 0) return [];
  const filter = value as RowFilterDeclaration;
  const forms = (["member", "and", "or"] as const).filter((key) => filter[key] !== undefined);
  const [form] = forms;
  if (form === undefined || forms.length > 1) {
    problems.add(at, "a filter needs exactly one of member, and, or");
    return [];
  }
  if (form !== "member") {
    if (depth >= filterDepth) problems.add(at, `filters nest deeper than ${filterDepth} levels`);
    if (depth >= filterDepth) return [];
    const inner = (filter[form] ?? []).flatMap((one, index) =>
      compileIncluded(one, within(at, form, index), { context, members, depth: depth + 1 }),
    );
    return [form === "and" ? { and: inner } : { or: inner }];
  }
  const { operator, values = [] } = filter;
  const needsValues = operator !== "set" && operator !== "notSet";
  if (operator === undefined || operator === "measureFilter")
    problems.add(at, "a filter needs an operator, which is not measureFilter");
  else if (needsValues !== values.length > 0)
    problems.add(at, `a filter with ${operator} ${needsValues ? "needs" : "has no"} values`);
  if (values.some((one) => typeof one === "string" && /^\{.*\}$/s.test(one)))
    problems.add(within(at, "values"), "a filter of a measure has literal values");
  const dimension = includedDimension(filter.member ?? "", within(at, "member"), context);
  if (dimension === undefined || operator === undefined) return [];
  members.push(dimension);
  const texts = values.map((one) => (one === null ? null : String(one)));
  return [{ member: `${dimension.cube}.${dimension.member}`, operator, values: texts }];
}

function includedDimension(
  text: string,
  at: Place,
  context: SqlContext,
): DimensionPath | undefined {
  const found = resolveMemberPath(text, at, context);
  if (found === undefined) return undefined;
  const { path, member, memberKind } = found;
  const cube = path.at(-1) ?? "";
  if (memberKind !== "dimension")
    context.problems.add(at, `${text} is a ${memberKind}; name a dimension`);
  const reason = stageReason(found, context.declarations);
  if (reason !== undefined) context.problems.add(at, reason);
  return cubeNamed(context.declarations, cube)?.dimensions.has(member) === true
    ? { cube, member, path }
    : undefined;
}
