// Resolves the names of a statement: its cubes and views, and their members as columns.
import type { ExprRef, From, FromTable } from "pgsql-ast-parser";
import { suggestion } from "../../core/text/naming.ts";
import { isVisible, type QueryCaller, requireVisible } from "../query/access.ts";
import { valueType } from "../query/measures.ts";
import {
  memberNames,
  memberKinds,
  type ModelIndex,
  type QueryMember,
  resolveMember,
  resolveShown,
} from "../query/model-index.ts";
import { refusal } from "./parse-statement.ts";

/** A cube or view in FROM. */
interface Table {
  readonly alias: string;
  readonly subject: string;
}

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
  from: readonly From[],
  on: Pick<Scope, "text" | "model" | "caller">,
): Scope {
  const tables: Table[] = [];
  const joins: (readonly [string, string])[] = [];
  const refuse = (node: From, message: string) => refusal(on.text, node, message);
  for (const item of from) {
    if (item.type !== "table" || item.name.columnNames) {
      const hint = "write the SELECT on the cube or view itself, with WHERE, GROUP BY and HAVING";
      throw refuse(item, `FROM takes cubes and views, not subqueries or functions; ${hint}`);
    }
    if (item.name.schema !== undefined) throw refuse(item, "cubes and views have no schema");
    const subject = matchName(item.name.name, [...on.model.cubes.keys(), ...on.model.views.keys()]);
    if (subject === undefined) throw refuse(item, unknownTable(item.name.name, on));
    const alias = item.name.alias ?? item.name.name;
    if (tables.some((table) => table.alias === alias)) {
      throw refuse(item, `FROM has ${alias} twice`);
    }
    tables.push({ alias, subject });
    if (tables.length === 1) continue;
    requireJoin(item, on);
    if (tables.some((table) => on.model.views.has(table.subject))) {
      throw refuse(item, "a view has its joins already; query it alone, or join cubes");
    }
    if (tables.slice(0, -1).some((table) => table.subject === subject)) {
      throw refuse(item, `FROM has the cube ${subject} twice`);
    }
    const pair = item.join?.on && joinedBy(item, tables, on.text);
    if (pair) joins.push(pair);
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

function requireJoin(item: FromTable, { text }: Pick<Scope, "text">): void {
  const type = item.join?.type;
  if (type === "CROSS JOIN" || (type === "LEFT JOIN" && item.join?.on)) return;
  throw refusal(
    text,
    item,
    `the data model joins cubes with LEFT JOIN; write CROSS JOIN, or LEFT JOIN … ON a.__cubeJoinField = b.__cubeJoinField`,
  );
}

function joinedBy(
  { join }: FromTable,
  tables: readonly Table[],
  text: string,
): readonly [string, string] {
  const on = join?.on;
  const sides = on?.type === "binary" && on.op === "=" ? [on.left, on.right] : [];
  const [left, right] = sides.map((side) => {
    if (side.type !== "ref" || side.name.toLowerCase() !== joinColumn) return undefined;
    return tables.find(({ alias }) => alias === side.table?.name)?.subject;
  });
  const added = tables.at(-1)?.subject;
  if (left === undefined || right === undefined || left === right || added === undefined) {
    const message =
      "the data model defines the conditions of joins; write ON a.__cubeJoinField = b.__cubeJoinField";
    throw refusal(text, on, message);
  }
  if (left !== added && right !== added) throw refusal(text, on, `the join does not name ${added}`);
  return left === added ? [right, left] : [left, right];
}

/** Returns the name that is meant: the same, or the only one that differs in case, because SQL lowers names. */
function matchName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  const similar = names.filter((other) => other.toLowerCase() === name.toLowerCase());
  return similar.length === 1 ? similar[0] : undefined;
}

/** Returns the tables that a qualified or unqualified name can belong to. */
export function tablesOf(scope: Scope, { table, ...ref }: ExprRef): readonly Table[] {
  if (table === undefined) return scope.tables;
  const named = scope.tables.filter(({ alias }) => alias === table.name);
  if (named.length > 0 && table.schema === undefined) return named;
  throw refusal(scope.text, ref, `FROM has no ${table.name}`);
}

/** Returns the member that a name stands for; undefined if the tables have none. Throws `invalid` if several have it. */
export function findColumn(scope: Scope, ref: ExprRef): Column | undefined {
  const matches = tablesOf(scope, ref).flatMap(({ alias, subject }) => {
    const name = matchName(ref.name, memberNames(scope.model, subject));
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
export function requireColumn(scope: Scope, ref: ExprRef): Column {
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
  const { dimensions, measures } = model.cubes.get(member.cube) ?? {};
  const measure = measures?.get(member.member);
  const type = measure ? valueType(measure.type) : dimensions?.get(member.member)?.type;
  return { member, type: type ?? "boolean" };
}
