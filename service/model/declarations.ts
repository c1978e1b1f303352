// Cubes and views with their inherited members, before references are resolved.
import { suggestion, upperFirst } from "../../core/text/naming.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { type CubeDimension, withAddresses } from "./links.ts";
import { type Place, type Problems, within } from "./problems.ts";
import type { Declared, FileDeclarations } from "./read-file.ts";
import type { DeclaredSource } from "./types.ts";
import type {
  CubeDeclaration,
  DefaultFilterDeclaration,
  HierarchyDeclaration,
  JoinDeclaration,
  MeasureDeclaration,
  PolicyDeclaration,
  PreAggregationDeclaration,
  SegmentDeclaration,
  ViewDeclaration,
  ViewDimensionDeclaration,
  ViewMeasureDeclaration,
} from "./schema.ts";

type ByName<T> = ReadonlyMap<string, Declared<T>>;

/** A cube with its inherited members, each with the place of its declaration. */
export interface Cube extends Declared<CubeDeclaration> {
  readonly dimensions: ByName<CubeDimension>;
  readonly measures: ByName<MeasureDeclaration>;
  readonly segments: ByName<SegmentDeclaration>;
  readonly hierarchies: ByName<HierarchyDeclaration>;
  readonly preAggregations: ByName<PreAggregationDeclaration>;
  readonly joins: readonly Declared<JoinDeclaration>[];
  readonly policies: readonly Declared<PolicyDeclaration>[] | undefined;
  /** The original cube, if this is a copy under the alias of a join. */
  readonly aliasOf?: string;
  /** Whether it lacks what it should inherit, so that no error about it is a cause. */
  readonly isPartial?: boolean;
}

/** A view with its inherited members. */
export interface View extends Declared<ViewDeclaration> {
  readonly cubes: readonly Declared<NonNullable<ViewDeclaration["cubes"]>[number]>[];
  readonly dimensions: ByName<ViewDimensionDeclaration>;
  readonly measures: ByName<ViewMeasureDeclaration>;
  readonly folders: readonly Declared<NonNullable<ViewDeclaration["folders"]>[number]>[];
  readonly defaultFilters: readonly Declared<DefaultFilterDeclaration>[];
  /** The names of view groups. */
  readonly groups: readonly Declared<string>[];
  readonly policies: readonly Declared<PolicyDeclaration>[] | undefined;
  readonly isPartial?: boolean;
}

