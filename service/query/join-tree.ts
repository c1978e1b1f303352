// Joins each cube of a query once, by the shortest declared path. An ambiguous path is an error.
import { appendTo } from "../../core/append-to.ts";
import { Failure } from "../../core/errors.ts";
import type { CompiledJoin, SqlPart, SqlTemplate } from "../model/types.ts";
import { cubeOf, type ModelIndex } from "./model-index.ts";
import { columnOf, comparesColumns, comparisonsOf } from "./template-columns.ts";

/** A join of a tree. */
export interface JoinEdge {
  readonly from: string;
  readonly join: CompiledJoin;
}

/** Cubes joined from a root. The edge of a cube comes after the edge of its parent. */
export interface JoinTree {
  readonly root: string;
  readonly edges: readonly JoinEdge[];
}

/** Returns the cubes of a tree, the root first. */
export function cubesOf({ root, edges }: JoinTree): readonly string[] {
  return [root, ...edges.map(({ join }) => join.cube)];
}

/** Cubes that are joined one after the other, each by the shortest path from the one before. */
export type JoinChain = readonly string[];

/** The start of joins. */
interface JoinStart {
  /** The cube from which all joins start. */
  readonly root?: string | undefined;
  /** The cube from which joins start if it reaches all others. */
  readonly preferred?: string | undefined;
}

/** Returns the tree with the fewest joins that contains all chains; of several, the one whose root comes first. */
export function buildJoinTree(
  model: ModelIndex,
  chains: readonly JoinChain[],
  { root, preferred }: JoinStart = {},
): JoinTree {
  const known = preferred === undefined ? [] : [preferred];
  const roots = root === undefined ? [...new Set([...known, ...chains.flat()])] : [root];
  let best: JoinTree | undefined;
  let refusal: Failure | undefined;
  const joined = new Set(chains.flatMap((chain) => chain.slice(1)));
  const starts = chains.flatMap((chain) => chain.slice(0, 1)).filter((cube) => !joined.has(cube));
  for (const candidate of roots) {
    const tree = attempt(() => treeFrom(model, candidate, chains));
    if (candidate === preferred) {
      if (tree instanceof Failure) throw tree;
      if (tree) return tree;
    }
    if (tree instanceof Failure) refusal ??= tree;
    else if (tree && (best === undefined || tree.edges.length < best.edges.length)) {
      // Another root does not resolve an ambiguity by a detour between cubes that no chain joins.
      if (refusal === undefined || joinsByShortest(model, tree, [...new Set(starts)])) best = tree;
    }
  }
  if (best) return best;
  if (refusal) throw refusal;
  const names = [...new Set(chains.flat())].map((name) => `'${name}'`);
  throw new Failure("invalid", `Can't find join path to join ${names.join(", ")}`);
}

