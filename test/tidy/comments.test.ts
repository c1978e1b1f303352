// Tests that every source has a header and documents its exports, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { docstringProblems, headerProblems } from "./comments.ts";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";

const headersOf = (text: string) => headerProblems(parseSource("core/a.ts", text));
const docsOf = (text: string) => docstringProblems(parseSource("core/a.ts", text));

describe("headers", () => {
  it("open every source", () => {
    expect(sources().flatMap(headerProblems)).toEqual([]);
  });

  it.each([
    'import { x } from "./x.ts";\n// too late',
    "/** Belongs to x. */\nexport const x = 1;",
    "// 1\n// 2\n// 3\n// 4\n// 5\nconst x = 1;",
  ])("are missed: %s", (text) => {
    expect(headersOf(text)).toHaveLength(1);
  });

  it.each([
    "// One job.\nconst x = 1;",
    "#!/usr/bin/env node\n// One job.\nconst x = 1;",
    "/**\n * One job.\n */\n\n/** Doc. */\nexport const x = 1;",
    '// 1\n// 2\n\n// A note on the import.\nimport "./x.ts";',
  ])("are found: %s", (text) => {
    expect(headersOf(text)).toEqual([]);
  });
});

describe("docstrings", () => {
  it("precede every export", () => {
    expect(sources().flatMap(docstringProblems)).toEqual([]);
  });

  it.each([
    "export const x = 1;",
    "// a remark\nexport function f() {}",
    "/** far away */\n\n\nexport class C {}",
    "/***/\nexport type T = 1;",
    "const x = 1;\nexport { x };",
    "export interface I {}",
  ])("are missed: %s", (text) => {
    expect(docsOf(text)).toHaveLength(1);
  });

  it.each([
    "/** Says it. */\nexport const x = 1;",
    "/** Says it. */\nconst x = 1;\nexport { x };",
    "/** Says it. */\nexport function f(a: 1): void;\nexport function f(a: 2): void;\nexport function f(a: number) {}",
    'export { x } from "./x.ts";',
  ])("are found: %s", (text) => {
    expect(docsOf(text)).toEqual([]);
  });
});
