// Tests that docs/ explains every code that users can see, and no other code.
import { describe, expect, it } from "vitest";
import { diagnosticCodes } from "../../core/diagnostics.ts";
import { statusOf } from "../../api/problems.ts";
import { exitCodeOf } from "../../cli/shared/exit-codes.ts";
import { type ErrorCode, errorCodes, Failure } from "../../core/errors.ts";
import { codeProblems } from "./documented-codes.ts";
import { has, read } from "./repository-files.ts";

describe("codes", () => {
  it.each([
    ["docs/reference/errors.md", errorCodes],
    ["docs/reference/diagnostics.md", diagnosticCodes],
  ])("are explained in %s", (page, codes) => {
    expect(codeProblems(Object.keys(codes), page, has(page) ? read(page) : "")).toEqual([]);
  });

  it("of errors are explained with their HTTP status and exit code", () => {
    const rows = read("docs/reference/errors.md").matchAll(
      /^\| `(\w+)` \| (?:(\d{3}) \| )?(\d+) \|/gmu,
    );
    const documented = [...rows].map(([, code, status, exit]) => [code, status, exit]);
    expect(documented).toHaveLength(Object.keys(errorCodes).length);
    for (const [code, status, exit] of documented) {
      const failure = new Failure(code as ErrorCode, "x");
      expect([code, exit]).toEqual([code, String(exitCodeOf(failure))]);
      if (status !== undefined)
        expect([code, status]).toEqual([code, String(statusOf(failure.code))]);
    }
  });

  it("are compared both ways", () => {
    const page = "# Codes\n\n## `not_found`\n\n| `gone` | x |\n\nSee `other`.\n";
    expect(codeProblems(["not_found", "stale"], "p.md", page)).toEqual([
      "p.md does not explain stale",
      "p.md explains gone, which does not exist",
    ]);
  });
});
