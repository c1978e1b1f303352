// Compiles the members that views declare. Each computes with members that the view takes from cubes, and becomes a member of the
// first cube on the path to one of them, under a name that no query has.
import { appendTo } from "../../core/append-to.ts";
import { isComposite } from "./composite-measures.ts";
import { describe, type View } from "./declarations.ts";
import { compileFormat } from "./dimensions.ts";
import { compileStage } from "./multi-stage.ts";
import { Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveMemberPath, resolveSql, type SqlContext } from "./resolve.ts";
import type { ViewDimensionDeclaration, ViewMeasureDeclaration } from "./schema.ts";
import type { CompiledCube, CompiledDimension, CompiledMeasure, ViewMember } from "./types.ts";

/** A member that a view declares. */
export interface DeclaredViewMember {
  readonly member: ViewMember;
  /** The cube that has it. */
  readonly cube: string;
  readonly compiled:
    | { readonly dimension: CompiledDimension }
    | { readonly measure: CompiledMeasure };
}

/** Compiles the members that a view declares, and adds their errors. `members` are those that it takes from cubes. */
export function compileViewMembers(
  view: View,
  members: ReadonlyMap<string, ViewMember>,
  { problems, ...context }: Pick<SqlContext, "cube" | "declarations" | "problems">,
): readonly DeclaredViewMember[] {
  const { name } = view.value;
  const declared = [
    ...[...view.dimensions.values()].map((one) => ({ kind: "dimension" as const, ...one })),
    ...[...view.measures.values()].map((one) => ({ kind: "measure" as const, ...one })),
  ];
  const all = new Map(members);
  return declared.flatMap(({ kind, value, at }): readonly DeclaredViewMember[] => {
    if (all.has(value.name)) {
      const message = `${name} has two members named ${value.name}; use prefix, alias or excludes, or another name`;
      problems.add(within(at, "name"), message);
      return [];
    }
    const reads = new Map<string, ViewMember>();
    const scope = { ...context, problems, view: { name, members, reads } };
    const compiled =
      kind === "dimension"
        ? { dimension: compileDimension({ value, at }, scope) }
        : { measure: compileMeasure({ value, at }, { ...scope, all }) };
    const [first] = reads.values();
    const [cube] = first?.path ?? [];
    if (cube === undefined) return [];
    const refusal = [...reads.values()].find((one) => one.refusal !== undefined)?.refusal;
    const member: ViewMember = {
      ...describe(value),
      kind,
      path: [cube],
      joinPath: "",
      reads: [...reads.keys()],
      ...(refusal !== undefined && { refusal }),
      member: memberName(name, value.name),
      ...compileFormat(value, at, { problems }),
    };
    all.set(value.name, member);
    return [{ member, cube, compiled }];
  });
}

/** Returns the name of a member of a view in a cube. It is not an identifier, so it cannot equal a declared name. */
function memberName(view: string, member: string): string {
  return `${view}:${member}`;
}

type Scope = SqlContext & { readonly view: NonNullable<SqlContext["view"]> };

function compileDimension(
  { value, at }: Declared<ViewDimensionDeclaration>,
  scope: Scope,
): CompiledDimension {
  const { format, currency, type } = value;
  return {
    ...describe({ ...value, name: memberName(scope.view.name, value.name), public: false }),
    type,
    sql: valueSql({ value, at }, "dimension", scope),
    primaryKey: false,
    subQuery: false,
    granularities: [],
    isOfView: true,
    ...(format !== undefined && { format }),
    ...(currency !== undefined && { currency }),
  };
}

function compileMeasure(
  { value, at }: Declared<ViewMeasureDeclaration>,
  { all, ...scope }: Scope & { readonly all: ReadonlyMap<string, ViewMember> },
): CompiledMeasure {
  const { format, currency, type, drill_members: drill = [] } = value;
  const sql = valueSql({ value, at }, "measure", scope);
  // The SQL has its errors already.
  const { stage } = compileStage({ value, at }, sql, { ...scope, problems: new Problems() });
  const drilled = { ...scope, view: { ...scope.view, members: all, reads: new Map() } };
  return {
    ...describe({ ...value, name: memberName(scope.view.name, value.name), public: false }),
    type,
    sql,
    filters: [],
    ...(stage !== undefined && { stage }),
    drillMembers: drill.flatMap((text, index) => {
      const found = resolveMemberPath(text, within(at, "drill_members", index), drilled);
      return found ? [`${found.path.at(-1) ?? ""}.${found.member}`] : [];
    }),
    isOfView: true,
    ...(format !== undefined && { format }),
    ...(currency !== undefined && { currency }),
  };
}

/** Returns the SQL of a member. Adds an error unless it computes with members of its kind only. */
function valueSql(
  { value, at }: Declared<ViewDimensionDeclaration | ViewMeasureDeclaration>,
  kind: "dimension" | "measure",
  scope: Scope,
) {
  const { problems, view } = scope;
  const { attempts } = problems;
  const place = within(at, "sql");
  const sql = resolveSql(value.sql, place, scope);
  const parts = sql.filter((part) => typeof part !== "string");
  const isOfKind =
    kind === "measure"
      ? isComposite({ type: value.type, sql })
      : parts.every((part) => part.kind === "member" && part.memberKind === kind);
  if (problems.attempts === attempts && (parts.length === 0 || !isOfKind)) {
    const message = `${value.name} computes with ${kind}s of ${view.name}, at least one, and nothing else`;
    problems.add(place, message);
  }
  return sql;
}

/** Returns the cubes with the members that views declare. */
export function withViewMembers(
  cubes: readonly CompiledCube[],
  all: readonly DeclaredViewMember[],
): readonly CompiledCube[] {
  const byCube = new Map<string, DeclaredViewMember["compiled"][]>();
  for (const { cube, compiled } of all) appendTo(byCube, cube, compiled);
  return cubes.map((cube) => {
    const own = byCube.get(cube.name);
    if (own === undefined) return cube;
    const dimensions = own.flatMap((one) => ("dimension" in one ? [one.dimension] : []));
    const measures = own.flatMap((one) => ("measure" in one ? [one.measure] : []));
    return {
      ...cube,
      dimensions: [...cube.dimensions, ...dimensions],
      measures: [...cube.measures, ...measures],
    };
  });
}
