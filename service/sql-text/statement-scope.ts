// Resolves the names of a statement: its cubes and views, and their members as columns.
import { suggestion } from "../../core/text/naming.ts";
import { isVisible, type QueryCaller, requireVisible } from "../query/access.ts";
import { valueType } from "../query/measures.ts";
import {
  cubeOf,
  memberNames,
  memberKinds,
  type ModelIndex,
  type QueryMember,
  resolveMember,
  resolveShown,
} from "../query/model-index.ts";
import type { Expr, FromItem, NameExpr } from "./parse-statement.ts";
import { refusal } from "./tokens.ts";

/** A cube or view in FROM. */
interface Table {
  readonly alias: string;
  readonly subject: string;
  readonly members: NameIndex;
}

/** Names by their lower case. */
type NameIndex = ReadonlyMap<string, readonly string[]>;

const indexNames = (names: readonly string[]): NameIndex =>
  Map.groupBy(names, (name) => name.toLowerCase());

/** A member that a column names. */
export interface Column {
  readonly member: QueryMember;
  /** The type of its values, as in the answer to a query. */
  readonly type: string;
}

/** The names that a statement can use. */
export interface Scope {
  readonly text: string;
  readonly model: ModelIndex;
  readonly caller: QueryCaller;
  readonly tables: readonly Table[];
  /** The cubes that a condition joins, as in `joinHints` of a query. */
  readonly joins: readonly (readonly [string, string])[];
  /** The cubes and views whose members the statement names so far. */
  readonly used: Set<string>;
}

const joinColumn = "__cubejoinfield";

/** Reads FROM. Throws `invalid` for anything but cubes and views, and for joins that the data model does not define. */
export function readScope(
  from: readonly FromItem[],
  on: Pick<Scope, "text" | "model" | "caller">,
): Scope {
  const tables: Table[] = [];
  const joins: (readonly [string, string])[] = [];
  const subjects = indexNames([...on.model.cubes.keys(), ...on.model.views.keys()]);
  for (const item of from) {
    const refuse = (message: string) => refusal(on.text, item, message);
    const { name, alias } = item;
    const subject = matchName(name, subjects);
    if (subject === undefined) throw refuse(unknownTable(name, on));
    if (tables.some((table) => table.alias === alias)) throw refuse(`FROM has ${alias} twice`);
    tables.push({ alias, subject, members: indexNames(memberNames(on.model, subject)) });
    if (tables.length === 1) continue;
    if (item.join !== "cross join" && (item.join !== "left join" || !item.on)) {
      throw refuse(
        "the data model joins cubes with LEFT JOIN; write CROSS JOIN, or LEFT JOIN … ON a.__cubeJoinField = b.__cubeJoinField",
      );
    }
    if (tables.some((table) => on.model.views.has(table.subject))) {
      throw refuse("a view has its joins already; query it alone, or join cubes");
    }
    if (tables.slice(0, -1).some((table) => table.subject === subject)) {
      throw refuse(`FROM has the cube ${subject} twice`);
    }
    if (item.on) joins.push(joinedBy(item.on, tables, on.text));
  }
  return { ...on, tables, joins, used: new Set() };
}

function unknownTable(name: string, { model, caller }: Pick<Scope, "model" | "caller">): string {
  const subjects = [...model.cubes.keys(), ...model.views.keys()];
  const shown = subjects.filter((subject) => shownMembers(model, subject, caller).length > 0);
  return `there is no cube or view ${name}${suggestion(name, shown)}`;
}

/** Returns the members of a cube or view that the caller may query. */
export function shownMembers(
  model: ModelIndex,
  subject: string,
  caller: QueryCaller,
): readonly QueryMember[] {
  return memberNames(model, subject)
    .map((name) => resolveMember(model, `${subject}.${name}`, memberKinds))
    .filter((member) => isVisible(member, caller));
}

function joinedBy(on: Expr, tables: readonly Table[], text: string): readonly [string, string] {
  const sides = on.type === "compare" && on.op === "=" ? [on.operand, ...on.values] : [];
  const [left, right, other] = sides.map((side) => {
    if (side.type !== "name" || side.name.toLowerCase() !== joinColumn) return undefined;
    return tables.find(({ alias }) => alias === side.table)?.subject;
  });
  const added = tables.at(-1)?.subject;
  if (left === undefined || right === undefined || left === right || other || added === undefined) {
    const message =
      "the data model defines the conditions of joins; write ON a.__cubeJoinField = b.__cubeJoinField";
    throw refusal(text, on, message);
  }
  if (left !== added && right !== added) throw refusal(text, on, `the join does not name ${added}`);
  return left === added ? [right, left] : [left, right];
}

/** Returns the name that is meant: the same, or the only one that differs in case, because SQL lowers names. */
function matchName(name: string, index: NameIndex): string | undefined {
  const similar = index.get(name.toLowerCase()) ?? [];
  return similar.length === 1 ? similar[0] : similar.find((other) => other === name);
}

/** Returns the tables that a qualified or unqualified name can belong to. */
export function tablesOf(scope: Scope, ref: Pick<NameExpr, "table" | "start">): readonly Table[] {
  if (ref.table === undefined) return scope.tables;
  const named = scope.tables.filter(({ alias }) => alias === ref.table);
  if (named.length > 0) return named;
  throw refusal(scope.text, ref, `FROM has no ${ref.table}`);
}

/** Returns the member that a name stands for; undefined if the tables have none. Throws `invalid` if several have it. */
export function findColumn(scope: Scope, ref: NameExpr): Column | undefined {
  const matches = tablesOf(scope, ref).flatMap(({ alias, subject, members }) => {
    const name = matchName(ref.name, members);
    return name === undefined ? [] : [{ alias, name: `${subject}.${name}` }];
  });
  const [match, other] = matches;
  if (match && other) {
    const names = `${match.alias}.${ref.name} and ${other.alias}.${ref.name}`;
    throw refusal(scope.text, ref, `the name is ambiguous: ${names}`);
  }
  return match && columnOf(scope, resolveMember(scope.model, match.name, memberKinds));
}

/** Returns the member that a name stands for. Throws `invalid` if there is none. */
export function requireColumn(scope: Scope, ref: NameExpr): Column {
  const column = findColumn(scope, ref);
  if (column) return column;
  const [table] = tablesOf(scope, ref);
  const isShown = (member: QueryMember) => isVisible(member, scope.caller);
  const name = `${table?.subject}.${ref.name}`;
  return columnOf(scope, resolveShown(scope.model, name, { kinds: memberKinds, isShown }));
}

/** Returns a member as a column. Throws `forbidden` for a hidden one, whose type and kind no error may tell. */
export function columnOf({ model, used, caller }: Scope, member: QueryMember): Column {
  requireVisible(member, caller);
  used.add(member.subject.name);
  const dimension = cubeOf(model, member.cube).dimensions.get(member.member);
  const type = member.kind === "measure" ? valueType(model, member) : dimension?.type;
  return { member, type: type ?? "boolean" };
}
