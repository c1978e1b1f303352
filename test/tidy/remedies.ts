// A remedy is printed on a line of its own, after the error: it is one or more sentences.
import type { Expression, Node } from "oxc-parser";
import { isGenerated, lineAt, type Source, walk } from "./source.ts";

/** A command at the end, which has no full stop so that it can be copied, or a text with its own full stop. */
const endsWithValue = /: (?:[a-z]|--|\$)[^.]*$|(?:^|[.?] ?|\$ )\$$/u;

/** Returns one line for each remedy in `source` that does not consist of sentences. */
export function remedyProblems(source: Source): readonly string[] {
  const { path, text, program, isTest } = source;
  if (isTest || isGenerated(path) || path.startsWith("test/")) return [];
  const problems: string[] = [];
  walk(program, (node) => {
    for (const value of remediesIn(node)) {
      for (const one of alternatives(value)) {
        const written = textOf(one);
        const problem = written === undefined ? undefined : problemOf(written);
        if (problem !== undefined) problems.push(`${path}:${lineAt(text, one.start)}: ${problem}`);
      }
    }
  });
  return problems;
}

/** Returns the values that a node gives to a member or constant named `remedy` or `…Remedy`. */
function remediesIn(node: Node): readonly Expression[] {
  if (node.type === "VariableDeclarator") {
    return node.id.type === "Identifier" && isRemedy(node.id.name) && node.init ? [node.init] : [];
  }
  if (node.type !== "Property" || node.key.type !== "Identifier") return [];
  return isRemedy(node.key.name) ? [node.value as Expression] : [];
}

function isRemedy(name: string): boolean {
  return /^remedy$|Remedy$/u.test(name);
}

function alternatives(value: Expression): readonly Expression[] {
  if (value.type === "ConditionalExpression") {
    return [value.consequent, value.alternate].flatMap(alternatives);
  }
  if (value.type === "LogicalExpression") return alternatives(value.right);
  return [value];
}

/**
 * Returns the text of an expression, with `$` for parts that are only known at run time; undefined if it is not a text.
 */
function textOf(value: Node): string | undefined {
  if (value.type === "Literal") {
    return typeof value.value === "string" && value.value !== "" ? value.value : undefined;
  }
  if (value.type === "TemplateLiteral") {
    return value.quasis.map((part) => part.value.cooked ?? "").join("$");
  }
  if (value.type !== "BinaryExpression" || value.operator !== "+") return undefined;
  return (textOf(value.left) ?? "$") + (textOf(value.right) ?? "$");
}

function problemOf(text: string): string | undefined {
  // A name in code, such as `svc history`, keeps its spelling.
  if (/^[a-z]/u.test(text)) return `the remedy "${text}" does not begin with a capital letter`;
  if (/[.?]$/u.test(text) || endsWithValue.test(text)) return undefined;
  return `the remedy "${text}" does not end with a full stop`;
}