function attempt<T>(build: () => T): T | Failure {
  try {
    return build();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Returns the tree from a root; undefined if a cube cannot be reached. */
function treeFrom(
  model: ModelIndex,
  root: string,
  chains: readonly JoinChain[],
): JoinTree | undefined {
  const edges = new Map<string, JoinEdge>();
  for (const chain of chains) {
    // A chain that starts below the root continues the path to its first cube.
    const first = chain[0] ?? root;
    const isPlaced = first === root || edges.has(first);
    const steps = isPlaced ? chain : [root, ...chain];
    for (const [index, to] of steps.entries()) {
      const from = steps[index - 1];
      if (from === undefined) continue;
      if (from === to) throw repeatedCube(`'${to}' joins itself`, to);
      const path = shortestPath(model, from, to);
      const over = edgesOver(edges, from, to);
      if (over !== undefined) {
        if (path === undefined || isInverse(model, over, path)) continue;
        throw otherJoin(from, to);
      }
      if (path === undefined) return undefined;
      if (!isPlaced && index === 1 && hasShorter(model, to, from, path.length)) {
        throw otherJoin(from, to);
      }
      for (const edge of path) addEdge(edges, root, edge);
    }
  }
  return { root, edges: sortEdges(root, [...edges.values()]) };
}

/**
 * Returns the edges from `from` up to `to` if the joins to `from` lead over `to`: then a member of `from` can reference one of
 * `to` in either direction.
 */
function edgesOver(
  edges: ReadonlyMap<string, JoinEdge>,
  from: string,
  to: string,
): readonly JoinEdge[] | undefined {
  const over: JoinEdge[] = [];
  for (let edge = edges.get(from); edge; edge = edges.get(edge.from)) {
    over.push(edge);
    if (edge.from === to) return over;
  }
  return undefined;
}

/** Returns whether the joins up to a cube are those of the declared path to it, in the other direction. */
function isInverse(
  model: ModelIndex,
  over: readonly JoinEdge[],
  path: readonly JoinEdge[],
): boolean {
  if (over.length !== path.length) return false;
  return over.every((edge, index) => {
    const declared = path[index];
    return (
      edge.from === declared?.join.cube &&
      conditionKey(model, edge.join.sql) === conditionKey(model, declared.join.sql)
    );
  });
}

/** Returns a text that is the same for conditions that compare the same columns, in either order. */
function conditionKey(model: ModelIndex, condition: SqlTemplate): string {
  const textOf = (template: SqlTemplate) =>
    template
      .map((part) => referenceKey(model, part))
      .join("")
      .trim();
  if (!comparesColumns(condition) || textOf(condition).includes("'")) return textOf(condition);
  return comparisonsOf(condition)
    .map((sides) => sides.map(textOf).toSorted().join(" = "))
    .toSorted()
    .join(" AND ");
}

function referenceKey(model: ModelIndex, part: SqlPart): string {
  if (typeof part === "string") return part;
  if (part.kind === "table") return part.path.at(-1) ?? "";
  if (part.kind !== "member") return JSON.stringify(part);
  const cube = part.path.at(-1) ?? "";
  const column = columnOf(cubeOf(model, cube).dimensions.get(part.member)?.sql ?? []);
  return column === undefined ? JSON.stringify(part) : `${cube}.${column}`;
}

/** Returns whether a tree joins each two of some cubes by the shortest path between them. */
function joinsByShortest(
  model: ModelIndex,
  { edges }: JoinTree,
  cubes: readonly string[],
): boolean {
  const parents = new Map(edges.map(({ from, join }) => [join.cube, from]));
  const pathTo = (cube: string) => {
    const path = [cube];
    for (let at = parents.get(cube); at !== undefined; at = parents.get(at)) path.push(at);
    return path;
  };
  return cubes.every((from) =>
    cubes.every((to) => {
      const [left, right] = [pathTo(from), pathTo(to)];
      const shared = left.filter((cube) => right.includes(cube)).length;
      return from === to || !hasShorter(model, from, to, left.length + right.length - 2 * shared);
    }),
  );
}

function hasShorter(model: ModelIndex, from: string, to: string, joins: number): boolean {
  return attempt(() => shortestPath(model, from, to, joins - 1)) !== undefined;
}

function otherJoin(from: string, to: string): Failure {
  return new Failure(
    "invalid",
    `The join of '${from}' and '${to}' is ambiguous: the model joins them in two ways. Join one of them with an alias, or declare a second cube that extends it.`,
  );
}

function addEdge(edges: Map<string, JoinEdge>, root: string, edge: JoinEdge): void {
  const to = edge.join.cube;
  const other = edges.get(to);
  if (to === root || (other !== undefined && other.from !== edge.from)) {
    const from = other === undefined ? "the start of the query" : other.from;
    throw new Failure(
      "invalid",
      `The join to '${to}' is ambiguous: it is reached from '${from}' and from '${edge.from}'. Use one path, or declare a second cube that extends it.`,
    );
  }
  edges.set(to, edge);
}

/** Orders edges by their distance from the root. Every edge was added after the edge of its parent. */
function sortEdges(root: string, edges: readonly JoinEdge[]): readonly JoinEdge[] {
  const depths = new Map([[root, 0]]);
  const depthOf = (cube: string) => depths.get(cube) ?? 0;
  for (const { from, join } of edges) depths.set(join.cube, depthOf(from) + 1);
  return edges.toSorted((a, b) => depthOf(a.join.cube) - depthOf(b.join.cube));
}

/** Returns the shortest declared path, of `longest` joins at most. Throws `invalid` if several are equally short. */
function shortestPath(
  model: ModelIndex,
  from: string,
  to: string,
  longest = Infinity,
): readonly JoinEdge[] | undefined {
  const cameBy = new Map<string, readonly JoinEdge[]>([[from, []]]);
  let front = [from];
  for (let joins = 0; front.length > 0 && joins < longest && !cameBy.has(to); joins++) {
    const reached = new Map<string, JoinEdge[]>();
    for (const cube of front) {
      for (const join of cubeOf(model, cube).cube.joins) {
        if (cameBy.has(join.cube)) continue;
        appendTo(reached, join.cube, { from: cube, join });
      }
    }
    for (const [cube, edges] of reached) cameBy.set(cube, edges);
    front = [...reached.keys()];
  }
  if (!cameBy.has(to)) return undefined;
  const path: JoinEdge[] = [];
  for (let at = to; at !== from;) {
    const edges = cameBy.get(at) ?? [];
    const [edge, other] = edges;
    if (edge === undefined) return undefined;
    if (other !== undefined) throw ambiguousPath(from, to, edges);
    path.unshift(edge);
    at = edge.from;
  }
  return path;
}

/** Returns the error for a cube that a query would read twice: it is read once, under its own name. */
function repeatedCube(reason: string, cube: string): Failure {
  return new Failure(
    "invalid",
    `${reason}, which queries do not support. Declare a second cube that extends '${cube}', and join that one.`,
  );
}

function ambiguousPath(from: string, to: string, edges: readonly JoinEdge[]): Failure {
  const [first] = edges;
  const at = first?.join.cube ?? to;
  if (edges.every((edge) => edge.from === first?.from)) {
    return repeatedCube(`'${first?.from}' has ${edges.length} joins to '${at}'`, at);
  }
  const via = [...new Set(edges.map((edge) => `'${edge.from}'`))].join(" and ");
  return new Failure(
    "invalid",
    `The join path from '${from}' to '${to}' is ambiguous: equally short paths lead over ${via}. Name the path in a view's join_path.`,
  );
}

/** Returns the cubes of a tree that can have several rows for one row of `cube`. */
export function multipliedFrom({ edges }: JoinTree, cube: string): ReadonlySet<string> {
  const several = new Set<string>();
  const seen = new Set([cube]);
  const queue = [{ at: cube, isSeveral: false }];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { at, isSeveral } = next;
    if (isSeveral) several.add(at);
    for (const { from, join } of edges) {
      const forward = from === at;
      const other = forward ? join.cube : from;
      if ((!forward && join.cube !== at) || seen.has(other)) continue;
      seen.add(other);
      const many = forward ? "one_to_many" : "many_to_one";
      queue.push({ at: other, isSeveral: isSeveral || join.relationship === many });
    }
  }
  return several;
}
