// Tests schemas/manifest.json in a real YAML language server: it checks, explains and completes documents of every kind.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { fieldsOf } from "../../../core/kind/fields.ts";
import { exampleDocument } from "../../../core/kind/json-schema.ts";
import type { Kind } from "../../../core/kind/kind.ts";
import { components, kinds } from "../../../resources/index.ts";
import { type Editor, startEditor } from "../../support/language-server.ts";

const slowTest = { timeout: 60_000 };
const folder = join(import.meta.dirname, "../../../examples/editor");
const schema = "# yaml-language-server: $schema=../../schemas/manifest.json\n";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor();
}, slowTest.timeout);
afterAll(() => editor.close());

/** Returns all examples of a kind in one file. */
function examplesOf(kind: Kind): string {
  return schema + kind.examples.map((one) => stringify(exampleDocument(kind, one))).join("---\n");
}

/** Returns the position one character into the first occurrence of a text after another one. */
function positionOf(text: string, sought: string, behind = "") {
  const index = text.indexOf(sought, text.indexOf(behind)) + sought.search(/\S/u) + 1;
  const before = text.slice(0, index).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

/** Returns a text without Markdown marks and their escapes. */
function plainWords(markdown: string): string {
  return markdown.replace(/[^A-Za-z0-9]+/gu, " ").trim();
}

describe("a file of several documents", slowTest, () => {
  const document = (spec: string, before = "") =>
    `${before}apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: g }\nspec:\n  ${spec}\n`;
  const messages = (found: readonly { readonly message: string }[]) =>
    found.map(({ message }) => message).join("\n");

  it("is checked, explained and completed in every document by a setting of the workspace", async () => {
    const root = join(import.meta.dirname, "../../..");
    const { "yaml.schemas": schemas } = JSON.parse(
      readFileSync(join(root, "examples/quickstart/.vscode/settings.json"), "utf8"),
    ) as { "yaml.schemas": Record<string, string> };
    const globs = Object.entries(schemas).map(([at, glob]) => {
      const url = pathToFileURL(join(root, "examples/quickstart", at)).href;
      return [url, glob] as const;
    });
    const workspace = await startEditor({ schemas: Object.fromEntries(globs) });
    try {
      const text = `${document("name: first")}---\n${document("naem: second")}---\n${document("name: third\n  ")}`;
      const path = join(root, "examples/quickstart/several.yaml");
      const found = await workspace.open(path, text);
      const wrong = found.find(({ message }) => message.includes("naem"));
      expect(wrong?.range.start.line, messages(found)).toBe(positionOf(text, "naem").line);
      expect(await workspace.hover(path, positionOf(text, "name: third"))).not.toBe("");
      const last = text.split("\n").length - 2;
      expect(await workspace.complete(path, { line: last, character: 2 })).toContain("description");
    } finally {
      await workspace.close();
    }
  });

  it("is checked in each document whose head names the schema", async () => {
    const each = `${document("name: first", schema)}---\n${document("naem: second", schema)}`;
    expect(messages(await editor.open(join(folder, "each.yaml"), each))).toContain("naem");
  });
});

describe("an editor", slowTest, () => {
  it.each(kinds.map((kind) => [kind.name, kind] as const))(
    "checks, explains and completes a document of kind %s",
    async (name, kind) => {
      const path = join(folder, `${kind.plural}.yaml`);
      const text = examplesOf(kind);
      const wrong = text.replace("\nspec:\n", "\nspec:\n  nosuchfield: 1\n");
      const head = `${schema}apiVersion: svc/v1\nkind: ${name}\nmetadata: { name: x }\nspec:\n  `;
      const fresh = join(folder, `fresh-${kind.plural}.yaml`);
      const [right, found] = await Promise.all([
        editor.open(path, text),
        editor.open(join(folder, `wrong-${kind.plural}.yaml`), wrong),
        editor.open(fresh, head),
      ]);
      expect(right).toEqual([]);

      const given = fieldsOf(kind).filter((field) => field.name in (kind.examples[0]?.spec ?? {}));
      expect(given).not.toEqual([]);
      for (const { name: field, traits } of given) {
        const hover = await editor.hover(path, positionOf(text, `  ${field}:`, "\nspec:"));
        expect(plainWords(hover)).toContain(plainWords(traits.doc).slice(0, 40));
      }
      expect(plainWords(await editor.hover(path, positionOf(text, ` ${name}\n`)))).toContain(
        plainWords(kind.doc).slice(0, 40),
      );

      expect(found.map(({ message }) => message).join("\n")).toContain("nosuchfield");
      expect(found[0]?.range.start.line).toBe(positionOf(wrong, "nosuchfield").line);

      const offered = await editor.complete(fresh, { line: 5, character: 2 });
      expect(offered).toEqual(expect.arrayContaining(fieldsOf(kind).map((one) => one.name)));
    },
  );

  it("offers every kind, and explains and checks the Stack", async () => {
    const path = join(folder, "kind.yaml");
    await editor.open(path, `${schema}apiVersion: svc/v1\nkind: \n`);
    const offered = await editor.complete(path, { line: 2, character: 6 });
    expect(offered.toSorted()).toEqual(
      [
        "Stack",
        "Pipeline",
        "Removed",
        ...[...kinds, ...components].map(({ name }) => name),
      ].toSorted(),
    );

    const stack = `${schema}apiVersion: svc/v1\nkind: Stack\nmetadata: { name: s }\nspec:\n  policy: { prun: true }\n`;
    const found = await editor.open(join(folder, "stack.yaml"), stack);
    expect(found.map(({ message }) => message).join("\n")).toContain("prun");
    expect(await editor.hover(join(folder, "stack.yaml"), { line: 5, character: 3 })).toContain(
      "asking",
    );
  });

  it("takes a value that comes from elsewhere, and no other form of one", async () => {
    const variable = (value: string) =>
      `${schema}apiVersion: svc/v1\nkind: EnvironmentVariable\nmetadata: { name: v }\nspec: { deployment: d, name: N, value: ${value} }\n`;
    expect(
      await editor.open(join(folder, "from.yaml"), variable("{ valueFrom: { env: N } }")),
    ).toEqual([]);
    expect(
      await editor.open(join(folder, "not.yaml"), variable("{ valueFrom: { vault: N } }")),
    ).not.toEqual([]);
  });
});
