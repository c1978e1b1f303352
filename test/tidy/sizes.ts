// Checks the length of files and functions, and the number of parameters of a function.
import type { ArrowFunctionExpression, Function as FunctionNode, Node } from "oxc-parser";
import { isGenerated, lineAt, type Source, walk } from "./source.ts";

const maxFileLines = 400;
const maxResourceLines = 150;
const maxFunctionLines = 60;
/** A component also holds its elements, a line each. */
const maxComponentLines = 80;
const maxParameters = 3;

/** Returns one line for every file, function or parameter list of `source` that is too long. */
export function sizeProblems(source: Source): readonly string[] {
  if (source.isTest || isGenerated(source.path)) return [];
  return [...fileProblems(source), ...functionProblems(source)];
}

function fileProblems({ path, text, folder }: Source): readonly string[] {
  if (/^(?:api|schemas)\//.test(path)) return [];
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const most = folder === "resources" ? maxResourceLines : maxFileLines;
  return lines > most ? [`${path}: ${lines} lines, at most ${most}`] : [];
}

function functionProblems({ path, text, program }: Source): readonly string[] {
  const problems: string[] = [];
  walk(program, (node, parent) => {
    if (!isFunction(node) || !node.body) return;
    const first = lineAt(text, node.start);
    const lines = lineAt(text, node.end) - first + 1;
    const most = path.endsWith(".tsx") ? maxComponentLines : maxFunctionLines;
    if (lines > most) {
      problems.push(`${path}:${first}: a function of ${lines} lines, at most ${most}`);
    }
    if (node.params.length > maxParameters && !isExempt(node, parent)) {
      problems.push(
        `${path}:${first}: ${node.params.length} parameters, at most ${maxParameters}: take one named object`,
      );
    }
  });
  return problems;
}

function isFunction(node: Node): node is FunctionNode | ArrowFunctionExpression {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/**
 * Returns whether a function is exempt: a constructor may take more parameters, and the caller of a callback decides
 * its parameters.
 */
function isExempt(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MethodDefinition") return parent.kind === "constructor";
  return parent?.type === "CallExpression" && parent.callee !== node;
}
