// Tests symbolic links in the Git repository of a source: they work as in a local checkout and never lead out of the
// repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runsMoreCases } from "../../support/sampling.ts";
import { documentText } from "../../support/test-stack.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "../../controller/fixture.ts";

let fixture: ControllerFixture;
let repository: string;
beforeEach(async () => {
  fixture = await openControllerFixture();
  repository = join(fixture.home, "repository");
  fixture.stack("repository/stacks/northwind", [groupDocument("north")]);
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
});
afterEach(() => fixture.close());

const git = () => ({ url: repository, branch: "main", path: "stacks/northwind" });

describe("symbolic links in a repository", () => {
  const south = documentText(groupDocument("south"));
  const link = (target: string, name: string) => {
    const file = join(repository, name);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
  };
  const reconcile = async () => {
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", "links");
    return (await fixture.reconcileOnce([{ git: git() }]))[0];
  };

  it("to manifests work as in a local checkout: to files, folders, links, and to one file twice", async () => {
    fixture.write("repository/stacks/northwind/hidden/.parts/south.yml", south);
    fixture.write(
      "repository/stacks/northwind/more/east.yaml",
      documentText(groupDocument("east")),
    );
    link("hidden/.parts", "stacks/northwind/parts");
    link("parts/../.parts/./south.yml", "stacks/northwind/south.yaml");
    link("../../northwind/documents.yaml", "stacks/northwind/more/again.yaml");
    link("stack.yaml", "stacks/northwind/notes.txt");
    expect(await reconcile()).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["east", "north", "south"]);
  });

  it("work in what a Stack shares with others", async () => {
    fixture.write("repository/base/parts/south.yml", south);
    link("parts/south.yml", "base/south.yaml");
    const file = join(repository, "stacks/northwind/stack.yaml");
    const stack = JSON.parse(readFileSync(file, "utf8")) as { spec: object };
    const manifests = ["*.yaml", "../../base/*.yaml"];
    writeFileSync(file, JSON.stringify({ ...stack, spec: { ...stack.spec, manifests } }));
    link("documents.yaml", "stacks/northwind/again.yaml");
    expect(await reconcile()).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
  });

  it.each([
    ["to a file outside of the Stack's folder", "../../base/south.yml", "it is a link out of"],
    ["in a folder outside of the Stack's folder", "../../base", "it is a link out of"],
    ["to nothing", "nowhere.yaml", "it is a link to nothing"],
    ["below a file", "documents.yaml/x.yaml", "a part of its path is not a folder"],
  ])("%s are errors as in a local checkout", async (_, target, message) => {
    fixture.write("repository/base/south.yml", south);
    link(target, "stacks/northwind/more.yaml");
    const reconciliation = await reconcile();
    expect(reconciliation).toMatchObject({ result: "invalid" });
    expect(JSON.stringify(reconciliation?.diagnostics)).toContain(message);
    expect(await fixture.groupNames()).toEqual([]);
  });

  it.each([
    ["an absolute path", () => join(fixture.home, "outside/documents.yaml")],
    ["a path above the root", () => "../../../outside/documents.yaml"],
    ["a path through another link", () => "up/up/../../outside/documents.yaml"],
    ["the folder above the root", () => "../../.."],
  ])("that leave it by %s fail with their names, and are not followed", async (_, target) => {
    fixture.stack("outside", [groupDocument("stolen")]);
    link("..", "stacks/northwind/up");
    link("..", "stacks/up");
    link(target(), "stacks/northwind/more.yaml");
    expect(await reconcile()).toMatchObject({
      result: "failed",
      failure: {
        code: "refused",
        message: "stacks/northwind/more.yaml is a symbolic link out of the repository",
      },
    });
    expect(await fixture.groupNames()).toEqual([]);
  });

  it("in a cycle fail with their names", async () => {
    link("b.yaml", "stacks/northwind/a.yaml");
    link("a.yaml", "stacks/northwind/b.yaml");
    expect((await reconcile())?.failure?.message).toContain("is part of a cycle of symbolic links");
  });

  /** Adds links and files to the index, without writing them to a file system. */
  const addToIndex = (mode: string, texts: Iterable<readonly [name: string, text: string]>) => {
    const hashes = new Map<string, string>();
    const hashOf = (text: string): string => {
      const found = hashes.get(text);
      if (found !== undefined) return found;
      const how = { cwd: repository, env: fixture.env, encoding: "utf8", input: text } as const;
      const hash = execFileSync("git", ["hash-object", "-w", "--stdin"], how).trim();
      hashes.set(text, hash);
      return hash;
    };
    execFileSync("git", ["update-index", "--add", "-z", "--index-info"], {
      cwd: repository,
      env: fixture.env,
      input: [...texts].map(([name, text]) => `${mode} ${hashOf(text)}\t${name}\0`).join(""),
    });
    fixture.git(repository, "commit", "--quiet", "-m", "index");
  };
  const reconcileOnly = async () => (await fixture.reconcileOnce([{ git: git() }]))[0];

  it("may be many, to as many files elsewhere", { timeout: 300_000 }, async () => {
    const count = runsMoreCases ? 6_000 : 2_000;
    fixture.git(repository, "add", "--all");
    const numbers = Array.from({ length: count }, (_, at) => at);
    addToIndex(
      "100644",
      numbers.map((at) => [`elsewhere/${at % 100}/${at}`, "text"]),
    );
    // A link for each file, a hundred of them to the same text. `all` is a link to the folder of the files.
    addToIndex("120000", [["stacks/all", "../elsewhere"]]);
    addToIndex(
      "120000",
      numbers.map((at) => [`stacks/northwind/links/${at}.txt`, `../../all/${at % 100}`]),
    );
    expect(await reconcileOnly()).toMatchObject({ result: "applied" });
  });

  it.each([
    ["of 200 kB", `${"a/".repeat(100_000)}b`],
    ["of many names that lead nowhere", "../".repeat(66_666)],
  ])("with a text %s fail with their names", async (_, text) => {
    fixture.git(repository, "add", "--all");
    addToIndex("120000", [["stacks/northwind/long.yaml", text]]);
    expect(await reconcileOnly()).toMatchObject({
      result: "failed",
      failure: {
        code: "refused",
        message: expect.stringMatching(
          /^stacks\/northwind\/long\.yaml is a symbolic link .* bytes/u,
        ),
      },
    });
  });

  it("lead to names with tabs and spaces", async () => {
    const name = "hidden/.a\tb c.yml";
    fixture.write(`repository/stacks/northwind/${name}`, south);
    link(name, "stacks/northwind/south.yaml");
    expect(await reconcile()).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
  });

  it.each([
    ["to the folder of the Stack", "link", "link"],
    ["to a folder above it", "up/northwind", "up"],
    ["to a file", "file", "file"],
  ])("%s in git.path are not followed", async (_, path, name) => {
    link("stacks/northwind", "link");
    link("stacks", "up");
    link("stacks/northwind/stack.yaml", "file");
    await reconcile();
    const [done] = await fixture.reconcileOnce([{ git: { ...git(), path } }]);
    expect(done).toMatchObject({
      result: "failed",
      failure: {
        code: "not_found",
        message: expect.stringContaining(`${name} is a symbolic link`),
      },
    });
  });
});
