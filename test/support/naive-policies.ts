// Generates access policies of a parent, its children and a view of both, and computes in a simple way what they allow.
import type { JsonObject } from "../../core/json.ts";
import type { QueryCaller } from "../../service/query/access.ts";
import { type Cell, holds, matches, type NaiveFilter, type Row } from "./naive-query.ts";

/** The values of `kind`. */
export const kinds = ["x", "y", null] as const;
/** The groups of callers. */
export const groups = ["a", "b", "c"] as const;
/** The dimensions of both cubes. */
export const dimensions = ["id", "kind", "amount", "linked"] as const;
/** The measures of both cubes. */
export const measures = ["count", "total", "some"] as const;
const segments = ["big"] as const;
/** All members. */
export const members = [...dimensions, ...measures, ...segments];
/** The masks that the model declares for hidden values; undefined if it declares none. */
const masks: Readonly<Record<string, Cell | undefined>> = {
  kind: "***",
  total: -1,
  some: undefined,
};

/** A value of a row filter: the caller's value if it is a path. */
export type Value = Cell | { readonly attribute: "one" | "many" | "none" };
/** A row filter. */
export type RowFilter =
  | { readonly member: string; readonly operator: string; readonly values: readonly Value[] }
  | { readonly and: readonly RowFilter[] }
  | { readonly or: readonly RowFilter[] };

/** A policy. */
export interface Policy {
  readonly subject:
    | { readonly group: string }
    | { readonly groups: readonly string[] }
    | { readonly role: string };
  readonly isConditional: boolean;
  readonly level: Level | undefined;
  readonly masking: Level | undefined;
  readonly rows: readonly RowFilter[] | "all" | undefined;
}
/** The members that a level of a policy lists. */
export interface Level {
  readonly includes: readonly string[] | "*" | undefined;
  readonly excludes: readonly string[] | undefined;
}
type Subject = "parents" | "children" | "v";

/** Rows, policies, a caller and a query. */
export interface PolicyCase {
  readonly tables: Readonly<Record<"parents" | "children", readonly Row[]>>;
  readonly policies: Readonly<Partial<Record<Subject, readonly Policy[]>>>;
  readonly caller: QueryCaller;
  readonly throughView: boolean;
  readonly query: {
    readonly dimensions: readonly string[];
    readonly measures: readonly string[];
    readonly filters: readonly NaiveFilter[];
    readonly segments: readonly string[];
    readonly order: readonly string[];
    readonly ungrouped: boolean;
  };
}

/** Returns the name of a member in the view. */
export const viewName = (name: string) => name.replace(".", "_");

function policyModel(
  { subject, isConditional, level: own, masking, rows: opened }: Policy,
  at: Subject,
): JsonObject {
  const shown = (name: string) => (at === "v" ? `children_${name}` : name);
  const levelModel = ({ includes, excludes }: Level): JsonObject => ({
    ...(includes !== undefined && { includes: includes === "*" ? "*" : includes.map(shown) }),
    ...(excludes !== undefined && { excludes: excludes.map(shown) }),
  });
  const filterModel = (one: RowFilter): JsonObject => {
    if ("and" in one) return { and: one.and.map(filterModel) };
    if ("or" in one) return { or: one.or.map(filterModel) };
    const values = one.values.map((cell) =>
      typeof cell === "object" && cell !== null ? `{userAttributes.${cell.attribute}}` : cell,
    );
    const isOwn = one.member !== "parents.kind" || at === "parents";
    const name = one.member.split(".").at(-1) ?? "";
    const member = isOwn ? shown(name) : at === "v" ? "parents_kind" : one.member;
    return { member, operator: one.operator, ...(values.length > 0 && { values }) };
  };
  return {
    ...subject,
    ...("groups" in subject && { groups: [...subject.groups] }),
    ...(isConditional && { conditions: [{ if: "{userAttributes.trusted}" }] }),
    ...(own && { member_level: levelModel(own) }),
    ...(own && masking && { member_masking: levelModel(masking) }),
    ...(opened === "all" && { row_level: { allow_all: true } }),
    ...(Array.isArray(opened) && { row_level: { filters: opened.map(filterModel) } }),
  };
}

