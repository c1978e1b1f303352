// Symbolic links in the Git repository of a source: they work as in a local checkout, and never lead out of the repository.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { documentText } from "../support/test-stack.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";

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

  it("in a circle fail with their names", async () => {
    link("b.yaml", "stacks/northwind/a.yaml");
    link("a.yaml", "stacks/northwind/b.yaml");
    expect((await reconcile())?.failure?.message).toContain("is a symbolic link in a circle");
  });
});
