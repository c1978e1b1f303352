// Tests the contents of a parse cache, and that a reused document equals a new one.
import { Parser } from "yaml";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createParseCache } from "./parse-cache.ts";
import { packParts } from "./packed-parts.ts";
import { parse, parseParts, type Parsed } from "./parse.ts";

const parses = vi.spyOn(Parser.prototype, "parse");
afterEach(() => {
  parses.mockClear();
});

const text = "name: one\nlist: [1, 2]\n---\nname: two\n---\nname: three\nname: four\n";

/** The parts of the documents that a load reads. */
function contents({ documents, diagnostics }: Parsed) {
  const paths = ["/name", "/list/1", "/missing"];
  return {
    diagnostics,
    documents: documents.map(({ locate, ...rest }) => ({
      ...rest,
      places: paths.flatMap((path) => [locate(path), locate(path, "key")]),
    })),
  };
}

describe("a parse cache", () => {
  it("returns the same for a text that it has parsed, without parsing it or its documents again", () => {
    const cache = createParseCache();
    const fresh = contents(parse("a.yaml", text));
    expect(contents(cache.parse("a.yaml", text))).toEqual(fresh);
    parses.mockClear();
    expect(contents(cache.parse("a.yaml", text))).toEqual(fresh);
    expect(parses).not.toHaveBeenCalled();
  });

  it.each([
    ["aliases", "list: &shared [1, two, { three: 3 }]\nother: *shared\nname: *shared\n"],
    ["errors in one of its documents", "name: [\n---\nname: two\nname: three\n---\n- ok\n"],
    [
      "a byte order mark, empty documents and other scripts",
      "\uFEFF---\n---\nname: Größe 名 😀\n---\n",
    ],
    ["numbers and texts as documents", "-0\n---\n1e300\n---\nfalse\n---\ntext\n"],
    ["a merge conflict", "name: one\n<<<<<<< ours\nname: two\n"],
  ])("returns the same for a text with %s", (_, given) => {
    const cache = createParseCache();
    const fresh = contents(parse("a.yaml", given));
    expect(contents(cache.parse("a.yaml", given))).toEqual(fresh);
    expect(contents(cache.parse("a.yaml", given))).toEqual(fresh);
  });

  it("keeps a fraction of what the text takes, and values that aliases share once", () => {
    const group = (name: string) =>
      `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ${name} }\n`;
    const many = Array.from({ length: 1000 }, (_, at) => group(`group-${at}`)).join("---\n");
    const aliases = "- *large\n".repeat(90);
    const shared = `- &large [${Array.from({ length: 1000 }, (_, at) => `item ${at}`).join(", ")}]\n${aliases}`;
    for (const given of [many, shared]) {
      const { bytes } = packParts(parseParts("a.yaml", given));
      expect(bytes.buffer.byteLength).toBeLessThan(given.length / 3);
    }
  });

  it("parses a changed text, and a text of another file, because its places name the file", () => {
    const cache = createParseCache();
    cache.parse("a.yaml", text);
    expect(cache.parse("a.yaml", "name: changed\n").documents[0]?.value).toEqual({
      name: "changed",
    });
    expect(cache.parse("b.yaml", text).documents[0]?.place.file).toBe("b.yaml");
  });

  it("drops what was not used for longest, and keeps nothing that is larger than its bound", () => {
    const bytesOf = (given: string) => packParts(parseParts("f", given)).bytes.byteLength;
    const cache = createParseCache(2 * bytesOf("a: 1234"));
    const parsed = (file: string, given: string): boolean => {
      parses.mockClear();
      cache.parse(file, given);
      return parses.mock.calls.length > 0;
    };
    expect(["a: 1234", "b: 1234", "a: 1234", "c: 1234"].map((one) => parsed("f", one))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(["a: 1234", "b: 1234"].map((one) => parsed("f", one))).toEqual([false, true]);
    const large = Array.from({ length: 99 }, (_, at) => `a${at}: ${at * 7919}`).join("\n");
    expect([parsed("f", large), parsed("f", large)]).toEqual([true, true]);
  });

  it("counts the places that were located in a file", () => {
    const given = Array.from({ length: 99 }, (_, at) => `a${at}: 1`).join("\n");
    const cache = createParseCache(10_000);
    const [document] = cache.parse("f", given).documents;
    for (let at = 0; at < 99; at++) document?.locate(`/a${at}`);
    cache.parse("f", given);
    parses.mockClear();
    cache.parse("f", given);
    expect(parses).toHaveBeenCalled();
  });
});
