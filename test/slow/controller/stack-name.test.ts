// Tests that a source works only with the stack that the configuration names, whatever the repository calls its Stack.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Doc } from "../../support/test-stack.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "../../controller/fixture.ts";

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

const grants = { maxDeletes: 10 };

/** Creates a repository whose Stack keeps its inventory at the service. Call it again for another commit. */
function makeRepository(folder: string, stack: string, documents: readonly Doc[]) {
  const at = fixture.stack(folder, documents);
  const head = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: stack } };
  const spec = {
    inventory: "service",
    policy: { prune: true, maxDeletes: 10, maxDeletePercent: 100 },
  };
  fixture.write(`${folder}/stack.yaml`, JSON.stringify({ ...head, spec }));
  fixture.git(at, "init", "--quiet", "--initial-branch=main");
  fixture.git(at, "add", "--all");
  fixture.git(at, "commit", "--quiet", "--allow-empty", "-m", "as it is");
  return { url: at };
}

it("two repositories whose Stacks are called the same by accident leave each other's objects", async () => {
  const one = { name: "one", git: makeRepository("one", "prod", [groupDocument("north")]), grants };
  const two = { name: "two", git: makeRepository("two", "prod", [groupDocument("south")]), grants };
  const reconciliations = await fixture.reconcileOnce([{ ...one, stack: "prod" }, two]);
  expect(reconciliations.find(({ source }) => source === "one")).toMatchObject({
    result: "applied",
  });
  expect(reconciliations.find(({ source }) => source === "two")).toMatchObject({
    result: "invalid",
    diagnostics: [
      {
        code: "stack-name-mismatch",
        place: expect.stringMatching(/stack\.yaml:1:\d+$/),
        remedy: "Rename the Stack to two, or have the operator set stack: prod in the source.",
      },
    ],
  });
  expect(await fixture.groupNames()).toEqual(["north"]);
});

it("a repository that takes another's name neither forgets nor deletes an object", async () => {
  const one = { name: "one", git: makeRepository("one", "one", [groupDocument("north")]), grants };
  const two = { name: "two", git: makeRepository("two", "two", [groupDocument("south")]), grants };
  await fixture.reconcileOnce([one, two]);
  const lifecycle = { onRemoval: "orphan" };
  makeRepository("two", "one", [{ ...groupDocument("south"), lifecycle }]);
  for (const mode of ["plan", "apply"]) {
    const reconciliations = await fixture.reconcileOnce([one, { ...two, mode }]);
    expect(reconciliations.find(({ source }) => source === "one")).toMatchObject({
      result: "unchanged",
    });
    expect(reconciliations.find(({ source }) => source === "two")).toMatchObject({
      result: "invalid",
      diagnostics: [{ code: "stack-name-mismatch", address: "Stack/one" }],
    });
    expect(reconciliations.find(({ source }) => source === "two")).not.toHaveProperty("changes");
  }
  expect(await fixture.groupNames()).toEqual(["north", "south"]);
});

it("a Stack that is renamed in Git is not reconciled until the configuration has the new name", async () => {
  const one = { name: "one", git: makeRepository("one", "one", [groupDocument("north")]), grants };
  await fixture.reconcileOnce([one]);
  makeRepository("one", "uno", [groupDocument("north"), groupDocument("south")]);
  expect(await fixture.reconcileOnce([one])).toMatchObject([{ result: "invalid" }]);
  expect(await fixture.groupNames()).toEqual(["north"]);
  // It has a separate inventory, which owns nothing yet.
  const [reconciliation] = await fixture.reconcileOnce([{ ...one, stack: "uno" }]);
  expect(reconciliation?.diagnostics?.map(({ code }) => code)).toContain("owned-by-other-stack");
  expect(await fixture.groupNames()).toEqual(["north"]);
});

it("a source in a folder must contain the Stack of its name, too", async () => {
  const folder = fixture.stack("stacks/northwind", [groupDocument("north")]);
  const reconciliations = await fixture.reconcileOnce([{ name: "bluewater", folder }]);
  expect(reconciliations).toMatchObject([
    { result: "invalid", diagnostics: [{ code: "stack-name-mismatch" }] },
  ]);
  expect(await fixture.groupNames()).toEqual([]);
});
