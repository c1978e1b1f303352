// The project speaks the language of its field; the checker finds private words in prose, names and paths.
import { describe, expect, it } from "vitest";
import { files, read, sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";
import { wordsInDocument, wordsInSource } from "./vocabulary.ts";

describe("vocabulary", () => {
  it.each([
    "// What a manifest can wish for.\nconst x = 1;",
    'const message = "nobody is there to confirm";',
    "const message = `the plan is anew ${1}`;",
    "const tally = 1;",
    "function whenceOf() {}",
    "const firstWay = 1;",
    "const message = `deleting ${1} takes ${2} along`;",
    "const message = `${1} is\nanew`;",
    "const name = `${1}tally`;",
    "const message = `a mistake${1} is shown`;",
    "// A process that took the lock over.",
    "/** First let the hook run. */",
    "// The state lies in a file.",
    "const takesAlong = 1;",
    "const remakeCount = 1;",
    "const deleteBudget = 1;",
    "interface Sender { readonly line: Transport; }",
    "function send(line: { write(): void }) {}",
    "const line: readonly Word[] = [];",
  ])("finds a private word: %s", (text) => {
    expect(wordsInSource(parseSource("core/a.ts", text))).toHaveLength(1);
  });

  it.each([
    "// Returns the desired object.\nconst x = 1;",
    'const message = "no terminal to ask for confirmation";',
    "const metallic = 1;",
    'import findMyWay from "find-my-way";',
    "const gateway = 1;",
    "const message = `in ${1} the ${2}`;",
    "const message = `takes ${1} of what is over`;",
    'const flag = "--wasm-tiering-budget=1";',
    "interface Place { readonly line: number; }",
    "const lines = text.map((line: string) => line);",
  ])("accepts the words of the field: %s", (text) => {
    expect(wordsInSource(parseSource("core/a.ts", text))).toEqual([]);
  });

  it("finds private words in documents and paths", () => {
    expect(wordsInDocument("docs/whence.md", "Every mistake is shown.")).toHaveLength(2);
  });

  it("is that of the field in every source and document", () => {
    // The checker and its tests quote the banned words.
    const inSources = sources()
      .filter(({ path }) => !/^test\/tidy\/vocabulary[^/]*\.ts$/u.test(path))
      .flatMap(wordsInSource);
    const inDocuments = files()
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => wordsInDocument(path, read(path)));
    expect([...inSources, ...inDocuments]).toEqual([]);
  });
});
