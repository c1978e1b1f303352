// Tests that objects in a parent outside of stacks are kept unless the parent was certainly deleted, and are found if it was
// renamed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDeployment } from "../../api/deployments.ts";
import { changeSummaries, type Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const folder = (name: string, deployment = "main"): Doc => ({
  kind: "Folder",
  name,
  spec: { deployment: { external: deployment }, name },
});
const variable = (deployment = "main"): Doc => ({
  kind: "EnvironmentVariable",
  name: "region",
  spec: { deployment: { external: deployment }, name: "REGION", value: "eu" },
});
const access = (name: string): Doc => ({
  kind: "FolderAllUsersAccess",
  name: "all",
  spec: { deployment: { external: "main" }, folder: { external: name }, action: "FolderEdit" },
});

async function createDeployments(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await fixture.service.send("POST", createDeployment.path, {
      body: { name, region: "aws-us-east-1" },
    });
}

const renameDeployment = () =>
  fixture.service.send("PUT", "/api/v1/deployments/1", { body: { name: "prod" } });

/** Removes the IDs from the inventory, as if a version that did not observe them had written it. */
function forgetIds(): void {
  const file = join(fixture.stack.folder, ".svc/conformance.inventory.json");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"id":"1\/REGION",/gu, ""));
}

async function folderId(name: string): Promise<number | undefined> {
  const { body } = await fixture.service.send("GET", "/api/v1/deployments/1/folders");
  const { data } = body as {
    readonly data: readonly { readonly id: number; readonly name: string }[];
  };
  return data.find((one) => one.name === name)?.id;
}

async function summaries(targets?: readonly string[]): Promise<readonly string[]> {
  const { changes, diagnostics } = await fixture.stack.plan({ targets, allowEmpty: true });
  const messages = diagnostics.flatMap(({ severity, summary }) =>
    severity === "info" ? [] : [`${severity}: ${summary}`],
  );
  return [...changeSummaries(changes), ...messages];
}

const isHidden = (at: string) =>
  `warning: ${at} is kept: Deployment main, which contains it, is not on the server, or the credential may not see it`;

it("deletes what is no longer declared in the renamed parent, also a variable, and forgets what does not exist there", async () => {
  const { stack, service } = fixture;
  await stack.write([variable(), folder("one"), folder("two")]);
  await stack.apply();
  await renameDeployment();
  await service.send("DELETE", `/api/v1/deployments/1/folders/${await folderId("two")}`);
  await stack.write([folder("one", "prod")]);
  expect(await summaries()).toEqual([
    "none Folder/one",
    "delete EnvironmentVariable/region",
    "forget Folder/two",
  ]);
  await stack.apply();
  expect(await summaries()).toEqual([]);
  await stack.write([folder("one", "prod"), variable("prod")]);
  expect(await summaries()).toEqual(["create EnvironmentVariable/region"]);
});

it("creates missing objects in the renamed parent only after the document names that", async () => {
  const { stack, service } = fixture;
  await stack.write([folder("one"), folder("two")]);
  await stack.apply();
  await renameDeployment();
  await service.send("DELETE", `/api/v1/deployments/1/folders/${await folderId("one")}`);
  expect(await summaries()).toEqual([
    "refuse Folder/one",
    "refuse Folder/two",
    "error: Deployment main, which contains Folder/one, was renamed to prod on the server",
    "error: Deployment main, which contains Folder/two, was renamed to prod on the server",
  ]);
  await stack.write([folder("one", "prod"), folder("two", "prod")]);
  expect(await summaries()).toEqual(["create Folder/one", "none Folder/two"]);
});

it("finds the renamed parent by a variable alone", async () => {
  const { stack } = fixture;
  await stack.write([variable()]);
  await stack.apply();
  await renameDeployment();
  expect(await summaries()).toEqual([
    "refuse EnvironmentVariable/region",
    "error: Deployment main, which contains EnvironmentVariable/region, was renamed to prod on the server",
  ]);
  await stack.write([variable("prod")]);
  expect(await summaries()).toEqual(["none EnvironmentVariable/region"]);
});

