// Tests the limits of documentation: lengths of pages and, in text by people, of lines, sentences and decision records.
import { describe, expect, it } from "vitest";
import { maxPageLines } from "../../scripts/markdown.ts";
import { maxColumns, maxRecordLines, maxWords, pageProblems, proseProblems } from "./prose.ts";
import { files, read } from "./repository-files.ts";

const page = "docs/how-to/page.md";
const words = (count: number) => Array.from({ length: count }, () => "ab").join(" ");

const documentation = files().filter((path) => /^docs\/.+\.md$/u.test(path));

/** Hand-written pages; the first line of a generated page marks it as generated. */
const pages = files().filter(
  (path) =>
    /^(?:README|CONTRIBUTING|CHANGELOG|bench\/README|docs\/(?!terraform\/).+)\.md$/u.test(path) &&
    !/^<!-- (?:Generated|Written by)/u.test(read(path)),
);

describe("limits of documentation", () => {
  it("reports a long line, and says what to do", () => {
    expect(proseProblems(page, `short\n${"abc, ".repeat(25)}`)).toEqual([
      `${page}:2: 125 columns, at most ${maxColumns}: break the line between two words`,
    ]);
  });

  it.each([
    ["the target of a link", `[a](${"b".repeat(200)})`],
    ["a table", `| ${"a ".repeat(100)} |`],
    ["code", `\`\`\`sh\n${"a ".repeat(100)}\n\`\`\``],
  ])("accepts a long line of %s", (_, text) => {
    expect(proseProblems(page, text)).toEqual([]);
  });

  it("reports a long sentence that is spread over lines", () => {
    expect(proseProblems(page, `A b.\n- ${words(20)}\n  ${words(16)}.\n`)).toEqual([
      expect.stringContaining(`${page}:2: a sentence of 36 words, at most ${maxWords}`),
    ]);
  });

  it("counts inline code as one word, and ends a sentence at a period or with its list item", () => {
    const text = `${words(34)} \`a b c d\`. ${words(35)}.\n- ${words(30)}\n- ${words(30)}`;
    expect(proseProblems(page, text.replaceAll(/(?:ab ){20}/gu, "$&\n"))).toEqual([]);
  });

  it("reports a long page and a long decision record", () => {
    expect(proseProblems(page, "- a\n".repeat(maxPageLines))).toEqual([]);
    expect(proseProblems(page, "- a\n".repeat(maxPageLines + 1))).toHaveLength(1);
    const record = "docs/decisions/0001-a.md";
    expect(proseProblems(record, "- a\n".repeat(maxRecordLines))).toEqual([]);
    expect(proseProblems(record, "- a\n".repeat(maxRecordLines + 1))).toHaveLength(1);
  });

  it("bound the pages that are generated, too", () => {
    expect(documentation.length).toBeGreaterThan(pages.length + 100);
    expect(documentation.flatMap((path) => pageProblems(path, read(path)))).toEqual([]);
  });

  it("advise no command that npm would fetch from another package", () => {
    // The registry has an unrelated package named `svc`.
    expect(pages.filter((path) => /\bnpx (?:-y |--yes )?svc\b/u.test(read(path)))).toEqual([]);
  });

  it("are kept by every page that people write", () => {
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.flatMap((path) => proseProblems(path, read(path)))).toEqual([]);
  });
});
