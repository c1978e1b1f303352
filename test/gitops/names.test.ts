// What a repository calls its Stack decides nothing: a source works with the stack that the configuration names, and with no other.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Doc } from "../support/stack.ts";
import { type GitopsScene, group, openScene } from "./scene.ts";

let scene: GitopsScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const grants = { maxDeletes: 10 };

/** A repository whose Stack keeps its inventory at the service; again for another commit. */
function repository(folder: string, stack: string, documents: readonly Doc[]) {
  const at = scene.stack(folder, documents);
  const head = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: stack } };
  const spec = { inventory: "service", policy: { prune: true, maxDeletes: 10 } };
  scene.write(`${folder}/stack.yaml`, JSON.stringify({ ...head, spec }));
  scene.git(at, "init", "--quiet", "--initial-branch=main");
  scene.git(at, "add", "--all");
  scene.git(at, "commit", "--quiet", "--allow-empty", "-m", "as it is");
  return { url: at };
}

it("two repositories whose Stacks are called the same by accident leave each other's objects", async () => {
  const one = { name: "one", git: repository("one", "prod", [group("north")]), grants };
  const two = { name: "two", git: repository("two", "prod", [group("south")]), grants };
  const told = await scene.once([{ ...one, stack: "prod" }, two]);
  expect(told.find(({ source }) => source === "one")).toMatchObject({ result: "applied" });
  expect(told.find(({ source }) => source === "two")).toMatchObject({
    result: "mistakes",
    diagnostics: [
      {
        code: "other-stack-name",
        place: expect.stringMatching(/stack\.yaml:1:\d+$/),
        remedy: "call the Stack two, or have the operator write stack: prod into the source",
      },
    ],
  });
  expect(await scene.groups()).toEqual(["north"]);
});

it("a repository that takes another's name lets go of nothing, and deletes nothing", async () => {
  const one = { name: "one", git: repository("one", "one", [group("north")]), grants };
  const two = { name: "two", git: repository("two", "two", [group("south")]), grants };
  await scene.once([one, two]);
  const lifecycle = { onRemoval: "orphan" };
  repository("two", "one", [{ ...group("south"), lifecycle }]);
  for (const mode of ["plan", "apply"]) {
    const told = await scene.once([one, { ...two, mode }]);
    expect(told.find(({ source }) => source === "one")).toMatchObject({ result: "unchanged" });
    expect(told.find(({ source }) => source === "two")).toMatchObject({
      result: "mistakes",
      diagnostics: [{ code: "other-stack-name", address: "Stack/one" }],
    });
    expect(told.find(({ source }) => source === "two")).not.toHaveProperty("changes");
  }
  expect(await scene.groups()).toEqual(["north", "south"]);
});

it("a Stack that is renamed in Git is left alone until the configuration says so too", async () => {
  const one = { name: "one", git: repository("one", "one", [group("north")]), grants };
  await scene.once([one]);
  repository("one", "uno", [group("north"), group("south")]);
  expect(await scene.once([one])).toMatchObject([{ result: "mistakes" }]);
  expect(await scene.groups()).toEqual(["north"]);
  // It has an inventory of its own, which owns nothing yet.
  const [told] = await scene.once([{ ...one, stack: "uno" }]);
  expect(told?.diagnostics?.map(({ code }) => code)).toContain("other-stack");
  expect(await scene.groups()).toEqual(["north"]);
});

it("a folder is held to its name as well", async () => {
  const folder = scene.stack("stacks/northwind", [group("north")]);
  const told = await scene.once([{ name: "bluewater", folder }]);
  expect(told).toMatchObject([{ result: "mistakes", diagnostics: [{ code: "other-stack-name" }] }]);
  expect(await scene.groups()).toEqual([]);
});
