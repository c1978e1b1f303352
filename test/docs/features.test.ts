// Tests the table of features beside other tools: each row names a test of svc that exists, and every cell has an answer.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = join(root, "docs/reference/features.md");

/** The rows of all tables, without their heads. */
const rows = readFileSync(page, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| capability"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

it("names a test that exists in each row", () => {
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.filter(([, , own = ""]) => {
    const [, path] = /^yes: `(\S+\.test\.ts)`$/u.exec(own) ?? [];
    return path === undefined || !existsSync(join(root, path));
  });
  expect(missing).toEqual([]);
});

it("answers for every tool", () => {
  const answer = /^(?:yes|no|partly: .+|yes: .+|no: .+)$/u;
  const wrong = rows.filter(
    (cells) => cells.length !== 8 || !cells.slice(3, -1).every((cell) => answer.test(cell)),
  );
  expect(wrong).toEqual([]);
});
