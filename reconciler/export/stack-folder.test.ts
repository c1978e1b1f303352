// Tests how an export and `svc init` find the Stack of a folder, and name a new one.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isName } from "../../core/kind/identity.ts";
import { apiVersion } from "../../core/kind/json-schema.ts";
import {
  hasStack,
  stackFileAbove,
  stackFileIn,
  stackNameFor,
  stackNameIn,
} from "./stack-folder.ts";

let folder: string;
const at = (...names: readonly string[]) => path.join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "svc-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
}

const stack = (name: string, spec = "") =>
  `apiVersion: ${apiVersion}\nkind: Stack\nmetadata:\n  name: ${name}\n${spec}`;

describe("the Stack of a folder", () => {
  it("is absent without the folder, in an empty one, and without a Stack document", async () => {
    expect(await hasStack(at("missing"))).toBe(false);
    expect([await hasStack(folder), await stackNameIn(folder)]).toEqual([false, undefined]);
    write("notes.yaml", "kind: Note\n");
    expect(await stackFileIn(folder)).toBeUndefined();
  });

  it("is found with its name, also below the folder", async () => {
    write("infra/stack.yaml", stack("shop"));
    expect(await stackFileIn(folder)).toBe(at("infra/stack.yaml"));
    expect([await hasStack(folder), await stackNameIn(folder)]).toEqual([true, "shop"]);
  });

  it("has no name of several, but each keeps the folder from becoming another stack", async () => {
    write("a/stack.yaml", stack("a"));
    write("b/stack.yaml", stack("b"));
    expect(await stackNameIn(folder)).toBeUndefined();
    expect(await hasStack(folder)).toBe(true);
  });

  it.each([
    ["a variable", "${env}"],
    ["no text", "7"],
    ["a path", "../shop"],
    ["a list", "[a]"],
  ])("has no plain name if that is %s", async (_, name) => {
    write("stack.yaml", stack(name));
    expect(await stackNameIn(folder)).toBeUndefined();
    expect(await hasStack(folder)).toBe(true);
  });
});

describe("the Stack above a folder", () => {
  it("is that whose manifests are below it", async () => {
    write("stack.yaml", stack("shop"));
    mkdirSync(at("a/b"), { recursive: true });
    expect(await stackFileAbove(at("a/b"))).toBe(at("stack.yaml"));
    expect(await stackFileAbove(at("a/b/not/yet"))).toBe(at("stack.yaml"));
  });

  it("is not one that lists its manifests, nor the one in the folder itself", async () => {
    write("stack.yaml", stack("shop", "spec:\n  manifests: [a.yaml]\n"));
    write("sub/stack.yaml", stack("sub"));
    expect(await stackFileAbove(at("sub"))).toBeUndefined();
  });

  it("is not searched above the root of the repository", async () => {
    write("stack.yaml", stack("shop"));
    mkdirSync(at("repository/sub"), { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: at("repository") });
    expect(await stackFileAbove(at("repository/sub"))).toBeUndefined();
    write("repository/stack.yaml", stack("own"));
    expect(await stackFileAbove(at("repository/sub"))).toBe(at("repository/stack.yaml"));
  });
});

describe("the name of a new stack", () => {
  it.each([
    ["/srv/shop", "shop"],
    ["/srv/my shop (new)", "my-shop-new"],
    ["/srv/.config", "config"],
    ["/srv/größe", "gr-e"],
    ["/srv/--a--", "a"],
    ["/srv/日本", "exported"],
    ["/", "exported"],
  ])("of %s is %s", (place, name) => {
    expect(stackNameFor(place)).toBe(name);
  });

  it.each([
    `/${"a".repeat(99)}.b`,
    `/${"a".repeat(99)} b`,
    `/${"a".repeat(300)}`,
    `/${"-".repeat(300)}a`,
  ])("of a long folder name is a valid name", (place) => {
    const name = stackNameFor(place);
    expect([isName(name), name.length <= 100]).toEqual([true, true]);
  });
});
