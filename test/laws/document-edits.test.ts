// Tests edits in the text of a file: only the value changes, and reading the file returns any value that was written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { JsonValue } from "../../core/json.ts";
import { anyJson, propertyRuns } from "../support/arbitrary-values.ts";
import { type Edit, editDocuments } from "../../reconciler/manifest/yaml-edit.ts";

const text = [
  "# yaml-language-server: $schema=manifest.json",
  "",
  "kind: EmbedGroup",
  "metadata:",
  "  name: acme-viewers          # its address",
  "---",
  "# the second one",
  "kind: 'EmbedUser'",
  "spec:",
  '    email: "jane@acme.example"   # work',
  "    tenantGroups:   # in no order",
  "      - one   # the first",
  "      - two",
  "    flow: { a: 1, b: [x, y] }",
  "    empty:",
  "    text: |",
  "      a long",
  "      text",
  "",
  "    last: yes # really",
  "---",
  "kind: Other",
  "",
].join("\n");

/** Returns the lines that differ, as `-` and `+`. */
function changedLines(after: string): readonly string[] {
  const [old, edited] = [text.split("\n"), after.split("\n")];
  return [
    ...old.filter((line) => !edited.includes(line)).map((line) => `-${line}`),
    ...edited.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}

/** Returns the text with its second document edited. */
function afterEdits(before: string, edits: readonly Edit[]): string {
  const after = editDocuments(before, [{ index: 1, edits }]);
  if (after.unedited.size > 0) throw new Error("it was not edited");
  return after.text;
}

describe("an edit", () => {
  it.each<[string, JsonValue | undefined, readonly string[]]>([
    ["kind", "User", ["-kind: 'EmbedUser'", "+kind: 'User'"]],
    [
      "spec/email",
      "j@x.y",
      ['-    email: "jane@acme.example"   # work', '+    email: "j@x.y"   # work'],
    ],
    ["spec/last", "no", ["-    last: yes # really", "+    last: no # really"]],
    ["spec/last", undefined, ["-    last: yes # really"]],
    ["spec/email", undefined, ['-    email: "jane@acme.example"   # work']],
    ["spec/tenantGroups/0", undefined, ["-      - one   # the first"]],
    ["spec/tenantGroups/1", "a, b", ["-      - two", '+      - "a, b"']],
    ["spec/tenantGroups/2", "three", ["+      - three"]],
    [
      "spec/flow/a",
      [1, "}"],
      ["-    flow: { a: 1, b: [x, y] }", '+    flow: { a: [1, "}"], b: [x, y] }'],
    ],
    ["spec/flow/b/2", "z", ["-    flow: { a: 1, b: [x, y] }", "+    flow: { a: 1, b: [x, y, z] }"]],
    [
      "spec/flow/c",
      null,
      ["-    flow: { a: 1, b: [x, y] }", "+    flow: { a: 1, b: [x, y], c: null }"],
    ],
    ["spec/empty", 5, ["-    empty:", "+    empty: 5"]],
    ["spec/text", "short", ["-    text: |", "-      a long", "-      text", "+    text: short"]],
    ["spec/new", true, ["+    new: true"]],
    ["spec/new", { a: { b: "c" } }, ["+    new:", "+      a:", "+        b: c"]],
    ["spec/deep/in", "x", ["+    deep:", "+      in: x"]],
    ["spec/text", "two\nlines\n", ["-      a long", "-      text", "+      two", "+      lines"]],
  ])("of %s to %j changes just that", (path, value, lines) => {
    const after = afterEdits(text, [{ path: path.split("/"), value }]);
    expect(changedLines(after)).toEqual(lines);
  });

  it("keeps comments where the text cannot simply be changed", () => {
    const after = afterEdits(text, [{ path: ["spec", "flow", "a"], value: undefined }]);
    expect(after.split("# the second one")).toHaveLength(2);
    expect(after).toContain("# work");
    expect(after).toContain("name: acme-viewers          # its address");
    expect(parseAllDocuments(after)[1]?.toJS()).not.toHaveProperty("spec.flow.a");
  });

  it.each(["two\n\n", "two \n", "two\nlines\n\n\n", " \n"])("keeps the end of %j", (value) => {
    for (const one of ["a: 1\n---\nspec:\n  last: x\n", "a: 1\n---\nspec:\n  last: x"]) {
      const after = afterEdits(one, [{ path: ["spec", "last"], value }]);
      expect(parseAllDocuments(after)[1]?.toJS()).toEqual({ spec: { last: value } });
    }
  });

  it("is not made where another value is an alias of the one that changes", () => {
    const shared = "a: 1\n---\nspec:\n  displayName: &d Zed\n  description: *d\n";
    const edits = [{ path: ["spec", "displayName"], value: "Zoe" }];
    expect(editDocuments(shared, [{ index: 1, edits }])).toEqual({
      text: shared,
      unedited: new Set([1]),
    });
  });

  it("is not made where an alias needs an anchor that it removes", () => {
    const shared = "a: 1\n---\nspec:\n  name: &n Zed\n  also: *n\n  last: 1\n";
    const edits = [{ path: ["spec", "name"], value: undefined }];
    expect(editDocuments(shared, [{ index: 1, edits }]).unedited).toEqual(new Set([1]));
  });

  it("leaves the document saying what it was to say, for any value at any of its places", () => {
    const places = [
      "kind",
      "spec/email",
      "spec/tenantGroups",
      "spec/tenantGroups/1",
      "spec/flow",
      "spec/flow/a",
      "spec/flow/b",
      "spec/empty",
      "spec/text",
      "spec/last",
      "spec/new",
      "spec/a/b/c",
    ];
    const value = anyJson.filter(
      (one) =>
        !/__proto__|\\u0000|:-0[,}\]]|-0$|"<<"/u.test(JSON.stringify(one)) && !Object.is(one, -0),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), value, (place, given) => {
        const path = place.split("/");
        const after = afterEdits(text, [{ path, value: given }]);
        const documents = parseAllDocuments(after);
        expect(documents.map((one) => one.errors)).toEqual([[], [], []]);
        const held = path.reduce<unknown>(
          (inner, step) => (inner as Record<string, unknown>)[step],
          documents[1]?.toJS(),
        );
        expect(JSON.stringify(held)).toBe(JSON.stringify(given));
        expect(after.startsWith(text.slice(0, text.indexOf("# the second")))).toBe(true);
      }),
      propertyRuns(),
    );
  });
});

