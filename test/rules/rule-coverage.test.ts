// Tests that every rule of the specification has at least one test whose title begins with its ID.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parseSync, visitorKeys } from "oxc-parser";
import { globSync } from "tinyglobby";
import { describe, expect, it } from "vitest";
import { rules } from "./specification.ts";

const root = join(import.meta.dirname, "../..");

function titles(): readonly string[] {
  const files = globSync(["test/**/*.test.ts", "service/**/*.test.ts"], { cwd: root });
  return files.flatMap((file) => titlesIn(readFileSync(join(root, file), "utf8")));
}

/** Returns the titles of the tests that run, without tests that are commented out, skipped or not written yet. */
function titlesIn(text: string): readonly string[] {
  const found: string[] = [];
  visit(parseSync("test.ts", text).program, found);
  return found;
}

function visit(node: Node, found: string[]): void {
  if (node.type === "CallExpression") {
    const name = nameOf(node.callee);
    if (/\.(?:skip|todo)/.test(name)) return;
    const [title] = node.arguments;
    if (/^it(?:\.|$)/.test(name) && title) found.push(...titleTexts(title));
  }
  const fields = new Map<string, unknown>(Object.entries(node));
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [fields.get(key)].flat()) if (isNode(child)) visit(child, found);
  }
}

/** Returns the name of the called function: `it.each` for `it.each(rows)` and for the call of its result. */
function nameOf(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "CallExpression") return nameOf(callee.callee);
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return "";
  return `${nameOf(callee.object)}.${callee.property.name}`;
}

/** Returns the texts of a title; none for the rows of `it.each`. */
function titleTexts(title: Node): readonly string[] {
  if (title.type === "Literal") return [String(title.value)];
  return title.type === "TemplateLiteral" ? [title.quasis[0]?.value.raw ?? ""] : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

const titleStartsWith = (title: string, id: string): boolean =>
  title.startsWith(id) && /^(?:$|[:,;.]| \/ )/.test(title.slice(id.length));

describe("the rules of the specification", () => {
  it("are each named by a test", () => {
    const all = titles();
    const missing = rules.filter(({ id }) => !all.some((title) => titleStartsWith(title, id)));
    expect(missing.map(({ id, text: says }) => `${id}: ${says}`)).toEqual([]);
  });

  it("are not proved by tests that do not run", () => {
    const file = `
      // it("commented", () => {});
      describe.skip("x", () => { it("in a skipped group", () => {}); });
      it.skip("skipped", () => {}); it.todo("to do");
      it.each([["it(unnamed,"]])("each %s", () => {});
      it("plain", () => {});`;
    expect(titlesIn(file)).toEqual(["each %s", "plain"]);
  });

  it("have ids of their own", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  it("are looked for by whole ids", () => {
    expect(titleStartsWith("generate-session rule 1: one", "generate-session rule 1")).toBe(true);
    expect(titleStartsWith("generate-session rule 12: twelve", "generate-session rule 1")).toBe(
      false,
    );
    expect(
      titleStartsWith("generate-session rule 5, empty groups: x", "generate-session rule 5"),
    ).toBe(true);
  });
});