/** Returns the data model of a case. */
export function modelOf({ policies: all }: PolicyCase): string {
  const access = (at: Subject) => {
    const own = all[at];
    return own && { access_policy: own.map((one) => policyModel(one, at)) };
  };
  const cube = (name: "parents" | "children") => ({
    name,
    sql_table: name,
    joins:
      name === "children"
        ? [{ name: "parents", relationship: "many_to_one", sql: "{CUBE}.parent = {parents.id}" }]
        : [],
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true, public: true },
      { name: "kind", sql: "kind", type: "string", mask: masks.kind },
      { name: "amount", sql: "amount", type: "number" },
      { name: "linked", sql: name === "children" ? "{parents.kind}" : "kind", type: "string" },
    ],
    measures: [
      { name: "count", type: "count" },
      { name: "total", type: "sum", sql: "amount", mask: masks.total },
      { name: "some", type: "sum", sql: "amount", filters: [{ sql: "{kind} = 'x'" }] },
    ],
    segments: [{ name: "big", sql: "{amount} > 2" }],
    ...access(name),
  });
  const paths = ["children", "children.parents"];
  return JSON.stringify({
    cubes: [cube("parents"), cube("children")],
    views: [
      {
        name: "v",
        cubes: paths.map((path) => ({ join_path: path, includes: "*", prefix: true })),
        ...access("v"),
      },
    ],
  });
}

/** The rights of a caller, computed directly from the policies. */
class Rights {
  readonly #on: PolicyCase;
  constructor(on: PolicyCase) {
    this.#on = on;
  }

