// Tests that the README and similar pages have no placeholder and no figure that only a run can measure.
import { expect, it } from "vitest";
import { files as all, read } from "./repository-files.ts";

const files = all().filter((path) => /^(?:(?:docs|bench|examples)\/.+|[^/]+)\.md$/u.test(path));

/** Words for unfinished work, and counts of tests, which the next test makes stale. */
const unfinishedText =
  /\b(?:TODO|TBD|FIXME|XXX|lorem ipsum|coming soon)\b|<(?:insert|your|todo)[^>]*>|\b\d[\d,]* (?:tests? )?passed\b/giu;

it("finds pages of every depth", () => {
  expect(files).toEqual(expect.arrayContaining(["README.md", "docs/reference/cli/plan.md"]));
});

it.each(files)("%s has no placeholder", (file) => {
  expect(read(file).match(unfinishedText) ?? []).toEqual([]);
});

/** Pages for users of Terraform and Pulumi, who do not write manifests. */
const engineDocs = all().filter((path) =>
  /^(?:docs\/terraform\/|provider\/(?:pulumi|cdktf|cdktn)\/sdk\/|schemas\/(?:pulumi|terraform)\.json$)/.test(
    path,
  ),
);

it("what engines' users read is not reported in the grammar of manifests", () => {
  expect(engineDocs.length).toBeGreaterThan(20);
  expect(engineDocs.filter((path) => /secretTo|\$\{env:|valueFrom/.test(read(path)))).toEqual([]);
});
