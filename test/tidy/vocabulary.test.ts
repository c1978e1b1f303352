// Tests that the project uses the words of its field: the check finds private words in prose, names and paths.
import { describe, expect, it } from "vitest";
import { files, read, sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";
import { wordsInDocument, wordsInPath, wordsInSource } from "./vocabulary.ts";

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
    "const anew = 1;",
    "const mendCount = 1;",
    "const isVeiled = true;",
    "class Stack { #wayBack = 1; }",
    "class Stack { readonly #firstWay = 1; }",
    "const HTTPWay = 1;",
    "const heldBy = 1;",
    "const letGo = 1;",
    "const complaints = 1;",
    "const world = 1;",
    "interface Known { readonly x: number; }",
    "type Asked = number;",
    "class Given {}",
    "const made = 1;",
    "const { id: gone } = user;",
    "const [, { asked = 1 }] = calls;",
    "const { ...said } = first;",
    "function there() {}",
    "const send = (asked: string) => 1;",
    "interface Setup { readonly use: (made: number) => void; }",
    "const shown = /\\btold by\\b/u;",
    "// What the apply carries out.",
    "// A role, beside the built-in ones.",
    "// The address is that of the server.",
    "// The rules stand above the others.",
    'const message = "all errors are shown at once";',
    "// Returns a number; null if it is none.",
    "// The server does not tell the reason.",
    "const tellUser = 1;",
    "// The secret of now is kept.",
    "// The file has another content.",
    "/** Creates what finds the clients. */",
    'const message = "the live value is left alone";',
    "// The next run goes on from there.",
    "// The imports form a circle.",
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
    "const slugTakeover = true;",
    "const { gone: deletedAddresses } = record;",
    "const record = { made: 1 };",
    "const shown = record.said;",
    "const knownKinds: KnownKinds = 1;",
    "const start = /\\bway/u;",
    "// Returns the lock; undefined if there is none.",
    "/** Returns what is left of the quota. */",
    "// `{name}` stands for the name of the deployment.",
    "// The last-applied state stands in for a document that cannot be read.",
  ])("accepts the words of the field: %s", (text) => {
    expect(wordsInSource(parseSource("core/a.ts", text))).toEqual([]);
  });

  it("finds private words in documents and paths", () => {
    expect(wordsInDocument("docs/whence.md", "Every mistake is shown.")).toHaveLength(2);
  });

  it.each([
    "core/veil.ts",
    "client/line.ts",
    "reconciler/caller/grants.ts",
    "cli/operations/failure-words.test.ts",
    "lifecycle/complaints.ts",
    "cli/given-file.ts",
    "reconciler/keeping.ts",
    "client/ground.ts",
    "client/offer.ts",
    "controller/round.ts",
    "lifecycle/goes-with.ts",
    "reconciler/inventory/held.ts",
    "examples/ci/anew.sh",
  ])("finds a private word in a path: %s", (path) => {
    expect(wordsInPath(path)).toHaveLength(1);
  });

  it.each([
    "cli/shared/output/status-line.ts",
    "service/http/routes.ts",
    "service/data-plane/caller.ts",
  ])("accepts a path: %s", (path) => {
    expect(wordsInPath(path)).toEqual([]);
  });

  it("is the vocabulary of the field in every file", () => {
    // The checker and its tests quote the banned words.
    const isChecked = (path: string) => !/^test\/tidy\/vocabulary[^/]*\.ts$/u.test(path);
    const others = files().filter((path) => !path.endsWith(".ts"));
    const code = [
      ...sources().filter(({ path }) => isChecked(path)),
      ...others.filter(isCode).map((path) => parseSource(path, read(path))),
    ];
    const found = [
      ...code.flatMap(wordsInSource),
      ...others.filter(isDocument).flatMap((path) => wordsInDocument(path, read(path))),
      ...others.filter((path) => !isCode(path) && !isDocument(path)).flatMap(wordsInPath),
    ];
    expect(found).toEqual([]);
  });
});

function isCode(path: string): boolean {
  return /\.[cm]js$/u.test(path);
}

/** Returns true for files of prose, and for files whose comments are prose. */
function isDocument(path: string): boolean {
  return /(?:\.(?:md|sh|ya?ml|html|tf)|\/Containerfile|^\.ci\/run)$/u.test(path);
}
