// Resolves references in SQL to cubes and members.
import { suggestion } from "../../core/text/naming.ts";
import { isCalendarUnit } from "../../core/text/calendar-units.ts";
import type { Cube, Declarations } from "./declarations.ts";
import { sqlTextProblem } from "./check-sql-text.ts";
import { cubeNamed, joinTarget } from "./declarations.ts";
import { parseSql, type RawPart } from "./parse-sql.ts";
import type { Place, Problems } from "./problems.ts";
import type { JoinDeclaration } from "./schema.ts";
import type { MemberKind, SqlPart, SqlTemplate, ViewMember } from "./types.ts";

/** The context of SQL: its cube, and whether a reference may name another cube as a table. */
export interface SqlContext {
  readonly cube: Cube;
  readonly declarations: Declarations;
  readonly problems: Problems;
  /** Set for the SQL of a join, which may name the tables of its two cubes only. */
  readonly join?: Pick<JoinDeclaration, "name" | "alias">;
  /** Whether a column follows the reference. */
  readonly isColumn?: boolean;
  /** Set for SQL that stands alone, so that it cannot name the tables of other cubes. */
  readonly isAlone?: true;
  /** Set for SQL of a view, which names its members only. */
  readonly view?: ViewScope;
}

/** The members that SQL of a view can name. */
interface ViewScope {
  readonly name: string;
  readonly members: ReadonlyMap<string, ViewMember>;
  /** Those that it names. */
  readonly reads: Map<string, ViewMember>;
}

/** A resolved name, or the reason why it cannot be resolved. */
type Resolved =
  | { readonly part: Exclude<SqlPart, string> }
  | {
      readonly error: string;
      /** Whether the name may be one of a declaration that could not be read. */
      readonly isMissing?: boolean;
      /** Whether another error names the cause. */
      readonly isReported?: boolean | undefined;
    };

/** Returns SQL with its references resolved. Adds an error at `at` for each reference that cannot be resolved. */
export function resolveSql(text: string, at: Place, context: SqlContext): SqlTemplate {
  const parsed = parseSql(text);
  if ("error" in parsed) {
    context.problems.add(at, parsed.error);
    return [];
  }
  const plain = parsed.parts.map((part) => (typeof part === "string" ? part : "x")).join("");
  const problem = sqlTextProblem(plain);
  if (problem !== undefined) context.problems.add(at, problem);
  return resolveParts(parsed.parts, at, context);
}

/** Returns SQL that reads rows, with its references resolved. A measure has no value in a row, so it is an error. */
export function resolveRowSql(text: string, at: Place, context: SqlContext): SqlTemplate {
  const resolved = resolveSql(text, at, context);
  const measure = findMeasure(resolved);
  if (measure) {
    const [own, ...path] = measure.path;
    const shown = [...(path.length === 0 && own !== undefined ? [] : path), measure.member];
    context.problems.add(
      at,
      `{${shown.join(".")}} is a measure, and this SQL reads rows; use a dimension with sub_query: true`,
    );
  }
  return resolved;
}

type MemberPart = Extract<SqlPart, { kind: "member" }>;

function findMeasure(template: SqlTemplate): MemberPart | undefined {
  for (const part of template) {
    if (typeof part === "string") continue;
    if (part.kind === "member" && part.memberKind === "measure") return part;
    const inner = "parts" in part ? findMeasure(part.parts) : undefined;
    if (inner) return inner;
  }
  return undefined;
}

function resolveParts(parts: readonly RawPart[], at: Place, context: SqlContext): SqlTemplate {
  return parts.flatMap((part, index): SqlPart[] => {
    if (typeof part === "string") return [part];
    const next = parts[index + 1];
    const isColumn = typeof next === "string" && /^\s*\.\s*\S/u.test(next);
    const resolved = resolvePart(part, at, { ...context, isColumn });
    if ("part" in resolved) return [resolved.part];
    report(resolved, at, context);
    return [];
  });
}

function report(
  { error, isMissing, isReported }: Extract<Resolved, { error: string }>,
  at: Place,
  { problems }: SqlContext,
) {
  if (isReported) problems.skip();
  else if (isMissing) problems.addMissing(at, error);
  else problems.add(at, error);
}

function resolvePart(part: Exclude<RawPart, string>, at: Place, context: SqlContext): Resolved {
  switch (part.kind) {
    case "name": {
      const resolved = resolveName(part.names, context);
      const error =
        "part" in resolved && resolved.part.kind === "member"
          ? stageReason(resolved.part, context.declarations)
          : undefined;
      return error === undefined ? resolved : { error };
    }
    case "sql":
      return context.declarations.cubes.has(part.cube)
        ? { part: { kind: "sql", cube: part.cube } }
        : { error: noCube(part.cube, context), isMissing: true };
    case "filter_params":
      return resolveFilterParams(part, resolveParts(part.parts, at, context), context);
    case "filter_value":
      return { part: { kind: "filter_value", index: part.index } };
    case "filter_group":
      return { part: { kind: "filter_group", parts: resolveParts(part.parts, at, context) } };
    case "security_context": {
      const { path, required } = part;
      const parts = resolveParts(part.parts, at, context);
      if (!required) context.problems.warn(at, "open-filter", openFilter(path));
      return { part: { kind: "security_context", path, parts, required } };
    }
    case "convert_tz":
      return { part: { kind: "convert_tz", parts: resolveParts(part.parts, at, context) } };
  }
}

