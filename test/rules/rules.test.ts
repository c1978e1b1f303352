// Every rule of the specification is proved by at least one test that begins with its id.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, it } from "vitest";
import { rules } from "./specification.ts";

const root = join(import.meta.dirname, "../..");

function titles(): readonly string[] {
  const files = globSync(["test/**/*.test.ts", "service/**/*.test.ts"], { cwd: root });
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/\bit(?:\.each\([^]*?\))?\(\s*(["'`])(.*?)\1,/g)].map(
      (match) => match[2] ?? "",
    );
  });
}

const names = (title: string, id: string): boolean =>
  title.startsWith(id) && /^(?:$|[:,;.]| \/ )/.test(title.slice(id.length));

describe("the rules of the specification", () => {
  it("are each named by a test", () => {
    const all = titles();
    const missing = rules.filter(({ id }) => !all.some((title) => names(title, id)));
    expect(missing.map(({ id, says }) => `${id}: ${says}`)).toEqual([]);
  });

  it("have ids of their own", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  it("are looked for by whole ids", () => {
    expect(names("generate-session rule 1: one", "generate-session rule 1")).toBe(true);
    expect(names("generate-session rule 12: twelve", "generate-session rule 1")).toBe(false);
    expect(names("generate-session rule 5, empty groups: x", "generate-session rule 5")).toBe(true);
  });
});
