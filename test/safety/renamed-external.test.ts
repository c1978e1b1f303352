// Tests that objects whose parent outside the stack was renamed on the server need its new name, and are found by it.
import { expect, it } from "vitest";
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

it("is an error that says to correct the name; with the new name, nothing is to do", async () => {
  await rename();
  expect((await fixture.stack.plan()).diagnostics).toMatchObject([
    {
      code: "reference-missing",
      address: "Folder/one",
      path: "/spec/deployment",
      summary: "Folder/one refers to Deployment main, which is not on the server",
      remedy: expect.stringContaining("correct the key"),
    },
    { address: "Folder/two" },
  ]);
  fixture.proxy.arm();
  await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
  expect(fixture.proxy.writes()).toEqual([]);
  await fixture.stack.write([folder("one", "prod"), folder("two", "prod")]);
  expect(new Set(await actions())).toEqual(new Set(["none"]));
});

it("forgets what is no longer declared and is not found under the former name", async () => {
  await rename();
  await fixture.stack.write([]);
  const { changes } = await fixture.stack.plan({ allowEmpty: true });
  expect(changes.map(({ action }) => action)).toEqual(["forget", "forget"]);
});
