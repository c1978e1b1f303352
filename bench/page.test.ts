// Tests that a run of some benches replaces their pages and keeps the other pages.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPages, writePages } from "./page-files.ts";
import { type BenchResult, updatePages as updateWith } from "./page.ts";

const names = ["plan", "apply", "earlier start"];
const none: ReadonlyMap<string, string> = new Map();

function updatePages(
  before: ReadonlyMap<string, string>,
  results: readonly BenchResult[],
  order = names,
) {
  return updateWith(before, results, { names: order, isInHistory: () => true });
}

function result(name: string, ms: string): BenchResult {
  return {
    name,
    measurement: {
      date: "2026-01-31",
      commit: "abc1234",
      load: [0.5, 1.25],
      othersCores: [0.02, 0.1],
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

it("writes a page with its commit and load, and an index in the order of the benches", () => {
  const pages = updatePages(none, [result("earlier start", "3 ms"), result("plan", "1 ms")]);
  expect([...pages.keys()]).toEqual([
    "benchmarks.md",
    "benchmarks/plan.md",
    "benchmarks/earlier-start.md",
  ]);
  expect(pages.get("benchmarks/plan.md")).toBe(`<!-- Written by \`npm run bench\`. Do not edit. -->

# Benchmark: plan

Measured on 2026-01-31 at commit abc1234, in 12 s, with a load of 0.5 before and 1.3 after, on 2 cores. Other work took 0.02 before and 0.10 cores after: calm.

A title:

|  | median |
| --- | --: |
| ours | 1 ms |

[Benchmarks](../benchmarks.md)
`);
  expect(pages.get("benchmarks.md")).toContain(`## Benches

| bench | measured on | at commit | machine |
| --- | --- | --- | --- |
| [plan](benchmarks/plan.md) | 2026-01-31 | abc1234 | calm |
| [earlier start](benchmarks/earlier-start.md) | 2026-01-31 | abc1234 | calm |
`);
});

it("replaces the pages that were measured again, and keeps the others", () => {
  const before = updatePages(none, [result("plan", "1 ms"), result("earlier start", "3 ms")]);
  const after = updatePages(before, [result("plan", "2 ms"), result("apply", "9 ms")]);
  expect([...after].map(([, text]) => /^\| ours.*$/mu.exec(text)?.[0])).toEqual([
    undefined,
    "| ours | 2 ms |",
    "| ours | 9 ms |",
    "| ours | 3 ms |",
  ]);
  expect(updatePages(after, [])).toEqual(after);
});

it("compares what is measured now with what was before", () => {
  const rows = [
    ["", "median", "to bare"],
    ["svc plan of one document", "123 ms", "4.00 x"],
  ];
  const tables = [{ title: "CPU of commands, built, 9 rounds", rows }];
  const order = ["plan", "start"];
  const before = updatePages(none, [{ ...result("start", "3 ms"), tables }], order);
  const line = "| CPU of `svc plan` of one document | 830 ms | - | 123 ms | at most 250 ms | yes |";
  expect(before.get("benchmarks.md")).toContain(line);
  const after = updatePages(before, [result("plan", "1 ms")], order);
  expect(after.get("benchmarks.md")).toContain(line);
});

it.each([
  [
    "at most a time",
    ["start", "CPU of commands, built", "svc plan of one document", "median", "0.26 s"],
  ],
  [
    "at most some writes",
    ["terraform", "1000 resources, a run each", "apply", "calls", "9 reads, 101 writes"],
  ],
  ["at least a ratio", ["scim", "SCIM per second", "PATCH of one user", "to bare", "0.32"]],
])(
  "marks an aim that is missed: %s",
  (_, [bench = "", title = "", row = "", column = "", cell = ""]) => {
    const tables = [
      {
        title,
        rows: [
          ["", column],
          [row, cell],
        ],
      },
    ];
    const pages = updatePages(none, [{ ...result(bench, ""), tables }], [bench]);
    const missed = (pages.get("benchmarks.md") ?? "")
      .split("\n")
      .filter((line) => line.includes("**no**"));
    expect(missed).toEqual([expect.stringContaining(`| ${cell} | at `)]);
  },
);

it("marks what was measured while other work ran", () => {
  const { measurement, ...rest } = result("plan", "1 ms");
  const loaded = { ...rest, measurement: { ...measurement, othersCores: [0.02, 0.8] as const } };
  expect(updatePages(none, [loaded]).get("benchmarks.md")).toContain("| abc1234 | loaded |");
});

it("drops the page of a bench that no longer exists, also from the folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-pages-"));
  try {
    mkdirSync(join(folder, "cli"));
    writeFileSync(join(folder, "cli.md"), "of others");
    writePages(folder, updatePages(none, [result("plan", "1 ms"), result("apply", "3 ms")]));
    expect(readdirSync(join(folder, "benchmarks"))).toEqual(["apply.md", "plan.md"]);
    writePages(folder, updatePages(readPages(folder), [], ["plan"]));
    expect(readdirSync(join(folder, "benchmarks"))).toEqual(["plan.md"]);
    expect(readFileSync(join(folder, "benchmarks.md"), "utf8")).not.toContain("apply");
    expect(readdirSync(folder).toSorted()).toEqual([
      "benchmarks",
      "benchmarks.md",
      "cli",
      "cli.md",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("drops what was measured at a commit that is not in the history, or with local changes", () => {
  const at = (name: string, commit: string): BenchResult => {
    const { measurement, ...rest } = result(name, "1 ms");
    return { ...rest, measurement: { ...measurement, commit } };
  };
  const results = [
    at("plan", "abc1234"),
    at("apply", "def5678"),
    at("earlier start", "abc1234 with local changes"),
  ];
  const before = updatePages(none, results);
  expect(before.size).toBe(4);
  const after = updateWith(before, [], { names, isInHistory: (commit) => commit === "abc1234" });
  expect([...after.keys()]).toEqual(["benchmarks.md", "benchmarks/plan.md"]);
});
