// Tests the size limits on all files, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { sizeProblems } from "./sizes.ts";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";

const problemsOf = (path: string, text: string) => sizeProblems(parseSource(path, text));
const lines = (count: number) => "// x\n".repeat(count);

describe("sizes", () => {
  it("hold for every source", () => {
    expect(sources().flatMap(sizeProblems)).toEqual([]);
  });

  it("limit files, resources more than others and tables not at all", () => {
    expect(problemsOf("core/a.ts", lines(401))).toHaveLength(1);
    expect(problemsOf("core/a.ts", lines(400))).toEqual([]);
    expect(problemsOf("resources/a.ts", lines(151))).toHaveLength(1);
    expect(problemsOf("api/a.ts", lines(401))).toEqual([]);
    expect(problemsOf("core/a.test.ts", lines(401))).toEqual([]);
  });

  it.each(["function f() {\n@}", "const f = () => {\n@};", "class C {\nm() {\n@}\n}"])(
    "limit functions: %s",
    (shape) => {
      expect(problemsOf("core/a.ts", shape.replace("@", lines(59)))).toHaveLength(1);
      expect(problemsOf("core/a.ts", shape.replace("@", lines(58)))).toEqual([]);
    },
  );

  it("limit parameters, save those of constructors and of callbacks", () => {
    expect(problemsOf("core/a.ts", "function f(a, b, c, d) {}")).toHaveLength(1);
    expect(problemsOf("core/a.ts", "const f = (a, b, c, d) => a;")).toHaveLength(1);
    expect(problemsOf("core/a.ts", "class C { m(a, b, c, d) {} }")).toHaveLength(1);
    expect(problemsOf("core/a.ts", "class C { constructor(a, b, c, d) {} }")).toEqual([]);
    expect(problemsOf("core/a.ts", "replace((a, b, c, d) => a);")).toEqual([]);
  });
});
