// The dependencies of members' SQL: the joins to the cubes that it references, and the subqueries of dimensions.
import type {
  CompiledDimension,
  CompiledMeasure,
  CompiledSegment,
  SqlTemplate,
} from "../model/types.ts";
import type { JoinChain } from "./join-tree.ts";
import { cubeOf, type MemberRef, type ModelIndex, nameOf } from "./model-index.ts";

/** The parts of a FROM clause that members need. */
export interface Dependencies {
  readonly chains: readonly JoinChain[];
  /** Dimensions that are joined: those with `sub_query`, switches, and multi-stage dimensions. */
  readonly subQueries: readonly MemberRef[];
}

/** A member with the path to its cube. */
export interface PlacedMember extends MemberRef {
  readonly path: readonly string[];
}

/** Returns the dependencies of members and of everything that their SQL references. */
export function dependenciesOf(model: ModelIndex, members: readonly PlacedMember[]): Dependencies {
  const chains = new Map<string, JoinChain>();
  const subQueries = new Map<string, MemberRef>();
  const seen = new Set<string>();
  const open = [...members];
  // The loop adds members.
  for (const { cube, member, path } of open) {
    chains.set(path.join("."), path);
    const name = `${cube}.${member}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const indexed = cubeOf(model, cube);
    const dimension = indexed.dimensions.get(member);
    if (dimension?.values) subQueries.set(name, { cube, member });
    if (dimension?.subQuery) {
      subQueries.set(name, { cube, member });
      // The subquery computes its measures and joins the cubes that they need.
      open.push(...keyMembers(model, cube));
      continue;
    }
    if (dimension?.addGroupBy) {
      subQueries.set(name, { cube, member });
      open.push(...dimension.addGroupBy);
      continue;
    }
    const measure = indexed.measures.get(member);
    // Its own stage joins the cubes that its measures need.
    if (measure?.stage) continue;
    const found = dimension ?? measure ?? indexed.segments.get(member);
    if (measure?.type === "count" && measure.sql === undefined) {
      open.push(...keyMembers(model, cube));
    }
    for (const template of found ? templatesOf(found) : []) {
      const references = referencesIn(template);
      // Passing all of them as arguments could exhaust the stack.
      for (const one of references.members) open.push(one);
      for (const table of references.tables) chains.set(table.join("."), table);
    }
  }
  return { chains: [...chains.values()], subQueries: [...subQueries.values()] };
}

/** Returns the primary key of a cube. */
export function keyMembers(model: ModelIndex, cube: string): readonly PlacedMember[] {
  return cubeOf(model, cube).keys.map(({ name }) => ({ cube, member: name, path: [cube] }));
}

/** Returns the dependencies of SQL that replaces a member of the last cube of `path`. */
export function templateDependencies(
  model: ModelIndex,
  template: SqlTemplate,
  path: JoinChain,
): Dependencies {
  const { members, tables } = referencesIn(template);
  const { chains, subQueries } = dependenciesOf(model, members);
  return { chains: [path, ...tables, ...chains], subQueries };
}

/** Merges dependencies without repetitions, so that their number depends on the model instead of the query. */
export function mergeDependencies(all: readonly Dependencies[]): Dependencies {
  const chains = all.flatMap((one) => one.chains);
  const subQueries = all.flatMap((one) => one.subQueries);
  return {
    chains: [...new Map(chains.map((chain) => [chain.join("."), chain])).values()],
    subQueries: [...new Map(subQueries.map((one) => [nameOf(one), one])).values()],
  };
}

/** Returns all SQL of a member, without that of its mask. */
export function templatesOf(
  member: CompiledDimension | CompiledMeasure | CompiledSegment,
): readonly SqlTemplate[] {
  const templates: SqlTemplate[] = [];
  if (member.sql) templates.push(member.sql);
  if ("filters" in member) templates.push(...member.filters);
  if ("case" in member && member.case) {
    const { branches, otherwise } = member.case;
    const labels = [...branches.map(({ label }) => label), otherwise];
    templates.push(...branches.map(({ when }) => when));
    templates.push(...labels.filter((label) => typeof label === "object"));
  }
  if ("geo" in member && member.geo) templates.push(member.geo.latitude, member.geo.longitude);
  return templates;
}

/** The members and tables that SQL references. */
interface References {
  readonly members: readonly PlacedMember[];
  readonly tables: readonly JoinChain[];
}

/** Returns the references in SQL. */
export function referencesIn(template: SqlTemplate): References {
  const members: PlacedMember[] = [];
  const tables: JoinChain[] = [];
  for (const part of template) {
    if (typeof part === "string") continue;
    if (part.kind === "member") {
      members.push({ cube: part.path.at(-1) ?? "", member: part.member, path: part.path });
    } else if (part.kind === "table") tables.push(part.path);
    else if ("parts" in part) {
      const inner = referencesIn(part.parts);
      for (const one of inner.members) members.push(one);
      for (const one of inner.tables) tables.push(one);
    }
  }
  return { members, tables };
}
