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
  ])("returns the same for a text with %s", (_, yaml) => {
    const cache = createParseCache();
    const fresh = contents(parse("a.yaml", yaml));
    expect(contents(cache.parse("a.yaml", yaml))).toEqual(fresh);
    expect(contents(cache.parse("a.yaml", yaml))).toEqual(fresh);
  });

  it("keeps a fraction of what the text takes, and values that aliases share once", () => {
    const group = (name: string) =>
      `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ${name} }\n`;
    const many = Array.from({ length: 1000 }, (_, index) => group(`group-${index}`)).join("---\n");
    const aliases = "- *large\n".repeat(90);
    const shared = `- &large [${Array.from({ length: 1000 }, (_, index) => `item ${index}`).join(", ")}]\n${aliases}`;
    for (const yaml of [many, shared]) {
      const { bytes } = packParts(parseParts("a.yaml", yaml));
      expect(bytes.buffer.byteLength).toBeLessThan(yaml.length / 3);
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
    const bytesOf = (yaml: string) => packParts(parseParts("f", yaml)).bytes.byteLength;
    const cache = createParseCache(2 * bytesOf("a: 1234"));
    const parsed = (file: string, yaml: string): boolean => {
      parses.mockClear();
      cache.parse(file, yaml);
      return parses.mock.calls.length > 0;
    };
    expect(["a: 1234", "b: 1234", "a: 1234", "c: 1234"].map((yaml) => parsed("f", yaml))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(["a: 1234", "b: 1234"].map((yaml) => parsed("f", yaml))).toEqual([false, true]);
    const large = Array.from({ length: 99 }, (_, index) => `a${index}: ${index * 7919}`).join("\n");
    expect([parsed("f", large), parsed("f", large)]).toEqual([true, true]);
  });

  it("counts the places that were located in a file", () => {
    const yaml = Array.from({ length: 99 }, (_, index) => `a${index}: 1`).join("\n");
    const cache = createParseCache(10_000);
    const [document] = cache.parse("f", yaml).documents;
    for (let index = 0; index < 99; index++) document?.locate(`/a${index}`);
    cache.parse("f", yaml);
    parses.mockClear();
    cache.parse("f", yaml);
    expect(parses).toHaveBeenCalled();
  });
});
