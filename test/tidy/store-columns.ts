// Checks that the service reads every column that it writes, and declares columns that it only returns.
import type { Node } from "oxc-parser";
import { type Source, walk } from "./source.ts";

const tableFiles = /^service\/store\/(?:schema|[\w-]+-tables)\.ts$/;

/** Returns one line for each column of a table that no source of the service reads. */
export function unreadColumns(all: readonly Source[]): readonly string[] {
  const read = new Set(
    all.filter(({ path, isTest }) => !isTest && isReader(path)).flatMap(namesReadIn),
  );
  return all
    .filter(({ path }) => tableFiles.test(path))
    .flatMap(columnsOf)
    .filter(({ column }) => !read.has(column))
    .map(({ table, column }) => `${table}.${column}: nothing reads this column`);
}

/**
 * The columns that the service only passes between the store and its requests and responses: every place that names one
 * is in a member of an object that has its name too, as in `sheetId: row.sheet_id`.
 */
export function passedColumns(all: readonly Source[]): readonly string[] {
  const used = new Set(
    all.filter(({ path, isTest }) => !isTest && isReader(path)).flatMap(namesUsedIn),
  );
  const columns = all.filter(({ path }) => tableFiles.test(path)).flatMap(columnsOf);
  return columns
    .filter(({ column }) => !used.has(column))
    .map(({ table, column }) => `${table}.${column}`);
}

/** Returns the name of a column in the API. */
export function memberOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the names in a source that are not types, selected, written or passed under their own name. */
function namesUsedIn({ program }: Source): readonly string[] {
  const parents = new Map<Node, Node | undefined>();
  const inPatterns = new Set<Node>();
  const names: string[] = [];
  walk(program, (node, parent) => {
    parents.set(node, parent);
    if (node.type === "ObjectPattern") {
      for (const property of node.properties) inPatterns.add(property);
    }
    for (const name of namesAt(node, parent, inPatterns)) {
      if (!isPassed(name, node, { parents, inPatterns })) names.push(name);
    }
  });
  return names;
}

function namesAt(
  node: Node,
  parent: Node | undefined,
  inPatterns: ReadonlySet<Node>,
): readonly string[] {
  if (node.type === "TemplateElement") return wordsIn(node.value.raw);
  if (node.type === "Literal") return typeof node.value === "string" ? wordsIn(node.value) : [];
  if (node.type !== "Identifier" || isWritten(node, parent, inPatterns)) return [];
  return [node.name];
}

interface Tree {
  readonly parents: ReadonlyMap<Node, Node | undefined>;
  readonly inPatterns: ReadonlySet<Node>;
}

/** Returns whether a place only passes a column on. Only looks at the enclosing function. */
function isPassed(name: string, node: Node, { parents, inPatterns }: Tree): boolean {
  let child = node;
  for (let at = parents.get(node); at !== undefined; child = at, at = parents.get(at)) {
    if (/^TS(?!As|Satisfies|NonNull)/u.test(at.type)) return true;
    if (/Function/u.test(at.type)) return false;
    if (at.type === "Property" && !inPatterns.has(at) && at.key.type === "Identifier") {
      if ([name, memberOf(name)].includes(at.key.name)) return true;
    }
    if (node.type === "Literal" && at.type === "CallExpression" && child !== at.callee) {
      const { callee } = at;
      const called = callee.type === "MemberExpression" && callee.property;
      if (called && called.type === "Identifier" && /^(?:select|returning)$/u.test(called.name))
        return true;
    }
  }
  return false;
}

function isReader(path: string): boolean {
  return (
    path.startsWith("service/") &&
    !path.startsWith("service/store/migrations/") &&
    !tableFiles.test(path)
  );
}

interface Column {
  /** The name of the table's type. */
  readonly table: string;
  readonly column: string;
}

function columnsOf({ program }: Source): readonly Column[] {
  const columns: Column[] = [];
  walk(program, (node) => {
    if (node.type !== "TSInterfaceDeclaration" || !node.id.name.endsWith("Table")) return;
    for (const member of node.body.body) {
      if (member.type === "TSPropertySignature" && member.key.type === "Identifier") {
        columns.push({ table: node.id.name, column: member.key.name });
      }
    }
  });
  return columns;
}

/** Returns the names in a source, without the keys of its object literals and its types, which write or declare. */
function namesReadIn({ program }: Source): readonly string[] {
  const names: string[] = [];
  const inPatterns = new Set<Node>();
  walk(program, (node, parent) => {
    if (node.type === "ObjectPattern") {
      for (const property of node.properties) inPatterns.add(property);
    }
    if (node.type === "TemplateElement") names.push(...wordsIn(node.value.raw));
    if (node.type === "Literal" && typeof node.value === "string") {
      names.push(...wordsIn(node.value));
    }
    if (node.type === "Identifier" && !isWritten(node, parent, inPatterns)) names.push(node.name);
  });
  return names;
}

function isWritten(node: Node, parent: Node | undefined, inPatterns: ReadonlySet<Node>): boolean {
  if (parent?.type === "TSPropertySignature") return true;
  if (parent?.type !== "Property" || inPatterns.has(parent)) return false;
  return parent.shorthand || parent.key === node;
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\w+/g) ?? [];
}
