// Finds exports and uses of types that the conventions do not allow.
import { lineAt, type Source, walk } from "./source.ts";

/** Returns one line for every default export, `export *`, `any` and silenced type error in `source`. */
export function typeProblems(source: Source): readonly string[] {
  const { path, text, program, comments } = source;
  const problems: string[] = [];
  const report = (at: number, what: string): void => {
    problems.push(`${path}:${lineAt(text, at)}: ${what}`);
  };
  walk(program, (node) => {
    if (node.type === "ExportDefaultDeclaration" && !path.endsWith(".config.ts")) {
      report(node.start, "a default export");
    }
    if (node.type === "ExportAllDeclaration")
      report(node.start, "`export *` hides what is exported");
    if (node.type === "TSAnyKeyword") report(node.start, "`any`");
  });
  for (const { value, start } of comments) {
    if (/^\s*@ts-(?:ignore|nocheck)/.test(value)) report(start, "a silenced type error");
    if (/^\s*@ts-expect-error/.test(value) && !source.isTest)
      report(start, "a silenced type error");
  }
  return problems;
}

/** Returns the lines on which `source` casts through unknown. */
export function unknownCasts({ text, program }: Source): readonly number[] {
  const lines: number[] = [];
  walk(program, (node) => {
    if (node.type !== "TSAsExpression" || node.expression.type !== "TSAsExpression") return;
    if (node.expression.typeAnnotation.type === "TSUnknownKeyword") {
      lines.push(lineAt(text, node.start));
    }
  });
  return lines;
}
