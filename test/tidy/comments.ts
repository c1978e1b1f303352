// Checks that every file has a header of one to four lines, and every export a docstring.
import type { Comment, Node } from "oxc-parser";
import { lineAt, type Source } from "./source.ts";

const headerLines = 4;
const documentedFolders =
  /^(?:core|git|api|resources|client|lifecycle|service|reconciler|promotion|controller|provider)\//;

/** Returns a problem if `source` does not begin with its own header comment of one to four lines. */
export function headerProblems({ path, text, comments, program }: Source): readonly string[] {
  const start = program.hashbang ? program.hashbang.end : 0;
  const header = leadingComments(text, comments, start);
  const last = header.at(-1);
  if (!last) return [`${path}: no header comment`];
  const lines = header.reduce((sum, comment) => sum + commentLines(comment), 0);
  if (lines > headerLines) return [`${path}: a header of ${lines} lines, at most ${headerLines}`];
  const first = program.body[0];
  const isDocstring =
    last.type === "Block" &&
    first?.type === "ExportNamedDeclaration" &&
    lineAt(text, last.end) + 1 >= lineAt(text, first.start);
  return isDocstring ? [`${path}: the first comment belongs to an export, not to the file`] : [];
}

/** Returns one line for every exported declaration without a docstring directly before it. */
export function docstringProblems(source: Source): readonly string[] {
  if (source.isTest || !documentedFolders.test(source.path)) return [];
  const missing = new Map<string, number>();
  const seen = new Set<string>();
  const check = (names: readonly string[], node: Node): void => {
    for (const name of names) {
      if (!seen.has(name) && !hasDocstring(source, node)) missing.set(name, node.start);
      seen.add(name);
    }
  };
  const locals = localDeclarations(source);
  for (const node of source.program.body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    if (node.declaration) check(declaredNames(node.declaration), node);
    if (node.source) continue;
    for (const { local } of node.specifiers) {
      const declared = local.type === "Identifier" ? locals.get(local.name) : undefined;
      if (declared && local.type === "Identifier") check([local.name], declared);
    }
  }
  return [...missing].map(
    ([name, at]) => `${source.path}:${lineAt(source.text, at)}: ${name} has no docstring`,
  );
}

/** Returns the comments from `start` on that follow each other without a blank line. */
function leadingComments(text: string, comments: readonly Comment[], start: number): Comment[] {
  const found: Comment[] = [];
  let at = start;
  for (const comment of comments) {
    const gap = text.slice(at, comment.start);
    if (gap.trim() !== "" || (found.length > 0 && gap.split("\n").length > 2)) break;
    if (found.length > 0 && comment.type !== found[0]?.type) break;
    found.push(comment);
    at = comment.end;
    if (comment.type === "Block") break;
  }
  return found;
}

function commentLines(comment: Comment): number {
  return comment.value.split("\n").filter((line) => line.replace(/[\s*]/g, "") !== "").length;
}

function hasDocstring({ text, comments }: Source, node: Node): boolean {
  return comments.some(
    ({ type, value, end }) =>
      type === "Block" &&
      value.startsWith("*") &&
      value.replace(/[\s*]/g, "") !== "" &&
      end <= node.start &&
      /^\s*$/.test(text.slice(end, node.start)) &&
      lineAt(text, node.start) - lineAt(text, end) <= 1,
  );
}

function localDeclarations({ program }: Source): ReadonlyMap<string, Node> {
  return new Map(program.body.flatMap((node) => declaredNames(node).map((name) => [name, node])));
}

function declaredNames(node: Node): readonly string[] {
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  }
  if (!("id" in node) || node.id?.type !== "Identifier") return [];
  return [node.id.name];
}
