// Tests that every source serves a program or a script, and that the check detects violations.
import { expect, it } from "vitest";
import { deadFiles } from "./dead-files.ts";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";

// Parses all sources and follows their imports, which takes long on a busy machine.
it("every source is reached", { timeout: 120_000 }, () => {
  expect(deadFiles(sources())).toEqual([]);
});

it("a source that only its own test uses is dead; what programs lead to is not", () => {
  const all = [
    parseSource("cli/main.ts", 'await import("./plan.ts"); fork("./worker.ts");'),
    parseSource("cli/plan.ts", 'import type { Plan } from "../core/plan.ts";'),
    parseSource("cli/worker.ts", ""),
    parseSource("core/plan.ts", ""),
    parseSource("core/dead.ts", ""),
    parseSource("core/dead.test.ts", 'import "./dead.ts"; import "../test/help.ts";'),
    parseSource("test/help.ts", ""),
    parseSource("test/unused.ts", ""),
  ];
  expect(deadFiles(all)).toEqual([
    "core/dead.ts: nothing leads here",
    "test/unused.ts: nothing leads here",
  ]);
});
