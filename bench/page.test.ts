// Tests that a run of some benches replaces their sections and keeps the others.
import { expect, it } from "vitest";
import { type BenchResult, updatePage as updateWith } from "./page.ts";

const names = ["plan", "apply", "start"];

function updatePage(page: string, results: readonly BenchResult[], order: readonly string[]) {
  return updateWith(page, results, { names: order, isInHistory: () => true });
}

function result(name: string, ms: string): BenchResult {
  return {
    name,
    measurement: {
      date: "2026-01-31",
      commit: "abc1234",
      load: [0.5, 1.25],
      machine: "2 cores",
      seconds: 12,
    },
    tables: [
      {
        title: "A title",
        rows: [
          ["", "median"],
          ["ours", ms],
        ],
      },
    ],
  };
}

it("writes a section with its commit and load, in the order of the benches", () => {
  const page = updatePage("", [result("start", "3 ms"), result("plan", "1 ms")], names);
  expect(page.match(/^## .*$/gmu)).toEqual(["## In short", "## plan", "## start"]);
  expect(page).toContain(
    "Measured on 2026-01-31 at commit abc1234, in 12 s, with a load of 0.5 before and 1.3 after, on 2 cores.",
  );
  expect(page).toContain("A title:\n\n|  | median |\n| --- | --: |\n| ours | 1 ms |\n");
});

it("replaces the sections that were measured again, and keeps the others", () => {
  const before = updatePage("", [result("plan", "1 ms"), result("start", "3 ms")], names);
  const after = updatePage(before, [result("plan", "2 ms"), result("apply", "9 ms")], names);
  expect(after.match(/^\| ours.*$/gmu)).toEqual([
    "| ours | 2 ms |",
    "| ours | 9 ms |",
    "| ours | 3 ms |",
  ]);
  expect(updatePage(after, [], names)).toBe(after);
});

it("compares what is measured now with what was before", () => {
  const rows = [
    ["", "median", "to bare"],
    ["svc plan of one document", "123 ms", "4.00 x"],
  ];
  const tables = [{ title: "CPU of commands, built, 9 rounds", rows }];
  const before = updatePage("", [{ ...result("start", "3 ms"), tables }], names);
  const line = "| CPU of `svc plan` of one document | 830 ms | - | 123 ms | 250 ms |";
  expect(before).toContain(line);
  expect(updatePage(before, [result("plan", "1 ms")], names)).toContain(line);
});

it("drops the section of a bench that no longer exists", () => {
  const before = updatePage("", [result("plan", "1 ms"), result("start", "3 ms")], names);
  expect(updatePage(before, [], ["plan"])).not.toContain("## start");
});

it("drops what was measured at a commit that is not in the history, or with local changes", () => {
  const at = (name: string, commit: string): BenchResult => {
    const { measurement, ...rest } = result(name, "1 ms");
    return { ...rest, measurement: { ...measurement, commit } };
  };
  const results = [
    at("plan", "abc1234"),
    at("apply", "def5678"),
    at("start", "abc1234 with local changes"),
  ];
  const before = updatePage("", results, names);
  expect(before.match(/^## .*$/gmu)).toHaveLength(4);
  const after = updateWith(before, [], { names, isInHistory: (commit) => commit === "abc1234" });
  expect(after.match(/^## .*$/gmu)).toEqual(["## In short", "## plan"]);
});
