// Tests that sources have no default exports, no `export *` and no `any`, and casts through unknown only in listed files.
import { describe, expect, it } from "vitest";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";
import { typeProblems, unknownCasts } from "./types.ts";

/** Files that may cast through unknown, and how often. Entries may only be lowered or removed. */
const allowedCasts: Readonly<Record<string, number>> = {
  "core/kind/kind.ts": 1,
  "core/schema/traits.ts": 2,
};

describe("types and exports", () => {
  it("hold for every source", () => {
    expect(sources().flatMap(typeProblems)).toEqual([]);
  });

  it("are cast through unknown exactly where that is listed", () => {
    const found = sources()
      .map((source) => [source.path, unknownCasts(source).length] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(found)).toEqual(allowedCasts);
  });

  it.each([
    "export default 1;",
    'export * from "./x.ts";',
    'export * as x from "./x.ts";',
    "const x: any = 1;",
    "const x = y as any;",
    "function f(x: readonly any[]) {}",
    "// @ts-ignore\nf(1);",
    "/* @ts-expect-error */ f(1);",
  ])("are refused: %s", (text) => {
    expect(typeProblems(parseSource("core/a.ts", text))).toHaveLength(1);
  });

  it("sees casts through unknown", () => {
    expect(
      unknownCasts(parseSource("core/a.ts", "f(x as unknown as string);\nx as string;")),
    ).toEqual([1]);
  });
});
