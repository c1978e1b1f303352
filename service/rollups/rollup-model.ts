// Derives the data model that reads the rows of a rollup in place of the tables. It has only what the rows can answer, so
// that planning any other query on it fails. Pure.
import { isComposite } from "../model/composite-measures.ts";
import type {
  AccessPolicy,
  CompiledCube,
  CompiledDimension,
  CompiledMeasure,
  CompiledModel,
  CompiledSegment,
  CompiledView,
  PolicyFilter,
  SqlPart,
  SqlTemplate,
  ViewMember,
} from "../model/types.ts";
import { isTextType } from "../query/conditions.ts";
import { leavesOf, valueType } from "../query/measures.ts";
import {
  cubeOf,
  indexModel,
  memberRef,
  type MemberRef,
  type ModelIndex,
  nameOf,
} from "../query/model-index.ts";
import { columnOf, rollupTable } from "./rollup-table.ts";
import { isAdditive, type Rollup } from "./plan-rollup.ts";

/** A rollup, and which of its measures queries can use. */
export interface RollupUse {
  readonly rollup: Rollup;
  /** Whether each group of a query is one row, so that measures need not be additive. */
  readonly isExact: boolean;
  /** Whether the tables are in a database of the same type, which computes as the one of the rows does. */
  readonly isNative: boolean;
}

/** Returns the model over the rows of a rollup. */
export function modelOverRollup(model: CompiledModel, use: RollupUse): CompiledModel {
  const index = indexModel(model);
  const { root } = use.rollup.tree;
  const { cube } = cubeOf(index, root);
  const members = storedMembers(index, use);
  const names = new Set(Object.values(members).flatMap((list) => list.map(({ name }) => name)));
  const stored: CompiledCube = {
    ...cube,
    ...members,
    table: [rollupTable],
    isQuery: false,
    joins: [],
    hierarchies: [],
    preAggregations: [],
    ...(cube.policies && {
      policies: cube.policies.map((one) => storedPolicy(one, { root, names })),
    }),
  };
  const others = model.cubes.filter(({ name }) => name !== root);
  return {
    cubes: [stored],
    views: [
      ...others.flatMap((other) => cubeAsView(other, { root, names })),
      ...model.views.flatMap((view) => viewOf(view, { root, names })),
    ],
    viewGroups: [],
  };
}

/**
 * Returns a policy over the rows of a rollup, which have the members of other cubes too: about these it does not decide, but its
 * row filters can name them.
 */
function storedPolicy(policy: AccessPolicy, on: StoredCube): AccessPolicy {
  const { members, rows } = policy;
  const others = [...on.names].filter((name) => name.includes(" "));
  return {
    ...policy,
    ...(members && { members: [...members, ...others] }),
    ...(rows && { rows: rows.map((filter) => storedFilter(filter, on)) }),
  };
}

/** Returns a row filter with the names of members in the cube of the rollup. One that it does not have fails where it is written. */
function storedFilter(filter: PolicyFilter, on: StoredCube): PolicyFilter {
  if ("and" in filter) return { and: filter.and.map((one) => storedFilter(one, on)) };
  if ("or" in filter) return { or: filter.or.map((one) => storedFilter(one, on)) };
  const member = storedName(memberRef(filter.member), on.root);
  return on.names.has(member) ? { ...filter, member: nameOf({ cube: on.root, member }) } : filter;
}

/** The name of a member in the cube of the rollup. Members of other cubes have names with spaces, which no query has. */
function storedName({ cube, member }: MemberRef, root: string): string {
  return cube === root ? member : `${cube} ${member}`;
}

function storedMembers(
  index: ModelIndex,
  use: RollupUse,
): Pick<CompiledCube, "dimensions" | "segments" | "measures"> {
  const { rollup } = use;
  const { root } = rollup.tree;
  const { dimensions, segments, times } = rollup;
  const column = (position: number): SqlTemplate => [
    { kind: "table", path: [root] },
    `.${columnOf(position)}`,
  ];
  const storedDimension = (name: string, position: number, truncatedTo?: string) => {
    const ref = memberRef(name);
    const dimension = cubeOf(index, ref.cube).dimensions.get(ref.member);
    if (dimension === undefined) return [];
    const { title, public: isPublic, type } = dimension;
    // Only what a column has: how the value is computed counts no more.
    const stored: CompiledDimension = {
      name: storedName(ref, root),
      title,
      public: isPublic,
      type,
      sql: column(position),
      primaryKey: false,
      subQuery: false,
      // SQL of a granularity reads columns that are not stored.
      granularities: dimension.granularities.filter(({ sql }) => sql === undefined),
      ...(truncatedTo !== undefined && { truncatedTo }),
    };
    return [stored];
  };
  // The columns of the query that returns the rows: dimensions, segments, times, measures.
  const firstTime = dimensions.length + segments.length;
  return {
    dimensions: [
      ...dimensions.flatMap((name, at) => storedDimension(name, at)),
      ...times.flatMap(({ dimension, granularity }, at) =>
        storedDimension(dimension, firstTime + at, granularity),
      ),
    ],
    segments: segments.flatMap((name, at): readonly CompiledSegment[] => {
      const ref = memberRef(name);
      const segment = cubeOf(index, ref.cube).segments.get(ref.member);
      const sql = column(dimensions.length + at);
      return segment ? [{ ...segment, name: storedName(ref, root), sql }] : [];
    }),
    measures: storedMeasures(index, use, column),
  };
}

