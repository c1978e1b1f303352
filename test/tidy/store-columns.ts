// What the store keeps is used: the service reads every column that it writes.
import type { Node } from "oxc-parser";
import { type Source, walk } from "./source.ts";

const tableFiles = /^service\/store\/(?:schema|[\w-]+-tables)\.ts$/;

/** One line for each column of a table that no source of the service reads. */
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

/** Returns the names in a source, without the keys of its object literals and its types: those write or declare. */
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
