// Tests of parsing manifests: documents, places and errors.
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import fc from "fast-check";
import { limits } from "../../core/limits/limits.ts";
import { inexactPointer } from "../../core/text/exact-numbers.ts";
import { parse } from "./parse.ts";

function errorsOf(text: string): readonly string[] {
  return parse("a.yaml", text).diagnostics.map(
    ({ code, place, summary }) => `${place?.line}:${place?.column} ${code} ${summary}`,
  );
}

describe("places", () => {
  const text =
    "# first\n---\na: 1\n--- # second\nspec:\n  names: [x, y]\n  a/b: &z { q: 1 }\n  c: *z\n";
  const second = parse("a.yaml", text).documents[1];
  const positionOf = (pointer: string, side?: "key" | "value"): string => {
    const { line = 0, column = 0 } = second?.locate(pointer, side) ?? {};
    return `${line}:${column}`;
  };

  it("are the start of each document", () => {
    const places = parse("a.yaml", text).documents.map(({ place }) => place);
    expect(places).toEqual([
      { file: "a.yaml", line: 3, column: 1 },
      { file: "a.yaml", line: 5, column: 1 },
    ]);
  });

  it("exist for values, keys, list items and members with escaped names", () => {
    expect([
      positionOf("/spec/names/1"),
      positionOf("/spec/names", "key"),
      positionOf("/spec/a~1b/q"),
    ]).toEqual(["6:14", "6:3", "7:16"]);
  });

  it("fall back to the nearest ancestor, and resolve aliases", () => {
    expect([
      positionOf("/spec/names/7/x"),
      positionOf("/nothing"),
      positionOf("/spec/c/q"),
    ]).toEqual(["6:10", "5:1", "7:16"]);
  });

  it("ignore a byte order mark, and work for CRLF and JSON", () => {
    const json = parse("a.json", '\uFEFF{"a":\r\n {"b": true}}').documents[0];
    expect(json?.value).toEqual({ a: { b: true } });
    expect(json?.locate("/a/b")).toEqual({ file: "a.json", line: 2, column: 8 });
  });
});

describe("what locates values", () => {
  /** Returns the parts that a large stack keeps of each document, and a value that it does not keep. */
  const parsed = () => {
    const [first, second] = parse("a.yaml", "a: { b: 1 }\n---\nc: { d: 2 }\n").documents;
    return { locate: first?.locate, other: new WeakRef(second?.value as object) };
  };

  it("does not keep the values", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { locate, other } = parsed();
    await nextTurn();
    collect();
    expect(other.deref()).toBeUndefined();
    expect(locate?.("/a/b")).toMatchObject({ line: 1 });
  });
});

