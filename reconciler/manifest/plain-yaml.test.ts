// What is read without the parser's syntax tree: just what the tree says, or nothing.
import fc from "fast-check";
import { Composer, type CST, type Document, Parser } from "yaml";
import { describe, expect, it } from "vitest";
import { convert } from "./yaml-to-json.ts";
import { partsOf, tokensOf } from "./plain-yaml.ts";

function treesOf(tokens: Iterable<CST.Token>): readonly Document.Parsed[] {
  const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
  return [...new Composer({ ...options, uniqueKeys: false }).compose(tokens)];
}

/** Values with their places, those without any left out, and all that is wrong; offsets count from the start of the text. */
interface ParseResult {
  readonly values: readonly (readonly [at: number, value: unknown])[];
  readonly wrong: readonly string[];
}

function parseTokens(tokens: Iterable<CST.Token>): ParseResult {
  const read = treesOf(tokens).map(({ contents, errors, warnings }) => {
    const { value, errors: troubles } = convert(contents);
    return {
      value: [contents?.range[0] ?? 0, value] as const,
      wrong: [
        ...[...errors, ...warnings].map(({ pos, code }) => `${pos[0]} ${code}`),
        ...troubles.map(({ offset, summary }) => `${offset} ${summary}`),
      ],
    };
  });
  const values = read.map((one) => one.value).filter(([, value]) => value !== null);
  return { values, wrong: read.flatMap((one) => one.wrong) };
}

function parseByParts(text: string): ParseResult {
  const parts = [...partsOf(text)].map((part): ParseResult => {
    if (part.plain === undefined) return parseTokens(tokensOf(part));
    return { values: [[part.start + part.plain.offset, part.plain.value]], wrong: [] };
  });
  const values = parts.flatMap((part) => part.values);
  return { values, wrong: parts.flatMap((part) => part.wrong) };
}

/** Pieces of YAML, the common ones more often than what is seldom written. */
const pieces = [
  "a¦b¦kind¦name¦a-b¦x/y¦a: b¦a:¦b: 1¦c: true¦- ¦- a¦- b: c¦a: 'q'¦b: \"q\"¦d: ${x:-y}¦: ¦:¦ ¦  ¦    ",
  "\n¦\n¦\n  ¦\n    ¦\n  - ¦\r\n¦\n\n¦ # c¦#¦---\n¦\n---\n¦--- ¦...\n¦\n...\n¦%YAML 1.2\n¦%¦\t¦\uFEFF",
  "null¦Null¦~¦007¦1.5¦-1¦0x1f¦1e3¦.nan¦12345678901234567890¦<<¦__proto__",
  "&x ¦*x¦!t ¦!!str ¦|\n¦> ¦{ a: 1 }¦[a, b¦]¦}¦? ¦,¦'¦\"¦\\¦@¦`",
].flatMap((some) => some.split("¦"));

const randomText = fc
  .array(fc.constantFrom(...pieces), { maxLength: 24 })
  .map((chosen) => chosen.join(""));

/** Lines that may make a plain document: their indents, list dashes, values and ends; each key another. */
const line = fc.tuple(
  fc.constantFrom("", "", "", "  ", "  ", "    ", "   "),
  fc.constantFrom("", "", "", "", "- ", "-   "),
  fc.constantFrom(":", ": x", ": x", ": x y", ": 'x y'", ": 7", " ", "", ":  # c"),
  fc.constantFrom("", "", "", "", " ", " # c", "\r", "\n", "\n---", "\n  # c", "\n "),
);

const lines = fc
  .array(line, { maxLength: 5 })
  .map((all) =>
    all.map(([indent, dash, value, end], at) => `${indent}${dash}k${at}${value}${end}`),
  );

const texts = fc.oneof(
  randomText,
  lines.map((all) => all.join("\n")),
);

const settings = { numRuns: 1000 };

/** The mistake that stands first. */
function firstWrong({ wrong }: ParseResult): string | undefined {
  return wrong.toSorted((one, other) => parseInt(one, 10) - parseInt(other, 10))[0];
}

describe("a document that is read without its tree", () => {
  it("says what its tree says, at the same place", () => {
    let count = 0;
    fc.assert(
      fc.property(texts, (text) => {
        for (const part of partsOf(text)) {
          if (part.plain === undefined) continue;
          count += 1;
          const { value, offset: first } = part.plain;
          const values = [[part.start + first, value]];
          expect(parseTokens(tokensOf(part))).toEqual({ values, wrong: [] });
        }
      }),
      settings,
    );
    expect(count).toBeGreaterThan(settings.numRuns / 20);
  });

  it("leaves the documents around it as they are", () => {
    fc.assert(
      // Of a tab in an empty line the library says something only where another document follows.
      fc.property(
        texts.map((text) => text.replaceAll("\t", "")),
        (text) => {
          const [found, whole] = [parseByParts(text), parseTokens(new Parser().parse(text))];
          expect(firstWrong(found)).toEqual(firstWrong(whole));
          if (whole.wrong.length === 0) expect(found.values).toEqual(whole.values);
        },
      ),
      settings,
    );
  });

  it("may hold lists, quotes, comments and whatever a name may hold", () => {
    const text = `# first
---
apiVersion: svc/v1 # always
metadata:
  name: acme-viewers

  labels:
    team: "a & b"
spec:
  groups:
  - x-1
  - 'y'
  members:
    - name: Zoë
      level: 3
    # the last
    - name: /a/b
      admin: true
  empty:
  url: https://example.com/?q=\${env:Q:-1}
`;
    const value = {
      apiVersion: "svc/v1",
      metadata: { name: "acme-viewers", labels: { team: "a & b" } },
      spec: {
        groups: ["x-1", "y"],
        members: [
          { name: "Zoë", level: 3 },
          { name: "/a/b", admin: true },
        ],
        empty: null,
        url: "https://example.com/?q=${env:Q:-1}",
      },
    };
    for (const one of [text, text.replaceAll("\n", "\r\n")])
      expect([...partsOf(one)].map(({ plain }) => plain?.value)).toEqual([undefined, value]);
  });
});