/** Returns the reason why a member has no value in a row, or in the groups of another member; undefined if it has one. */
export function stageReason(
  { path, member }: Pick<MemberPart, "path" | "member">,
  declarations: Declarations,
): string | undefined {
  const declared = cubeNamed(declarations, path.at(-1) ?? "")?.dimensions.get(member)?.value;
  if (declared?.multi_stage !== true) return undefined;
  return `${member} is a multi-stage dimension, which has a value only in the groups of a query`;
}

function openFilter(path: readonly string[]): string {
  const name = `SECURITY_CONTEXT.${path.join(".")}`;
  return `${name}.filter opens every row to a caller without the value; write ${name}.requiredFilter, which refuses the query`;
}

function noCube(name: string, { declarations }: SqlContext): string {
  return `there is no cube ${name}${suggestion(name, declarations.cubes.keys())}`;
}

function resolveFilterParams(
  { cube, member, values }: Extract<RawPart, { kind: "filter_params" }>,
  parts: SqlTemplate,
  context: SqlContext,
): Resolved {
  const filter = {
    kind: "filter_params",
    member,
    parts,
    ...(values !== undefined && { values }),
  } as const;
  const owner = isOwnName(cube, context.cube) ? context.cube : context.declarations.cubes.get(cube);
  // A view's member can be filtered too.
  if (owner === undefined && context.declarations.views.has(cube)) {
    const members = context.declarations.viewMembers?.get(cube);
    if (members?.has(member) === false) {
      return { error: `${cube} has no member ${member}${suggestion(member, members)}` };
    }
    return { part: { ...filter, cube } };
  }
  if (owner === undefined) return { error: noCube(cube, context), isMissing: true };
  if (memberKindOf(owner, member) === undefined)
    return { error: noMember(owner, member), isReported: owner.isPartial };
  return { part: { ...filter, cube: owner.value.name } };
}

/** Returns whether a name in the SQL of a cube means the cube itself, including under an alias. */
function isOwnName(name: string, { value, aliasOf }: Cube): boolean {
  return name === "CUBE" || name === "TABLE" || name === value.name || name === aliasOf;
}

/** Resolves `a.b.c`. A cube's name wins over a member's at the start of the path; elsewhere the member's name wins. */
export function resolveName(names: readonly string[], context: SqlContext): Resolved {
  const { cube, declarations, join, view } = context;
  if (view) return resolveInView(names, view, declarations);
  const [first = "", ...rest] = names;
  const isOwn = isOwnName(first, cube);
  // In the SQL of a join, the name of its cube means the cube under the alias.
  const isJoined = join !== undefined && !isOwn && [join.alias, join.name].includes(first);
  const joined = isJoined ? joinTarget(declarations, cube, join) : undefined;
  const owner = isOwn ? cube : (joined ?? declarations.cubes.get(first));
  if (owner === undefined) {
    if (memberKindOf(cube, first) !== undefined)
      return resolveMembers(names, { path: [cube], context });
    const aliased = cube.joins.find(({ value }) => value.alias === first);
    const target = aliased && joinTarget(declarations, cube, aliased.value);
    if (target && rest.length === 0) return tableOf(target, first, context);
    if (target) return resolveMembers(rest, { path: [cube, target], context });
    const hint =
      first === "COMPILE_CONTEXT"
        ? `; write {{ ${names.join(".")} }}`
        : suggestion(first, [...memberNames(cube), ...declarations.cubes.keys()]);
    return {
      error: `{${names.join(".")}} is neither a member of ${cube.value.name} nor a cube${hint}`,
      // A single name means a member, unless a column follows.
      isMissing: rest.length > 0 || context.isColumn === true,
      // The join to what is not a cube has an error.
      isReported: cube.joins.some(({ value }) => [value.name, value.alias].includes(first)),
    };
  }
  if (rest.length === 0) return tableOf(owner, first, context);
  return resolveMembers(rest, { path: isOwn ? [cube] : [cube, owner], context });
}

