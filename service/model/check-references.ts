// Checks the references in the SQL of members and cubes: no cycles, and a bounded size after expansion.
import { limits } from "../../core/limits/limits.ts";
import { isComposite } from "./composite-measures.ts";
import { cubeNamed, type Declarations } from "./declarations.ts";
import { type Problems, within } from "./problems.ts";
import type { CompiledCube, SqlPart, SqlTemplate } from "./types.ts";

/** The SQL of a member or of a cube. */
interface Node {
  /** Characters of its SQL before expansion. */
  readonly length: number;
  /** The number of its references to each member, `cube.member`, or cube. */
  readonly references: ReadonlyMap<string, number>;
  /** References that become a column of a stage or a subquery instead of SQL in place. */
  readonly isColumn: (name: string) => boolean;
}

/** The expansion of a node with everything that it references. */
interface Expansion {
  /** Characters of SQL. */
  readonly length: number;
  /** Characters that a query writes for it: the SQL of a reference counts again in every SQL that contains it. */
  readonly written: number;
  readonly depth: number;
  /** The most deeply nested reference. */
  readonly deepest: string | undefined;
  /** True if an error is reported for it or for one of its references. */
  readonly isRefused: boolean;
}

/**
 * Adds one error for each cycle of members or cubes, and for each whose SQL becomes too large through its references.
 * Linear in the number of references if there are no cycles, and iterative, so that long chains cannot exhaust the
 * stack.
 */
export function checkReferences(
  cubes: readonly CompiledCube[],
  declarations: Declarations,
  problems: Problems,
): void {
  const nodes = nodesOf(cubes);
  const expansions = new Map<string, Expansion>();
  const open = new Set<string>();
  const trail: {
    readonly name: string;
    readonly node: Node;
    readonly targets: Iterator<string>;
  }[] = [];
  const enter = (name: string, node: Node) => {
    open.add(name);
    trail.push({ name, node, targets: node.references.keys() });
  };
  for (const [start, first] of nodes) {
    if (expansions.has(start)) continue;
    enter(start, first);
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const { name, node, targets } = top;
      const { done, value: target } = targets.next();
      const next = done ? undefined : nodes.get(target);
      if (done) {
        const expansion = expand(node, expansions);
        const reason = expansion.isRefused ? undefined : refusalOf(name, expansion, expansions);
        if (reason !== undefined) report(name, reason, { declarations, problems });
        expansions.set(name, {
          ...expansion,
          isRefused: expansion.isRefused || reason !== undefined,
        });
        open.delete(name);
        trail.pop();
      } else if (open.has(target)) {
        const circle = trail.slice(trail.findIndex((one) => one.name === target));
        const names = [...circle.map((one) => one.name), target];
        report(target, `references itself: ${shortened(names)}`, { declarations, problems });
      } else if (next && !expansions.has(target)) enter(target, next);
    }
  }
}

function nodesOf(cubes: readonly CompiledCube[]): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>();
  const aggregates = new Set<string>();
  const subQueries = new Set<string>();
  const isSubQuery = (name: string) => subQueries.has(name);
  const isColumn = (name: string) => subQueries.has(name) || aggregates.has(name);
  const add = (name: string, templates: readonly SqlTemplate[], columns = isSubQuery) => {
    const parts = templates.flatMap(flatParts);
    nodes.set(name, {
      length: parts.reduce((sum, part) => sum + lengthOf(part), 0),
      references: counted(templates.flatMap(referencedNames)),
      isColumn: columns,
    });
  };
  for (const cube of cubes) {
    add(cube.name, [cube.table]);
    for (const dimension of cube.dimensions) {
      const name = `${cube.name}.${dimension.name}`;
      const isOverMeasures = dimension.subQuery || dimension.addGroupBy !== undefined;
      if (isOverMeasures) subQueries.add(name);
      add(name, templatesOf(dimension), isOverMeasures ? isColumn : isSubQuery);
    }
    for (const segment of cube.segments) add(`${cube.name}.${segment.name}`, templatesOf(segment));
    for (const measure of cube.measures) {
      const name = `${cube.name}.${measure.name}`;
      const isOverColumns = isComposite(measure);
      if (!isOverColumns) aggregates.add(name);
      add(name, templatesOf(measure), isOverColumns || measure.stage ? isColumn : isSubQuery);
    }
  }
  return nodes;
}