describe("edits of several documents", () => {
  const several = [
    "\uFEFF# first",
    "spec: { name: a }",
    "---",
    "# nothing",
    "---",
    "spec:",
    "  name: b # kept",
    "  list:",
    "    - x",
    "...",
    "# between",
    "---",
    "spec:",
    "  text: |",
    "    long",
    "",
    "--- # same line",
    "spec:",
    "  name: &n d",
    "  also: *n",
    "---",
    "spec:",
    "  name: last",
    "  list: [x]",
  ].join("\n");

  it("give the text that one edit after the other gives", () => {
    const path = fc.constantFrom("spec", "spec/name", "spec/text", "spec/list/0", "spec/new/in");
    const value = fc.constantFrom("v", "two\nlines\n", "---\nx", "yes", null, ["a"], undefined);
    const edit = fc.record({ path: path.map((one) => one.split("/")), value });
    const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
    const all = fc.uniqueArray(fc.record({ index: fc.nat({ max: 4 }), edits }), {
      selector: ({ index }) => index,
    });
    fc.assert(
      fc.property(all, fc.constantFrom("", "\n", "\n---\n", "\n# end"), (given, end) => {
        const whole = several + end;
        const together = editDocuments(whole, given);
        const unedited = new Set<number>();
        let inTurn = whole;
        for (const one of given) {
          const after = editDocuments(inTurn, [one]);
          inTurn = after.text;
          for (const index of after.unedited) unedited.add(index);
        }
        expect(together).toEqual({ text: inTurn, unedited });
      }),
      propertyRuns(),
    );
  });

  it("count the values that a document has in the whole text: YAML 1.1 holds for the next one too", () => {
    const old = "%YAML 1.1\n---\nspec: { name: a }\n---\nspec: { name: b }\n";
    const set = (index: number, value: string) => {
      return { index, edits: [{ path: ["spec", "name"], value }] };
    };
    // A plain yes is a boolean in this YAML version.
    expect(editDocuments(old, [set(1, "yes"), set(0, "c")])).toEqual({
      text: old.replace("name: a", "name: c"),
      unedited: new Set([1]),
    });
  });
});