/** Resolves `member`, `CUBE.member` or `view.member`, and a granularity of it. */
function resolveInView(
  names: readonly string[],
  { name, members, reads }: ViewScope,
  declarations: Declarations,
): Resolved {
  const [prefix = "", ...others] = names;
  const isPrefix = others.length > 0 && [name, "CUBE", "TABLE"].includes(prefix);
  const [own = "", ...rest] = isPrefix ? others : names;
  const member = members.get(own);
  if (member === undefined) {
    const text = `{${names.join(".")}}`;
    const hint = suggestion(own, members.keys());
    return { error: `${text} is no member that ${name} takes from a cube${hint}` };
  }
  reads.set(own, member);
  const { path, member: source, kind: memberKind } = member;
  const target = { kind: "member", path, member: source, memberKind } as const;
  const owner = cubeNamed(declarations, path.at(-1) ?? "");
  if (rest.length === 0 || owner === undefined) return { part: target };
  return resolveGranularity({ owner, name: source, rest }, target);
}

/** Resolves a name of a whole cube: its table, of which SQL names a column. */
function tableOf(owner: Cube, name: string, context: SqlContext): Resolved {
  const { cube, join, isAlone, isColumn, declarations } = context;
  const table = (path: readonly string[]): Resolved => ({ part: { kind: "table", path } });
  if (owner === cube) return table([cube.value.name]);
  const isJoined = join ? owner === joinTarget(declarations, cube, join) : isAlone !== true;
  if (!isJoined) return { error: `{${name}} is another cube, which this SQL does not join` };
  if (join === undefined && isColumn === false)
    return { error: `{${name}} is another cube; write {${name}.member} or {${name}}.column` };
  return table([cube.value.name, owner.value.name]);
}

interface PathSoFar {
  readonly path: readonly Cube[];
  readonly context: SqlContext;
}

function resolveMembers(names: readonly string[], { path, context }: PathSoFar): Resolved {
  const owner = path.at(-1) ?? context.cube;
  const [name = "", ...rest] = names;
  const memberKind = memberKindOf(owner, name);
  if (memberKind !== undefined) {
    const target = {
      kind: "member",
      path: path.map(({ value }) => value.name),
      member: name,
      memberKind,
    } as const;
    if (rest.length === 0) return { part: target };
    return resolveGranularity({ owner, name, rest }, target);
  }
  const joined = owner.joins.find(({ value }) => (value.alias ?? value.name) === name);
  const target = joined && joinTarget(context.declarations, owner, joined.value);
  if (target && rest.length > 0) {
    return resolveMembers(rest, { path: [...path, target], context });
  }
  if (target === undefined && rest.length > 0 && context.declarations.cubes.has(name)) {
    return { error: `${owner.value.name} has no join to ${name}` };
  }
  return { error: noMember(owner, name), isReported: owner.isPartial };
}

function resolveGranularity(
  { owner, name, rest }: { owner: Cube; name: string; rest: readonly string[] },
  target: Extract<SqlPart, { kind: "member" }>,
): Resolved {
  const dimension = owner.dimensions.get(name)?.value;
  const [granularity = ""] = rest;
  const full = `${owner.value.name}.${name}`;
  if (rest.length > 1 || dimension?.type !== "time") {
    return { error: `${full} has no ${rest.join(".")}: it is not a time dimension` };
  }
  const own = dimension.granularities?.some((one) => one.name === granularity) ?? false;
  if (!own && !isCalendarUnit(granularity)) {
    return { error: `${full} has no granularity ${granularity}` };
  }
  return { part: { ...target, granularity } };
}

/** Returns the kind of a cube's member; undefined if no member has this name. */
export function memberKindOf(cube: Cube, name: string): MemberKind | undefined {
  if (cube.dimensions.has(name)) return "dimension";
  if (cube.measures.has(name)) return "measure";
  return cube.segments.has(name) ? "segment" : undefined;
}

/** Returns the error for a missing member. */
export function noMember(cube: Cube, name: string): string {
  return `${cube.value.name} has no member ${name}${suggestion(name, memberNames(cube))}`;
}

/** Returns the names of the dimensions, measures and segments of a cube. */
export function memberNames(cube: Cube): readonly string[] {
  return [cube.dimensions, cube.measures, cube.segments].flatMap((all) => [...all.keys()]);
}

/** Resolves an unbraced reference, as in `drill_members` and `levels`: `name`, `CUBE.name` or `cube.name`. */
export function resolveMemberPath(
  text: string,
  at: Place,
  context: SqlContext,
): Extract<SqlPart, { kind: "member" }> | undefined {
  const names = text.split(".");
  const isPath = names.every((name) => /^[A-Za-z_]\w*$/.test(name));
  const resolved = isPath
    ? resolveName(names, context)
    : {
        error: `${JSON.stringify(text)} is not a member; write member or cube.member, without braces`,
      };
  if ("part" in resolved && resolved.part.kind === "member") return resolved.part;
  if ("error" in resolved) report(resolved, at, context);
  else context.problems.add(at, `${text} is a cube; name one of its members`);
  return undefined;
}
