// The limits of the compiler of data models: sizes, depths, and SQL that grows by references.
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import type { CompileResult } from "./types.ts";

/** Compiles one file. */
function compile(content: string): CompileResult {
  return compileModel([{ path: "model/cubes.yml", content }]);
}

/** Returns each error as `line:column message`. */
function errorsOf(content: string): readonly string[] {
  return compile(content).errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("a compile is bounded", () => {
  test.each([
    ["a circular alias", "cubes: &a\n  - *a\n", "an alias contains itself"],
    ["deep values", `cubes: ${"[".repeat(100)}${"]".repeat(100)}\n`, "nests deeper than"],
    [
      "aliases that multiply",
      `a: &a [${"1,".repeat(999)}1]\nb: &b [${"*a,".repeat(99)}*a]\ncubes: [${"*b,".repeat(9)}*b]\n`,
      "values",
    ],
  ])("%s", (_, content, expected) => {
    const { errors, model } = compile(content);
    expect(model).toBeUndefined();
    expect(errors[0]?.message).toMatch(new RegExp(`${expected}|YAML`));
  });

  test("nested functions are refused with one error", () => {
    const sql = `${"{SQL_UTILS.convertTz(".repeat(9000)}x`;
    expect(errorsOf(JSON.stringify({ cubes: [{ name: "a", sql }] })).length).toBe(1);
  });

  test("errors: their number, their length, and the time that they take", () => {
    const members = Array.from({ length: 3000 }, (_, index) => ({
      name: `d${index}`,
      sql: `{d${(index + 1) % 3000}} + {d0} + {missing_${index}}`,
      type: "string",
    }));
    const before = process.cpuUsage();
    const { errors } = compile(
      JSON.stringify({ cubes: [{ name: "a", sql_table: "a", dimensions: members }] }),
    );
    expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(1010);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
  });
});

describe("SQL that grows by references", () => {
  const cube = (members: Readonly<Record<string, readonly object[]>>) =>
    JSON.stringify({ cubes: [{ name: "a", sql_table: "a", ...members }] });
  const levels = <T>(count: number, member: (level: number) => T) =>
    Array.from({ length: count }, (_, level) => member(level));
  const twice = (letter: string, level: number) =>
    level === 0 ? "1" : `{${letter}${level - 1}} + {${letter}${level - 1}}`;
  const dimension = (level: number) => ({
    name: `d${level}`,
    type: "number",
    sql: twice("d", level),
  });

  test.each<[string, string, string]>([
    ["dimensions", cube({ dimensions: levels(40, dimension) }), "a.d15"],
    [
      "measures",
      cube({
        measures: levels(40, (level) => ({
          name: `m${level}`,
          type: level === 0 ? "sum" : "number",
          sql: twice("m", level),
        })),
      }),
      "a.m15",
    ],
    [
      "segments and cases",
      cube({
        segments: levels(40, (level) => ({ name: `s${level}`, sql: twice("s", level) })),
        dimensions: [
          {
            name: "choice",
            type: "string",
            case: { when: [{ sql: "{s15}", label: { sql: "{s15}" } }], else: { label: "x" } },
          },
        ],
      }),
      "a.s15",
    ],
    [
      "cubes",
      JSON.stringify({
        cubes: levels(9, (level) => ({
          name: `c${level}`,
          sql: level === 0 ? "SELECT 1" : `{c${level - 1}.sql()} `.repeat(10),
        })),
      }),
      "c5",
    ],
  ])("%s", (_, content, name) => {
    const { errors, model } = compile(content);
    expect(model).toBeUndefined();
    expect(errors[0]).toMatchObject({ fileName: "model/cubes.yml", line: 1 });
    expect(errors[0]?.message).toMatch(
      new RegExp(`^${name} makes queries write \\d+ characters of SQL, more than 4194304: `),
    );
  });

  test("a long chain, at its place and once", () => {
    const lines = levels(4000, (level) =>
      JSON.stringify({ ...dimension(level), sql: level === 0 ? "1" : `{d${level - 1}}` }),
    );
    expect(
      errorsOf(
        `cubes:\n  - name: a\n    sql_table: a\n    dimensions:\n${lines.map((one) => `      - ${one}\n`).join("")}`,
      ),
    ).toEqual([
      "106:46 a.d101 references members more than 100 levels deep: a.d101 -> a.d100 -> a.d99 -> a.d98 -> a.d97 -> … -> a.d3 -> a.d2 -> a.d1 -> a.d0; write the SQL of some of them in place of a reference",
    ]);
  });

  test("a column of a stage or a subquery counts once, however often measures use it", () => {
    const large = `CASE ${"WHEN amount = 1 THEN 2 ".repeat(5000)}END`;
    const { errors } = compile(
      cube({
        dimensions: [{ name: "id", sql: "id", type: "number", primary_key: true }],
        measures: [
          { name: "m0", type: "sum", sql: large },
          ...levels(20, (level) => ({
            name: `m${level + 1}`,
            type: "number",
            multi_stage: true,
            sql: twice("m", level + 1),
          })),
          { name: "ratio", type: "number", sql: "{m0} / {m0} + {m0} / {m0} + {m0}" },
        ],
      }),
    );
    expect(errors).toEqual([]);
  });

  test("a cycle of cubes is reported with its path", () => {
    const cubes = ["a", "b"].map((name) => ({
      name,
      sql: `SELECT * FROM ({${name === "a" ? "b" : "a"}.sql()})`,
    }));
    expect(errorsOf(JSON.stringify({ cubes }))).toEqual(["1:29 a references itself: a -> b -> a"]);
  });
});