/** Adds the references of a node. Members of cycles count once. */
function expand(node: Node, expansions: ReadonlyMap<string, Expansion>): Expansion {
  let { length } = node;
  let written = 0;
  let depth = 0;
  let deepest: string | undefined;
  let isRefused = false;
  for (const [name, count] of node.references) {
    const target = expansions.get(name);
    if (target === undefined || node.isColumn(name)) continue;
    length += count * target.length;
    written += count * target.written;
    isRefused ||= target.isRefused;
    if (target.depth + 1 > depth) [depth, deepest] = [target.depth + 1, name];
  }
  return { length, written: written + length, depth, deepest, isRefused };
}

/** Returns the reason why every query would refuse the SQL; undefined if a query can write it. */
function refusalOf(
  name: string,
  { written, depth, deepest }: Expansion,
  expansions: ReadonlyMap<string, Expansion>,
): string | undefined {
  if (written > limits.querySqlLength) {
    return `makes queries write ${written} characters of SQL, more than ${limits.querySqlLength}: the SQL of each reference is written in its place; use shorter SQL or fewer references`;
  }
  if (depth <= limits.queryReferenceDepth) return undefined;
  const names = [name];
  for (let next = deepest; next !== undefined; next = expansions.get(next)?.deepest) {
    names.push(next);
  }
  return `references members more than ${limits.queryReferenceDepth} levels deep: ${shortened(names)}; write the SQL of some of them in place of a reference`;
}

/** Returns the members and cubes that SQL references: `cube.member`, `cube`. */
export function referencedNames(template: SqlTemplate): readonly string[] {
  return flatParts(template).flatMap(referenceOf);
}

/** Returns all SQL of a member. */
export function templatesOf(member: object): readonly SqlTemplate[] {
  const {
    sql,
    filters,
    stage,
    case: choice,
    geo,
  } = member as {
    sql?: SqlTemplate;
    filters?: readonly SqlTemplate[];
    stage?: { orderBy: readonly { sql: SqlTemplate }[] };
    case?: {
      branches: readonly { when: SqlTemplate; label: SqlTemplate | string }[];
      otherwise?: SqlTemplate | string;
    };
    geo?: { latitude: SqlTemplate; longitude: SqlTemplate };
  };
  const labels = [...(choice?.branches.map(({ label }) => label) ?? []), choice?.otherwise ?? ""];
  return [
    ...(sql ? [sql] : []),
    ...(filters ?? []),
    ...(stage?.orderBy.map(({ sql: order }) => order) ?? []),
    ...(choice?.branches.map(({ when }) => when) ?? []),
    ...labels.filter((label) => typeof label !== "string"),
    ...(geo ? [geo.latitude, geo.longitude] : []),
  ];
}

/** Returns the parts of SQL with those inside its functions. */
function flatParts(template: SqlTemplate): readonly SqlPart[] {
  return template.flatMap((part) =>
    typeof part !== "string" && "parts" in part ? [part, ...flatParts(part.parts)] : [part],
  );
}

/**
 * Returns the approximate number of characters that a part adds, as planning counts them. Some of them depend on the
 * query.
 */
function lengthOf(part: SqlPart): number {
  if (typeof part === "string") return part.length + 1;
  return 4;
}

function referenceOf(part: SqlPart): readonly string[] {
  if (typeof part === "string") return [];
  if (part.kind === "sql") return [part.cube];
  return part.kind === "member" ? [`${part.path.at(-1) ?? ""}.${part.member}`] : [];
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function shortened(names: readonly string[]): string {
  const shown = names.length > 10 ? [...names.slice(0, 5), "…", ...names.slice(-4)] : names;
  return shown.join(" -> ");
}

/** Adds an error at the SQL of a member or cube. */
export function report(
  name: string,
  reason: string,
  { declarations, problems }: { declarations: Declarations; problems: Problems },
): void {
  const [cubeName = "", memberName] = name.split(".");
  const cube = cubeNamed(declarations, cubeName);
  const declared =
    memberName === undefined
      ? cube
      : (cube?.dimensions.get(memberName) ??
        cube?.measures.get(memberName) ??
        cube?.segments.get(memberName) ??
        // A view declares it.
        cube);
  problems.enter(cubeName);
  if (declared) problems.add(within(declared.at, "sql"), `${name} ${reason}`);
}
