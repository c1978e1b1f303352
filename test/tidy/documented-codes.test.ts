// Tests that docs/ explains every code that users can see, and no other code.
import { describe, expect, it } from "vitest";
import { diagnosticCodes } from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import { codeProblems } from "./documented-codes.ts";
import { has, read } from "./repository-files.ts";

describe("codes", () => {
  it.each([
    ["docs/reference/errors.md", errorCodes],
    ["docs/reference/diagnostics.md", diagnosticCodes],
  ])("are explained in %s", (page, codes) => {
    expect(codeProblems(Object.keys(codes), page, has(page) ? read(page) : "")).toEqual([]);
  });

  it("are compared both ways", () => {
    const page = "# Codes\n\n## `not_found`\n\n| `gone` | x |\n\nSee `other`.\n";
    expect(codeProblems(["not_found", "stale"], "p.md", page)).toEqual([
      "p.md does not explain stale",
      "p.md explains gone, which does not exist",
    ]);
  });
});
