// Tests that docs/ explains every code that users can see, and no other code.
import { describe, expect, it } from "vitest";
import { diagnosticCodes } from "../../core/diagnostics.ts";
import { statusOf } from "../../api/problems.ts";
import { exitCodeOf } from "../../cli/shared/exit-codes.ts";
import { type ErrorCode, errorCodes, Failure } from "../../core/errors.ts";
import { codeProblems } from "./documented-codes.ts";
import { has, read } from "./repository-files.ts";

/** Returns the first cells of each row of a table that begins with a code. */
function rowsIn(section: string, count: number): readonly string[] {
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, count + 1)
        .map((cell) => cell.trim())
        .join(" "),
    )
    .map((row) => row.replaceAll("`", ""));
}

describe("codes", () => {
  it.each([
    ["docs/reference/errors.md", errorCodes],
    ["docs/reference/diagnostics.md", diagnosticCodes],
  ])("are explained in %s", (page, codes) => {
    expect(codeProblems(Object.keys(codes), page, has(page) ? read(page) : "")).toEqual([]);
  });

  it("of errors are explained with their HTTP status and exit code", () => {
    const [, ofService = "", ofSvc = ""] = read("docs/reference/errors.md").split(/^## /mu);
    const codes = Object.keys(errorCodes) as ErrorCode[];
    const known = codes.map((code) => {
      const exit = exitCodeOf(new Failure(code, "x"));
      // Codes that no service returns have the status of `internal`.
      const isOfService = code === "internal" || statusOf(code) !== statusOf("internal");
      return isOfService ? `${code} ${statusOf(code)} ${exit}` : `${code} ${exit}`;
    });
    const rows = [...rowsIn(ofService, 3), ...rowsIn(ofSvc, 2)];
    expect(rows.toSorted()).toEqual(known.toSorted());
  });

  it("are compared both ways", () => {
    const page = "# Codes\n\n## `not_found`\n\n| `gone` | x |\n\nSee `other`.\n";
    expect(codeProblems(["not_found", "stale"], "p.md", page)).toEqual([
      "p.md does not explain stale",
      "p.md explains gone, which does not exist",
    ]);
  });
});
