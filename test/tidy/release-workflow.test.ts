// Tests that the workflow of a release runs every test case before it publishes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Job {
  readonly needs?: string;
  readonly env?: object;
  readonly steps: readonly { readonly run?: string }[];
}

it("runs every test case before the job that publishes a release", () => {
  const file = join(import.meta.dirname, "../../packaging/release.github.yml");
  const { jobs } = parse(readFileSync(file, "utf8")) as { jobs: Record<string, Job> };
  const { test, release } = jobs;
  expect(test?.env).toMatchObject({ SVC_TEST_CASES: "all" });
  expect(test?.steps.map(({ run }) => run)).toContain(".ci/run");
  expect(release?.needs).toBe("test");
});
