// Tests that no file imports itself through others, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { importCycles } from "./import-cycles.ts";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";

const parseSources = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => parseSource(path, text));

describe("imports", () => {
  it("form no cycle", () => {
    expect(importCycles(sources())).toEqual([]);
  });

  it.each([
    [{ "core/a.ts": 'import "./b.ts";', "core/b.ts": 'import "./a.ts";' }],
    [{ "core/a.ts": 'import type { B } from "./b.ts";', "core/b.ts": 'export * from "./a.ts";' }],
  ])("that lead in one are reported: %j", (files) => {
    expect(importCycles(parseSources(files))).toEqual([["core/a.ts", "core/b.ts"]]);
  });

  it("may meet in one file that both need", () => {
    const files = {
      "core/a.ts": 'import "./b.ts"; import "./c.ts";',
      "core/b.ts": 'import "./c.ts";',
      "core/c.ts": "",
    };
    expect(importCycles(parseSources(files))).toEqual([]);
  });
});
