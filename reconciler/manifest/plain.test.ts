// The plain reading of YAML against the library's: it may leave a text to the library, but never read another value in it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonValue } from "../../core/json.ts";
import { parse } from "./parse.ts";
import { plainDocument } from "./plain.ts";

function plain(text: string): JsonValue | undefined {
  return plainDocument(text, 0, text.length)?.value;
}

/** What the library reads, or undefined where it finds anything wrong. */
function byLibrary(
  text: string,
): { readonly value: JsonValue; readonly offset: number } | undefined {
  const documents = parseAllDocuments(text, { stringKeys: true, prettyErrors: false });
  const [document] = documents;
  if (!Array.isArray(documents) || document === undefined || documents.length > 1) return undefined;
  if (document.errors.length + document.warnings.length > 0) return undefined;
  return { value: document.toJS() as JsonValue, offset: document.contents?.range?.[0] ?? -1 };
}

describe("a plain document", () => {
  it("is read as most manifests are written", () => {
    const text = [
      "# A group.",
      "kind: EmbedGroup",
      "metadata: { name: viewers, labels: { team: growth, level: 3 } }",
      "",
      "spec:",
      '  name: "Viewers: all"',
      "  description: May read, 3rd floor (north).",
      "  members:",
      "  - jane",
      "  - 'joe'",
      "  empty:",
      "  flags: [true, null, []]",
      "",
    ].join("\n");
    expect(plain(text)).toEqual(byLibrary(text)?.value);
    expect(plain(text)).toMatchObject({ metadata: { labels: { level: 3 } } });
  });

  it.each([
    "a: 1\na: 2\n",
    "a: b\n  c\n",
    "a: |\n  b\n",
    "a: &x b\n",
    "a: b: c\n",
    "a: b # c\n",
    "a:\tb\n",
    "a: 1.5\n",
    "a: -1\n",
    "a: ~\n",
    '"a": b\n',
    "- a\n",
    "a: [b\n",
    "a: {b:c}\n",
    "a:\n  - b\n  c: d\n",
    "__proto__: a\n",
    "a: b\n c: d\n",
    "a\n",
    "",
  ])("leaves %j to the library", (text) => {
    expect(plain(text)).toBeUndefined();
  });
});

describe("for any text", () => {
  const words = ["a", "b", "null", "TRUE", "12", "007", "1.5", "0x1f", "x y", "3rd", "é", "~"];
  const signs = Array.from(":-#,[]{}\"'&*!|>%@`?.=<\t\r\\\u0000\u00a0\u2028\ufeff");
  const piece = fc.constantFrom(...words, ...signs, " ", " ", ": ", " #", "- ", "<<");
  const inline = fc.array(piece, { maxLength: 6 }).map((all) => all.join(""));
  const flow = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "small" }, fc.constantFrom(...words), tie("map"), tie("list")),
    map: fc
      .array(
        fc.tuple(fc.constantFrom("a", "b", '"c"', "<<"), fc.constantFrom(": ", ":"), tie("any")),
        {
          maxLength: 3,
        },
      )
      .map((all) => `{ ${all.map((one) => one.join("")).join(", ")} }`),
    list: fc.array(tie("any"), { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
  })).any as fc.Arbitrary<string>;
  const line = fc
    .tuple(
      fc.constantFrom("", "", "", " ", "  ", "    "),
      fc.constantFrom("a:", "b:", "c-d:", "true:", "- ", "-", "#", "", "a"),
      fc.constantFrom("", " ", " ", "  "),
      fc.oneof(fc.constant(""), fc.constantFrom(...words), inline, flow),
    )
    .map((parts) => parts.join(""));
  const text = fc
    .tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom("", "\n"))
    .map(([lines, end]) => lines.join("\n") + end);

  it("is what the library reads, at the same place, or left to it", () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = plainDocument(given, 0, given.length);
        if (found !== undefined) expect(found).toEqual(byLibrary(given));
      }),
      { numRuns: 20_000 },
    );
  });

  it("splits a file where the library does, and tells the same places", () => {
    const markers = fc.constantFrom("\n---\n", "\n---  \n", "\n--- # x\n", "\n...\n", "\n");
    const file = fc
      .array(fc.tuple(text, markers), { maxLength: 4 })
      .map((all) => all.flat().join(""));
    fc.assert(
      fc.property(file, (given) => {
        const { documents, diagnostics } = parse("a.yaml", given);
        if (diagnostics.length > 0) return;
        const read = parseAllDocuments(given, { stringKeys: true, uniqueKeys: false });
        const all = (Array.isArray(read) ? read : []).map((one) => [
          one.toJS() as JsonValue,
          lineOf(given, one.contents?.range?.[0] ?? 0),
        ]);
        expect(documents.map(({ value, place }) => [value, place.line])).toEqual(
          all.filter(([value]) => value !== null),
        );
      }),
      { numRuns: 300 },
    );
  });
});

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
