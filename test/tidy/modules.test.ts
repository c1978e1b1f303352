// Tests that modules import downwards and never in a cycle, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { moduleCycles, moduleProblems, partCycles } from "./modules.ts";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";

describe("modules", () => {
  it("import only lower modules", () => {
    expect(sources().flatMap(moduleProblems)).toEqual([]);
  });

  it("form no cycle", () => {
    expect(moduleCycles(sources())).toEqual([]);
    expect(partCycles(sources())).toEqual([]);
  });

  it.each([
    ["reconciler/manifest/load.ts", 'import { plan } from "../engine/plan.ts";'],
    ["reconciler/engine/make-plan.ts", 'import { plan } from "../index.ts";'],
    ["reconciler/unknown/x.ts", "export const x = 1;"],
    ["service/store/sqlite.ts", 'import { app } from "../http/app.ts";'],
    ["core/schema/traits.ts", 'import { kind } from "../kind/kind.ts";'],
    ["cli/shared/output/table.ts", 'import { runAction } from "../run/run-action.ts";'],
    ["core/errors.ts", 'import { view } from "./schema/schema.ts";'],
  ])("are checked: %s", (path, text) => {
    expect(moduleProblems(parseSource(path, text))).toHaveLength(1);
  });

  it.each([
    ["reconciler/engine/make-plan.ts", 'import { load } from "../manifest/load.ts";'],
    ["reconciler/index.ts", 'import { plan } from "./verbs/session.ts";'],
    ["core/kind/kind.ts", 'import { x } from "./x.ts";'],
  ])("may import downwards: %s", (path, text) => {
    expect(moduleProblems(parseSource(path, text))).toEqual([]);
  });

  it("are seen to form a cycle", () => {
    const one = parseSource("a/b/x.ts", 'import { y } from "../c/y.ts";');
    const other = parseSource("a/c/y.ts", 'import { x } from "../b/z.ts";');
    const last = parseSource("a/b/z.ts", "export const x = 1;");
    expect(moduleCycles([one, other, last])).toHaveLength(1);
  });

  it("are seen to form a cycle of their parts, also of a folder and its own files", () => {
    const one = parseSource("a/b/c/x.ts", 'import { y } from "../d/y.ts";');
    const other = parseSource("a/b/d/y.ts", 'import { z } from "../c/z.ts";');
    const shared = parseSource("a/b/index.ts", 'import { y } from "./d/y.ts";');
    const user = parseSource("a/b/d/w.ts", 'import { s } from "../index.ts";');
    const last = parseSource("a/b/c/z.ts", "export const z = 1;");
    expect(partCycles([one, other, last])).toEqual([["a/b/c/*", "a/b/d/*"]]);
    expect(partCycles([shared, user, other, last])).toEqual([["a/b/*", "a/b/d/*"]]);
    expect(partCycles([shared, other, last])).toEqual([]);
  });
});