describe("errors", () => {
  it.each([
    ["a: 1\nb: 2\na: 3\n", '3:1 yaml-syntax the key "a" occurs twice'],
    ["? [x]\n: 1\n", "1:3 yaml-syntax a key is not text"],
    ["a: !secret x\n", "1:4 yaml-syntax unresolved tag: !secret"],
    ["a:\n\tb: 1\n", "2:1 yaml-syntax tabs are not allowed as indentation"],
    [
      "a: &x 1\nb: { <<: *x }\n",
      '2:6 yaml-syntax the merge key "<<" is not supported: it is not part of YAML 1.2',
    ],
    ["a: *x\n", '1:4 yaml-syntax the alias "*x" has no anchor before it'],
    [
      "a: &x 1\n---\nb: *x\n",
      '3:4 yaml-syntax the alias "*x" names an anchor of an earlier document of the file; an anchor ends with its document, at ---',
    ],
    ["a: &x [*x]\n", '1:8 yaml-syntax the alias "*x" is inside its own anchor'],
    ["a: .nan\n", "1:4 out-of-bounds the number .nan is too large to be exact"],
    [
      "a: 9007199254740993\n",
      "1:4 out-of-bounds the number 9007199254740993 is too large to be exact",
    ],
    ["a: 1e20\n", "1:4 out-of-bounds the number 1e20 is too large to be exact"],
    [
      "a: 0.12345678901234567\n",
      "1:4 out-of-bounds the number 0.12345678901234567 has too many digits to be exact",
    ],
    ["__proto__: { x: 1 }\n", '1:1 unknown-field "__proto__" cannot be a key'],
    [
      "%YAML 1.1\n---\na: yes\n",
      "2:1 yaml-syntax the document declares YAML 1.1; only YAML 1.2 is supported",
    ],
  ])("%j", (text, expected) => {
    expect(errorsOf(text)).toContain(expected);
  });

  it.each([
    ['b: 1\na: "x\nc: 2\nd: 3\n', '2:4 missing closing "quote'],
    ["a: 1\nb: { c: 2,\n  d: 3\ne: 4\n", "4:1 flow map in block collection must"],
    ["a: { b: 1 }}\nc: 2\nd:\n  - 3\n", '1:12 unexpected "}"'],
    ["a: b: c\n", "1:4 nested mappings are not allowed"],
    ["a:\n  b: 1\n c: 2\n", "3:1 all mapping items must start at the same column"],
    ["a: { b: ${X}, c: x-${Y} }\nd: 1\n", '1:10 unexpected "{"'],
    [
      "b: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n",
      "2:1 the file has an unresolved merge conflict",
    ],
    [
      "x: &a { b: 1 }\nc:\n  <<: *a\n",
      '3:3 the merge key "<<" is not supported: it is not part of YAML 1.2',
    ],
  ])("report %j once", (text, expected) => {
    const { diagnostics } = parse("f.yaml", text);
    expect(
      diagnostics.map(({ place, summary }) => `${place?.line}:${place?.column} ${summary}`),
    ).toEqual([expect.stringContaining(expected)]);
  });

  it("never show more than a character of the text", () => {
    const texts = ['a: "x" hunter2\n', "a: |\n  b\n }}\nhunter2\n", "- a\n}\n|\n  hunter2\n"];
    for (const text of texts) {
      const { diagnostics } = parse("f.yaml", text);
      expect(diagnostics).toHaveLength(1);
      expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
    }
  });

  it("keep the other documents of the file", () => {
    const { documents, diagnostics } = parse("a.yaml", "a: [1\n---\nb: 2\n");
    expect(documents.map(({ value, hasErrors: broken }) => [value, broken])).toEqual([
      [{ a: [1] }, true],
      [{ b: 2 }, false],
    ]);
    expect(diagnostics).toHaveLength(1);
  });

  it("bound the expansion of aliases, also nested ones", () => {
    const levels = Array.from({ length: 9 }, (_, i) => {
      return `a${i + 1}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join(", ")}]`;
    });
    const errors = errorsOf(`a0: &a0 x\n${levels.join("\n")}\n`);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain("more than 100 aliases");
  });

  it("name texts that no server can store", () => {
    expect(errorsOf('a: "x\\0"\nb: "\\uD800"\n')).toEqual([
      "1:4 out-of-bounds the value has a null character in a text; remove it",
      "2:4 out-of-bounds the value has half a surrogate pair in a text; complete it",
    ]);
  });

  it("refuse values that are nested too deeply, in a bounded time", () => {
    const depth = limits.depth + 1;
    expect(errorsOf(`a: ${"[".repeat(depth)}${"]".repeat(depth)}`)[0]).toContain("deeper than");
    // Each of them is an error, and all are in one line.
    const open = `a: ${"[".repeat(20_000)}\n`;
    const before = process.cpuUsage();
    expect(errorsOf(open)).toContainEqual(expect.stringContaining("deeper than"));
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
    for (const many of [1000, 20_000]) {
      const deep = `a: 1\nb:\n  ${"[".repeat(many)}${"]".repeat(many)}\n`;
      expect(errorsOf(deep)).toEqual([
        `3:${2 + depth} out-of-bounds values are nested deeper than ${limits.depth}`,
      ]);
    }
  });

  it("do not change Object.prototype", () => {
    parse("a.yaml", "__proto__: { polluted: 1 }\na: { __proto__: { polluted: 1 } }\n");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

it("hides the environment from the library, which prints each token where LOG_TOKENS is set", () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { env } = process;
  const looked: (string | symbol)[] = [];
  const get = (_: object, name: string | symbol) => (looked.push(name), "1");
  process.env = new Proxy({}, { get });
  try {
    const [document] = parse("a.yaml", "spec: { password: example }\n").documents;
    expect(document?.locate("/spec/password").column).toBe(19);
    expect([looked, print.mock.calls]).toEqual([[], []]);
    expect(process.env["PATH"]).toBe("1");
  } finally {
    process.env = env;
    print.mockRestore();
  }
});

it("accepts a text without values", () => {
  expect(parse("a.yaml", "# only a comment\n---\n---\n")).toEqual({
    documents: [],
    diagnostics: [],
  });
});

describe("for any text", () => {
  const pieces = fc.constantFrom(
    ...Array.from("abc :{}[]&*!?|>-\"'\n\t#,%@`$~/<\u0000\uFEFF\uD800é"),
    "a: ",
    "- ",
    "---\n",
    "&a ",
    "*a",
    "!x ",
    "? ",
    "  ",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
  );

  it("never throws, and places are within the text", () => {
    fc.assert(
      fc.property(text, (yaml) => {
        const { documents, diagnostics } = parse("a.yaml", yaml);
        const lines = yaml.split("\n").length;
        const places = [
          ...documents.map((document) => document.locate("/a/b/0", "key")),
          ...diagnostics.flatMap(({ place }) => place ?? []),
        ];
        for (const { line, column } of places) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("parses the output of JSON.stringify", () => {
    const safe = fc.jsonValue({ maxDepth: 4 }).filter((value) => {
      const json = JSON.stringify(value);
      const isExact = inexactPointer(value) === undefined;
      return value !== null && !json.includes("__proto__") && isExact;
    });
    fc.assert(
      fc.property(safe, (value) => {
        const { documents, diagnostics } = parse("a.json", JSON.stringify(value));
        expect(diagnostics).toEqual([]);
        expect(documents[0]?.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

it("suggests quotes for a variable inside braces", () => {
  const errors = (text: string) => parse("a.yaml", text).diagnostics.map(({ remedy }) => remedy);
  const quotes = ["Put text with ${...} in quotes."];
  expect(errors("spec: { name: viewers-${env:STAGE} }\n")).toEqual(quotes);
  expect(errors("a: [b, x ${A} - ${B:-c, d} y # z\n]\n")).toEqual(quotes);
  expect(errors('spec: { name: "viewers-${env:STAGE}" }\nname: a-${b}\n')).toEqual([]);
});