/** All declarations of a data model by name. */
export interface Declarations {
  readonly cubes: ReadonlyMap<string, Cube>;
  readonly views: ReadonlyMap<string, View>;
  /** Cubes under the aliases of joins, by {@link aliasedName}. */
  readonly aliased: ReadonlyMap<string, Cube>;
  /** The names of the members of views that have no errors; undefined until views are compiled. */
  readonly viewMembers?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What references in SQL texts mean before they name a cube. */
const contextNames: ReadonlySet<string> = new Set([
  "CUBE",
  "TABLE",
  "FILTER_PARAMS",
  "FILTER_GROUP",
  "SECURITY_CONTEXT",
  "COMPILE_CONTEXT",
  "SQL_UTILS",
]);

/** Returns the declarations of all files, with inheritance applied. */
export function collectDeclarations(
  files: readonly FileDeclarations[],
  problems: Problems,
): Declarations {
  const first = new Map<string, string>();
  const unique = <T extends { name: string }>(all: readonly Declared<T>[]) =>
    all.filter(({ value: { name }, at }) => {
      const other = first.get(name);
      if (other === undefined) first.set(name, at.file.path);
      else
        problems.add(
          within(at, "name"),
          `${name} is already declared in ${other}; cubes and views share one set of names`,
        );
      return other === undefined;
    });
  const cubes = unique(files.flatMap((file) => file.cubes));
  const views = unique(files.flatMap((file) => file.views));
  for (const { value, at } of [...cubes, ...views]) {
    if (!contextNames.has(value.name)) continue;
    problems.add(
      within(at, "name"),
      `${value.name} is a name of SQL texts, where it stands for something else; choose another`,
    );
  }
  const inherited = inherit(
    cubes.map((cube) => ownCube(cube, problems)),
    mergeCubes,
    { what: "cube", problems },
  );
  const all = new Map([...inherited].map(([name, cube]) => [name, withAddresses(cube, problems)]));
  for (const cube of all.values()) checkInheritedNames(cube, problems);
  problems.enter("");
  return {
    cubes: all,
    aliased: aliasedCubes(all, problems),
    views: inherit(
      views.map((view) => ownView(view, problems)),
      mergeViews,
      { what: "view", problems },
    ),
  };
}

/** Returns the name of a cube under the alias of a join. It is not an identifier, so no cube can have it. */
function aliasedName({ value, aliasOf }: Cube, alias: string): string {
  return `${aliasOf ?? value.name} ${alias}`;
}

/**
 * Returns a cube for each alias of a join: a query reads it in addition to the cube that it copies. Aliases in the copy
 * refer to the same cubes as in the original, so that a cube that joins itself has only one copy.
 */
function aliasedCubes(
  cubes: ReadonlyMap<string, Cube>,
  problems: Problems,
): ReadonlyMap<string, Cube> {
  const found = new Map<string, Cube>();
  let members = 0;
  for (const cube of cubes.values()) {
    for (const { value, at } of cube.joins) {
      const target = cubes.get(value.name);
      if (value.alias === undefined || target === undefined) continue;
      const { dimensions, measures, segments } = target;
      members += dimensions.size + measures.size + segments.size;
      if (members > limits.modelAliasedMembers) {
        const message = `the aliases of joins repeat more than ${limits.modelAliasedMembers} members; declare fewer`;
        problems.add(within(at, "alias"), message);
        return found;
      }
      const name = aliasedName(cube, value.alias);
      found.set(name, {
        ...target,
        at: within(at, "alias"),
        value: { ...target.value, name, title: target.value.title ?? humanize(value.name) },
        aliasOf: value.name,
        preAggregations: new Map(),
      });
    }
  }
  return found;
}

/** Returns the cube that a join of `cube` leads to; undefined if there is none. */
export function joinTarget(
  declarations: Declarations,
  cube: Cube,
  { name, alias }: Pick<JoinDeclaration, "name" | "alias">,
): Cube | undefined {
  return alias === undefined
    ? declarations.cubes.get(name)
    : declarations.aliased.get(aliasedName(cube, alias));
}

/** Returns a cube by its name or by the alias of a join. */
export function cubeNamed({ cubes, aliased }: Declarations, name: string): Cube | undefined {
  return cubes.get(name) ?? aliased.get(name);
}

/** Checks inherited names, because members of all kinds share one namespace. */
function checkInheritedNames(cube: Cube, problems: Problems): void {
  problems.enter(cube.value.name);
  const taken = new Map<string, string>();
  const { dimensions, measures, segments, hierarchies, preAggregations } = cube;
  const lists = { dimensions, measures, segments, hierarchies, pre_aggregations: preAggregations };
  for (const [list, members] of Object.entries(lists)) {
    for (const [name, { at }] of members) {
      const other = taken.get(name);
      if (other !== undefined) {
        problems.add(
          within(at, "name"),
          `${cube.value.name}.${name} is already declared under ${other}`,
        );
      }
      taken.set(name, list);
    }
  }
}

/** Returns a function that returns a list of members by name. Members of all lists share one namespace. */
function namedLists({ value, at }: Declared<{ readonly name: string }>, problems: Problems) {
  const taken = new Map<string, string>();
  return <T extends { name: string }>(name: string, list: readonly T[] | undefined): ByName<T> => {
    const found = new Map<string, Declared<T>>();
    for (const item of itemsOf(at, name, list)) {
      const other = taken.get(item.value.name);
      if (other !== undefined) {
        problems.add(
          within(item.at, "name"),
          `${value.name}.${item.value.name} is already declared under ${other}`,
        );
        continue;
      }
      taken.set(item.value.name, name);
      found.set(item.value.name, item);
    }
    return found;
  };
}

function ownCube(declared: Declared<CubeDeclaration>, problems: Problems): Cube {
  const { value, at } = declared;
  const named = namedLists(declared, problems);
  return {
    ...declared,
    dimensions: named("dimensions", value.dimensions),
    measures: named("measures", value.measures),
    segments: named("segments", value.segments),
    hierarchies: named("hierarchies", value.hierarchies),
    preAggregations: named("pre_aggregations", value.pre_aggregations),
    joins: itemsOf(at, "joins", value.joins),
    policies: value.access_policy && itemsOf(at, "access_policy", value.access_policy),
  };
}

function ownView(declared: Declared<ViewDeclaration>, problems: Problems): View {
  const { value, at } = declared;
  const named = namedLists(declared, problems);
  return {
    ...declared,
    cubes: itemsOf(at, "cubes", value.cubes),
    dimensions: named("dimensions", value.dimensions),
    measures: named("measures", value.measures),
    folders: itemsOf(at, "folders", value.folders),
    defaultFilters: itemsOf(at, "default_filters", value.default_filters),
    groups: [
      ...(value.view_group === undefined
        ? []
        : [{ value: value.view_group, at: within(at, "view_group") }]),
      ...itemsOf(at, "view_groups", value.view_groups),
    ],
    policies: value.access_policy && itemsOf(at, "access_policy", value.access_policy),
  };
}

function itemsOf<T>(at: Place, name: string, list: readonly T[] | undefined): Declared<T>[] {
  return (list ?? []).map((item, index) => ({ value: item, at: within(at, name, index) }));
}

interface Inheritable extends Declared<{ readonly name: string; readonly extends?: string }> {
  readonly isPartial?: boolean;
}

/** Applies `extends`. A missing parent or a cycle is an error, and the child inherits nothing. */
function inherit<T extends Inheritable>(
  own: readonly T[],
  merge: (parent: T, child: T) => T,
  { what, problems }: { what: string; problems: Problems },
): ReadonlyMap<string, T> {
  const byName = new Map(own.map((one) => [one.value.name, one]));
  const done = new Map<string, T>();
  for (const start of own) {
    // Iterates instead of recursing, so that long chains cannot exhaust the stack.
    const chain: T[] = [];
    for (let next: T | undefined = start; next; next = parentOf(next, byName, { what, problems })) {
      if (done.has(next.value.name)) break;
      if (chain.includes(next)) {
        const names = [...chain.slice(chain.indexOf(next)), next].map(({ value }) => value.name);
        problems.add(
          within(next.at, "extends"),
          `${what}s extend each other in a cycle: ${names.join(", ")}`,
        );
        break;
      }
      chain.push(next);
    }
    for (const one of chain.toReversed()) {
      const { name, extends: from } = one.value;
      const parent = from === undefined ? undefined : done.get(from);
      const isPartial = from !== undefined && parent?.isPartial !== false;
      done.set(name, { ...(parent === undefined ? one : merge(parent, one)), isPartial });
    }
  }
  return new Map(own.map(({ value: { name } }) => [name, done.get(name) as T]));
}

function parentOf<T extends Inheritable>(
  one: T,
  byName: ReadonlyMap<string, T>,
  { what, problems }: { what: string; problems: Problems },
): T | undefined {
  const name = one.value.extends;
  if (name === undefined) return undefined;
  const parent = byName.get(name);
  if (parent === undefined) {
    const hint = suggestion(name, byName.keys());
    problems.addMissing(within(one.at, "extends"), `there is no ${what} ${name} to extend${hint}`);
  }
  return parent;
}

function mergeCubes(parent: Cube, child: Cube): Cube {
  const hides = child.value.sql !== undefined || child.value.sql_table !== undefined;
  const inherited = { ...parent.value };
  if (hides) {
    delete inherited.sql;
    delete inherited.sql_table;
  }
  const both = <T>(from: ByName<T>, own: ByName<T>): ByName<T> => new Map([...from, ...own]);
  // The cube's own join replaces an inherited join to the same cube with the same alias.
  const joinKey = ({ value }: Declared<JoinDeclaration>) => `${value.name} ${value.alias ?? ""}`;
  const joins = new Map([...parent.joins, ...child.joins].map((join) => [joinKey(join), join]));
  return {
    at: child.at,
    value: { ...inherited, ...child.value },
    dimensions: both(parent.dimensions, child.dimensions),
    measures: both(parent.measures, child.measures),
    segments: both(parent.segments, child.segments),
    hierarchies: both(parent.hierarchies, child.hierarchies),
    preAggregations: both(parent.preAggregations, child.preAggregations),
    joins: [...joins.values()],
    policies: bothLists(parent.policies, child.policies),
  };
}

function mergeViews(parent: View, child: View): View {
  return {
    at: child.at,
    value: { ...parent.value, ...child.value },
    cubes: [...parent.cubes, ...child.cubes],
    dimensions: new Map([...parent.dimensions, ...child.dimensions]),
    measures: new Map([...parent.measures, ...child.measures]),
    folders: [...parent.folders, ...child.folders],
    defaultFilters: [...parent.defaultFilters, ...child.defaultFilters],
    groups: child.groups.length > 0 ? child.groups : parent.groups,
    policies: bothLists(parent.policies, child.policies),
  };
}

function bothLists<T>(
  from: readonly T[] | undefined,
  own: readonly T[] | undefined,
): readonly T[] | undefined {
  return from === undefined && own === undefined ? undefined : [...(from ?? []), ...(own ?? [])];
}

/** Returns the name, title and visibility of a declared cube, view or member. */
export function describe(value: {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly public?: boolean;
  readonly shown?: boolean;
  readonly meta?: unknown;
}) {
  return {
    name: value.name,
    title: value.title ?? humanize(value.name),
    ...(value.description !== undefined && { description: value.description }),
    public: value.public ?? value.shown ?? true,
    ...(value.meta !== undefined && { meta: value.meta as JsonObject }),
  };
}

/** Returns the source of a cube or view: its file and its declaration. */
export function declaredSource({ value, at }: Declared<DeclaredText>): DeclaredSource {
  const sql = value.sql ?? value.sql_table;
  return {
    fileName: at.file.path,
    ...(value.extends !== undefined && { extends: value.extends }),
    ...(sql !== undefined && { sql }),
  };
}

interface DeclaredText {
  readonly extends?: string;
  readonly sql?: string;
  readonly sql_table?: string;
}

/** Returns a name in words: `order_items` -> `Order Items`, `user_id` -> `User ID`. */
export function humanize(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[_\s]+/)
    .filter((word) => word !== "")
    .map((word) => (/^id$/i.test(word) ? "ID" : upperFirst(word)))
    .join(" ");
}