it("keeps an object whose ID an older version did not record", async () => {
  const { stack } = fixture;
  await stack.write([variable()]);
  await stack.apply();
  forgetIds();
  expect(await summaries()).toEqual(["none EnvironmentVariable/region"]);
  await renameDeployment();
  expect(await summaries()).toEqual([
    "refuse EnvironmentVariable/region",
    "error: Deployment main, which contains EnvironmentVariable/region, is not on the server, or the credential may not see it",
  ]);
  await stack.write([]);
  expect(await summaries()).toEqual([
    "orphan EnvironmentVariable/region",
    isHidden("EnvironmentVariable/region"),
  ]);
});

it("keeps what is not found in the first candidates, and searches those first that the stack does not name", async () => {
  const { stack } = fixture;
  const others = Array.from({ length: 22 }, (_, index) => `d${index}`);
  await stack.write([folder("one")]);
  await stack.apply();
  await createDeployments(...others);
  await fixture.service.send("PUT", "/api/v1/deployments/1", { body: { name: "prod" } });
  await stack.write([]);
  expect(await summaries()).toEqual(["orphan Folder/one", isHidden("Folder/one")]);
  await stack.write(others.map((name) => folder(name, name)));
  const changes = await summaries();
  expect(changes).toContain("delete Folder/one");
});

it("keeps what may be in a candidate that the credential may not read", async () => {
  const { stack, service, proxy } = fixture;
  await stack.write([folder("one")]);
  await stack.apply();
  await createDeployments("secret");
  await renameDeployment();
  const forbid = () =>
    proxy.armAnyCall(
      1,
      async ({ path }) => (path.includes("/deployments/2/folders") ? "forbid" : "pass"),
      Infinity,
    );
  forbid();
  await stack.write([]);
  expect(await summaries()).toEqual(["delete Folder/one"]);
  await service.send("DELETE", "/api/v1/deployments/1");
  expect(await summaries()).toEqual(["orphan Folder/one", isHidden("Folder/one")]);
  proxy.arm();
  expect(await summaries()).toEqual(["forget Folder/one"]);
});

it("finds an object whose parent was renamed in a renamed parent", async () => {
  const { stack, service } = fixture;
  await service.send("POST", "/api/v1/deployments/1/folders", { body: { name: "shared" } });
  await stack.write([folder("one"), access("shared")]);
  await stack.apply();
  await renameDeployment();
  await stack.write([folder("one", "prod")]);
  expect(await summaries()).toEqual(["none Folder/one", "delete FolderAllUsersAccess/all"]);
  await service.send("PUT", `/api/v1/deployments/1/folders/${await folderId("shared")}`, {
    body: { name: "common" },
  });
  expect(await summaries()).toEqual(["none Folder/one", "delete FolderAllUsersAccess/all"]);
  await stack.apply();
  expect(await summaries()).toEqual([]);
});

it("keeps what may be in a second renamed parent; forgets it if the first was deleted", async () => {
  const { stack, service } = fixture;
  await service.send("POST", "/api/v1/deployments/1/folders", { body: { name: "shared" } });
  await stack.write([access("shared")]);
  await stack.apply();
  await createDeployments("other");
  await renameDeployment();
  await service.send("PUT", `/api/v1/deployments/1/folders/${await folderId("shared")}`, {
    body: { name: "common" },
  });
  await stack.write([]);
  const at = "FolderAllUsersAccess/all";
  expect(await summaries()).toEqual([`orphan ${at}`, isHidden(at)]);
  await service.send("DELETE", "/api/v1/deployments/1");
  await service.send("DELETE", "/api/v1/deployments/2");
  expect(await summaries()).toEqual([`forget ${at}`]);
});

it("searches only for what the targets cover", async () => {
  const { stack, proxy } = fixture;
  await createDeployments("other");
  await stack.write([folder("one"), folder("two", "other")]);
  await stack.apply();
  await createDeployments("third");
  await renameDeployment();
  const searched = () =>
    proxy.requests.filter(({ path }) => path.includes("/deployments/3/folders"));
  proxy.arm();
  expect(await summaries(["Folder/two"])).toEqual([]);
  expect(searched()).toEqual([]);
  expect(await summaries(["Folder/one"])).toContain("refuse Folder/one");
  expect(searched()).toHaveLength(1);
});
