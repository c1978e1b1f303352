// Tests that every link of the documentation leads to an existing file and heading.
import { describe, expect, it } from "vitest";
import { linkProblems } from "./links.ts";
import { files, has, read } from "./repository-files.ts";

const folders = new Set(
  files().flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  }),
);
const textOf = (path: string): string | undefined =>
  has(path) ? read(path) : folders.has(path) ? "" : undefined;

/** Pages, except those of the Terraform registry, which has its own rules for links. */
const pages = files().filter((path) =>
  /^(?:(?:docs\/(?!terraform\/)|bench|examples)\/?.*|[^/]+)\.md$/u.test(path),
);

describe("links of the documentation", () => {
  it("are reported if the file or the heading does not exist", () => {
    const written: Readonly<Record<string, string>> = {
      "docs/a.md": [
        "[b](b.md) [c](c.md#c) [up](../README.md) [here](#a-b-or-code) [web](https://a.example/x.md)",
        "`[code](x.md)`",
        "## A b, or `code`",
        "```sh\n[code](y.md)\n```",
      ].join("\n"),
      "docs/b.md": "# B",
      "README.md": "",
    };
    const reports = (text: string) =>
      linkProblems("docs/a.md", (path) => ({ ...written, "docs/a.md": text })[path]);
    expect(reports(written["docs/a.md"] ?? "")).toEqual(["docs/a.md: there is no docs/c.md"]);
    expect(reports("[b](b.md#b) [b](b.md#c) [x](#x)")).toEqual([
      "docs/a.md: docs/b.md has no heading #c",
      "docs/a.md: docs/a.md has no heading #x",
    ]);
  });

  it("lead to files and headings that exist", () => {
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.flatMap((page) => linkProblems(page, textOf))).toEqual([]);
  });
});