  #applying(at: Subject): readonly Policy[] | undefined {
    const { caller, policies: all } = this.#on;
    return all[at]?.filter(({ subject, isConditional }) => {
      if (isConditional && caller.userAttributes.trusted !== true) return false;
      if ("role" in subject) return caller.roles.includes(subject.role);
      const names = "group" in subject ? [subject.group] : subject.groups;
      return names.some((name) => name === "*" || caller.groups.includes(name));
    });
  }

  /** Returns the policies that open and that mask a member; undefined if the cube or view has none. */
  showing(at: Subject, name: string): { open: readonly Policy[]; masked: readonly Policy[] } {
    const own = this.#applying(at) ?? [];
    const [cube, member = ""] = name.split(".");
    const has = ({ includes = "*", excludes = [] }: Level) => {
      // Levels of the view list members of children only.
      const isListed = at !== "v" || cube === "children";
      if (isListed && excludes.includes(member)) return false;
      return includes === "*" || (isListed && includes.includes(member));
    };
    const open = own.filter(({ level: one }) => one === undefined || has(one));
    const masked = own.filter((one) => !open.includes(one) && one.masking && has(one.masking));
    return { open, masked };
  }

  isOpen(at: Subject): boolean {
    return this.#applying(at) === undefined;
  }

  /** Returns whether a query that uses a member may read a row. */
  admits(at: Subject, used: Used | undefined, valueOf: (member: string) => Cell): boolean {
    const own = this.#applying(at);
    if (own === undefined) return true;
    const { open, masked } = used ? this.showing(at, used.name) : { open: own, masked: [] };
    // A query names a member that its cube does not show only through a view, which decides about members.
    const isOfView =
      used !== undefined && used.usage !== "sql" && open.length + masked.length === 0;
    const showing = isOfView ? own : used?.usage === "value" ? [...open, ...masked] : open;
    return showing.some((one) => this.#opens(one, valueOf));
  }

  /** Returns whether a row shows the value of a member instead of its mask. */
  shows(at: Subject, name: string, valueOf: (member: string) => Cell): boolean {
    const { open, masked } = this.showing(at, name);
    return masked.length === 0 || open.some((one) => this.#opens(one, valueOf));
  }

  #opens({ rows: opened }: Policy, valueOf: (member: string) => Cell): boolean {
    return !Array.isArray(opened) || opened.every((one) => this.#holds(one, valueOf));
  }

  #holds(filterOf: RowFilter, valueOf: (member: string) => Cell): boolean {
    if ("and" in filterOf) return filterOf.and.every((one) => this.#holds(one, valueOf));
    if ("or" in filterOf) return filterOf.or.some((one) => this.#holds(one, valueOf));
    const { userAttributes } = this.#on.caller;
    const values = filterOf.values.flatMap((cell): readonly (Cell | undefined)[] => {
      if (typeof cell !== "object" || cell === null) return [cell];
      const found = [userAttributes[cell.attribute]].flat() as (string | undefined)[];
      return found.length === 0 ? [undefined] : found;
    });
    if (values.includes(undefined)) return false;
    return matches(valueOf(filterOf.member), filterOf.operator, values as Cell[]);
  }
}

/** A child with its parent, or a parent alone. */
interface Pair {
  readonly children: Row | undefined;
  readonly parents: Row | undefined;
}

const cubeOf = (name: string) => (name.startsWith("parents.") ? "parents" : "children");

/** A member that a query uses: `cube.member`. */
interface Used {
  readonly name: string;
  /** As the planner distinguishes: shown or compared, in a condition, or in SQL of the other cube. */
  readonly usage: "value" | "condition" | "sql";
}

function usedBy({ query }: PolicyCase): readonly Used[] {
  const applied = query.filters.flatMap(measureFiltersOf);
  const filtered = query.filters.flatMap((one) => membersOf(one, false));
  const values = [...query.dimensions, ...query.measures, ...filtered, ...query.order];
  const referenced = values.includes("children.linked") ? ["parents.kind"] : [];
  return [
    ...values.map((name) => ({ name, usage: "value" as const })),
    ...[...query.segments, ...applied].map((name) => ({ name, usage: "condition" as const })),
    ...referenced.map((name) => ({ name, usage: "sql" as const })),
  ];
}

/** Returns the rows of the answer; undefined if the query names a hidden member. */
export function naiveAnswer(on: PolicyCase, cubes: readonly string[]): readonly Row[] | undefined {
  const rights = new Rights(on);
  const { query, throughView } = on;
  const subjectsOf = (name: string): readonly Subject[] =>
    throughView ? ["v", cubeOf(name)] : [cubeOf(name)];
  const used = usedBy(on);
  const isNever = (name: string) =>
    subjectsOf(name).some((at) => {
      const { open, masked } = rights.showing(at, name);
      return open.length === 0 && masked.length > 0;
    });
  const isHidden = ({ name, usage }: Used) => {
    if (usage === "sql") return false;
    const [at = "v"] = subjectsOf(name);
    const { open, masked } = rights.showing(at, name);
    const shown = name.endsWith(".big") ? open : [...open, ...masked];
    if (!rights.isOpen(at) && shown.length === 0) return true;
    // A filter must not use a value that a mask hides, either.
    return usage === "condition" && !name.endsWith(".big") && isNever(name);
  };
  if (used.some(isHidden)) return undefined;
  // A joined row that is missing has nothing to mask.
  const isShown = (row: Pair, name: string) =>
    subjectsOf(name).every(
      (at) => (at !== "v" && row[at] === undefined) || rights.shows(at, name, valueIn(on, at, row)),
    );
  const cell = (row: Pair, name: string): Cell => {
    const [, member = ""] = name.split(".");
    if (isNever(name) || !isShown(row, name)) return masks[member] ?? null;
    if (name === "children.linked") return row.parents?.kind ?? null;
    return row[cubeOf(name)]?.[member === "linked" ? "kind" : member] ?? null;
  };
  const isLeft = (row: Pair) =>
    query.segments.every(() => Number(row.children?.amount ?? 0) > 2) &&
    query.filters.every((one) =>
      holds(one, (name, operator, values) => {
        if (operator === "measureFilter") return row.children?.kind === "x";
        return matches(cell(row, name), operator, values);
      }),
    );
  const rows = visiblePairs(on, rights, { used, cubes }).filter(isLeft);
  return groupPairs(rows, on, cell).map(([cells, group]) =>
    Object.fromEntries([
      ...query.dimensions.map((name, index) => [name, cells[index]]),
      ...query.measures.map((name) => {
        const [, member = ""] = name.split(".");
        if (isNever(name) || group.some((row) => !isShown(row, name)))
          return [name, masks[member] ?? null];
        const own = [...new Set(group.map((row) => row[cubeOf(name)]))];
        const present = own.filter((row) => row !== undefined);
        return [name, measureOf(member, present, query.ungrouped)];
      }),
    ]),
  );
}

/** Returns the values that row filters of a cube or view read. */
function valueIn({ tables }: PolicyCase, at: Subject, { children, parents }: Pair) {
  const own = at === "parents" ? parents : (children ?? parents);
  const parent =
    at === "children" ? tables.parents.find(({ id }) => id === children?.parent) : parents;
  return (member: string): Cell =>
    (member === "parents.kind" ? parent?.kind : own?.[member]) ?? null;
}

/** Returns the joined rows of which a query may use every member. */
function visiblePairs(
  on: PolicyCase,
  rights: Rights,
  { used, cubes }: { readonly used: readonly Used[]; readonly cubes: readonly string[] },
): readonly Pair[] {
  const { tables, throughView } = on;
  const isAdmitted = (at: Subject, row: Pair) => {
    const own = used.filter(({ name, usage }) =>
      at === "v" ? usage !== "sql" : cubeOf(name) === at,
    );
    const each = own.length === 0 ? [undefined] : own;
    return each.every((one) => rights.admits(at, one, valueIn(on, at, row)));
  };
  const parents = tables.parents.filter((row) =>
    isAdmitted("parents", { children: undefined, parents: row }),
  );
  const children = tables.children.filter((row) =>
    isAdmitted("children", { children: row, parents: undefined }),
  );
  const pairs = cubes.includes("children")
    ? children.map((row) => ({
        children: row,
        parents: cubes.includes("parents")
          ? parents.find(({ id }) => id === row.parent)
          : undefined,
      }))
    : parents.map((row) => ({ children: undefined, parents: row }));
  return pairs.filter((pair) => !throughView || isAdmitted("v", pair));
}

/** Groups rows by the dimensions of a query; an ungrouped query has a group for each row. */
function groupPairs(
  rows: readonly Pair[],
  { query }: PolicyCase,
  cell: (row: Pair, name: string) => Cell,
): readonly (readonly [readonly Cell[], readonly Pair[]])[] {
  const keyOf = (row: Pair) => query.dimensions.map((name) => cell(row, name));
  if (query.ungrouped) return rows.map((row) => [keyOf(row), [row]]);
  const found = new Map<string, Pair[]>(query.dimensions.length === 0 ? [["[]", []]] : []);
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found].map(([key, group]) => [JSON.parse(key) as Cell[], group]);
}

/** Returns the measure over distinct rows; in an ungrouped query, the value of one row, or null if it has none. */
function measureOf(member: string, own: readonly Row[], isRow: boolean): Cell {
  if (member === "count") return own.length === 0 && isRow ? null : own.length;
  const counted = member === "some" ? own.filter(({ kind }) => kind === "x") : own;
  const amounts = counted.map(({ amount }) => amount).filter((one) => typeof one === "number");
  return amounts.length === 0 ? null : amounts.reduce((sum, one) => sum + one, 0);
}

function membersOf(one: NaiveFilter, isApplied: boolean): readonly string[] {
  if ("member" in one) return (one.operator === "measureFilter") === isApplied ? [one.member] : [];
  return ("and" in one ? one.and : one.or).flatMap((inner) => membersOf(inner, isApplied));
}

const measureFiltersOf = (one: NaiveFilter) => membersOf(one, true);