function storedMeasures(
  index: ModelIndex,
  { rollup, isExact, isNative }: RollupUse,
  column: (position: number) => SqlTemplate,
): readonly CompiledMeasure[] {
  const { root } = rollup.tree;
  const first = rollup.dimensions.length + rollup.segments.length + rollup.times.length;
  const usable = rollup.measures.filter((name) => {
    const ref = memberRef(name);
    // Another database can order text otherwise.
    const isOrdered = isNative || !isTextType(valueType(index, ref));
    return isExact || (isAdditive(index, ref) && isOrdered);
  });
  const positions = new Map(rollup.measures.map((name, at) => [name, first + at]));
  const isUsable = new Set(usable);
  const aggregates = usable.flatMap((name) => {
    const ref = memberRef(name);
    const measure = cubeOf(index, ref.cube).measures.get(ref.member);
    const position = positions.get(name);
    if (measure === undefined || position === undefined) return [];
    const type = valueType(index, ref);
    return [storedMeasure(ref, measure, { root, type, column: column(position) })];
  });
  const cubes = isNative ? [...index.cubes.values()] : [];
  const derived = cubes.flatMap(({ cube, measures }) =>
    [...measures.values()].flatMap((measure) => {
      const ref = { cube: cube.name, member: measure.name };
      const isPlain = measure.filters.length === 0 && measure.rollingWindow === undefined;
      if (!isComposite(measure) || !isPlain || isUsable.has(nameOf(ref))) return [];
      const leaves = leavesOf(index, [ref]).map(nameOf);
      if (!leaves.every((leaf) => isUsable.has(leaf))) return [];
      const { title, public: isPublic, type } = measure;
      const sql = (measure.sql ?? []).map((part) => movedPart(part, root));
      const stored = { title, public: isPublic, type, sql, filters: [], drillMembers: [] };
      return [{ ...stored, name: storedName(ref, root) }];
    }),
  );
  return [...aggregates, ...derived];
}

/** Returns the aggregate of an aggregate. */
function storedMeasure(
  ref: MemberRef,
  measure: CompiledMeasure,
  {
    root,
    type,
    column,
  }: { readonly root: string; readonly type: string; readonly column: SqlTemplate },
): CompiledMeasure {
  const call = (before: string, after: string): SqlTemplate => [before, ...column, after];
  const sql =
    measure.type === "sum"
      ? call("sum(", ")")
      : measure.type === "count"
        ? // Of no rows, a count is 0.
          call("CAST(COALESCE(sum(", "), 0) AS BIGINT)")
        : measure.type === "min"
          ? call("min(", ")")
          : call("max(", ")");
  return {
    name: storedName(ref, root),
    title: measure.title,
    public: measure.public,
    type,
    sql,
    drillMembers: [],
    // A filter on rows, which measureFilter would apply, cannot be written over groups.
    filters: measure.filters.map(() => [missing(root)]),
  };
}

/** A reference to no member, which fails where it is written. */
const missing = (root: string): SqlPart => ({
  kind: "member",
  path: [root],
  member: "",
  memberKind: "dimension",
});

function movedPart(part: SqlPart, root: string): SqlPart {
  if (typeof part === "string" || part.kind !== "member") return part;
  const cube = part.path.at(-1) ?? root;
  return { ...part, path: [root], member: storedName({ cube, member: part.member }, root) };
}

interface StoredCube {
  readonly root: string;
  readonly names: ReadonlySet<string>;
}

/** Returns another cube as a view, under whose name queries find its members. */
function cubeAsView(cube: CompiledCube, { root, names }: StoredCube): readonly CompiledView[] {
  const kinds = [
    ["dimension", cube.dimensions],
    ["measure", cube.measures],
    ["segment", cube.segments],
  ] as const;
  const members = kinds.flatMap(([kind, list]) =>
    list.flatMap(({ name, title, public: isPublic }): readonly ViewMember[] => {
      const member = storedName({ cube: cube.name, member: name }, root);
      if (!names.has(member)) return [];
      const path = [root];
      return [{ name, title, public: isPublic, kind, path, joinPath: root, member }];
    }),
  );
  if (members.length === 0) return [];
  const { name, title, public: isPublic, source } = cube;
  const own = { name, title, public: isPublic, members, source };
  return [{ ...own, hierarchies: [], folders: [], defaultFilters: [] }];
}

/** Returns a view with its members in the cube of the rollup; nothing for a view that masks members. */
function viewOf(view: CompiledView, { root, names }: StoredCube): readonly CompiledView[] {
  if (view.policies?.some(({ masked }) => masked !== undefined)) return [];
  const members = view.members.flatMap(({ path, member, ...one }): readonly ViewMember[] => {
    const stored = storedName({ cube: path.at(-1) ?? "", member }, root);
    return names.has(stored) ? [{ ...one, path: [root], member: stored }] : [];
  });
  const isMember = (name: string) => members.some((one) => `${view.name}.${one.name}` === name);
  // A default filter that the rollup cannot apply would be missing in its answer.
  if (members.length === 0 || !view.defaultFilters.every(({ member }) => isMember(member)))
    return [];
  return [{ ...view, members, hierarchies: [], folders: [] }];
}
