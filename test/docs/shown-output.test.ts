// Tests that pages show at least one line of what a command prints, because `…` alone would accept any output.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { showsOnlyOmission, stepsOf } from "./page.ts";

const root = join(import.meta.dirname, "../..");
const pages = globSync("docs/{tutorials,how-to}/*.md", { cwd: root })
  .filter((page) => readFileSync(join(root, page), "utf8").includes("```console"))
  .toSorted();

it("finds the pages that show commands", () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages).toContain("docs/tutorials/getting-started.md");
});

it.each(pages)("%s shows output of each command that prints some", (page) => {
  const omitted = stepsOf(readFileSync(join(root, page), "utf8")).flatMap((step) =>
    step.step === "command" && showsOnlyOmission(step)
      ? [`${page}:${step.line} ${step.command}`]
      : [],
  );
  expect(omitted).toEqual([]);
});
