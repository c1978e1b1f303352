// Tests that objects whose parent outside the stack was renamed on the server are not treated as deleted.
import { expect, it } from "vitest";
import { drift } from "../../reconciler/verbs/verbs.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const folder = (name: string, deployment = "main"): Doc => ({
  kind: "Folder",
  name,
  spec: { deployment: { external: deployment }, name },
});
const documents = [folder("one"), folder("two")];

/** Applies two folders in a deployment that no stack owns, and renames the deployment. */
async function rename(): Promise<void> {
  const { stack, service } = fixture;
  await stack.write(documents);
  await stack.apply();
  await service.send("PUT", "/api/v1/deployments/1", { body: { name: "prod" } });
}

const actions = async () => (await fixture.stack.plan()).changes.map(({ action }) => action);

it("is an error that names the new name; with that, nothing is to do", async () => {
  await rename();
  const renamed = {
    code: "reference-missing",
    severity: "error",
    address: "Folder/one",
    path: "/spec/deployment",
    summary: "Deployment main, which contains Folder/one, was renamed to prod on the server",
    remedy: 'Write { external: "prod" }.',
  };
  const plan = await fixture.stack.plan();
  expect(plan.changes.map(({ action }) => action)).toEqual(["refuse", "refuse"]);
  expect(plan.diagnostics).toMatchObject([renamed, { address: "Folder/two" }]);
  const found = await drift(fixture.stack.options);
  expect(found.ok && found.plan.diagnostics).toMatchObject([renamed, { address: "Folder/two" }]);
  expect(found.ok && found.plan.changes.map(({ direction }) => direction)).toEqual([
    "drifted",
    "drifted",
  ]);
  fixture.proxy.arm();
  await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
  expect(fixture.proxy.writes()).toEqual([]);
  await fixture.stack.write([folder("one", "prod"), folder("two", "prod")]);
  expect(new Set(await actions())).toEqual(new Set(["none"]));
});

it("keeps an object that is no longer declared", async () => {
  await rename();
  await fixture.stack.write(documents.slice(0, 1));
  const { changes, diagnostics } = await fixture.stack.plan();
  expect(changes.map(({ action }) => action)).toEqual(["refuse", "orphan"]);
  expect(diagnostics).toMatchObject([
    { address: "Folder/one" },
    {
      code: "orphan",
      severity: "warning",
      address: "Folder/two",
      summary:
        "Folder/two is kept: Deployment main, which contains it, was renamed to prod on the server",
    },
  ]);
});

it("differs from a deleted parent, whose objects can be forgotten", async () => {
  await rename();
  await fixture.service.send("DELETE", "/api/v1/deployments/1");
  expect((await fixture.stack.plan()).diagnostics).toMatchObject([
    {
      severity: "error",
      summary: "Deployment main, which contains Folder/one, is not on the server",
      remedy: expect.stringContaining("remove"),
    },
    {},
  ]);
  await fixture.stack.write([]);
  const { changes } = await fixture.stack.plan({ allowEmpty: true });
  expect(changes.map(({ action }) => action)).toEqual(["forget", "forget"]);
});
