// Tests effects that a plan reports before the server does: a folder inside itself, and what a rename changes in addition to
// the name.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  stack = await makeStack({ url: service.url, key: service.adminKey });
  return () => stack.dispose();
});
afterAll(() => service.close());

const deployment = (name: string): Doc => ({
  kind: "Deployment",
  name: "shop",
  spec: { name, region: "aws-us-east-1" },
});
const folder = (name: string, spec: Doc["spec"] = {}): Doc => ({
  kind: "Folder",
  name,
  spec: { deployment: { external: "main" }, name, ...spec },
});

/** Creates a folder that no stack manages. */
async function unmanaged(name: string, parentId?: number): Promise<number> {
  const { body } = await service.send("POST", "/api/v1/deployments/1/folders", {
    body: { name, parentId },
  });
  return (body as { id: number }).id;
}

async function idOfFolder(name: string): Promise<number | undefined> {
  const { body } = await service.send("GET", "/api/v1/deployments/1/folders?recursive=true");
  const { items } = body as { items: { id: number; name: string }[] };
  return items.find((one) => one.name === name)?.id;
}

async function findings() {
  return (await stack.plan()).diagnostics
    .filter(({ severity }) => severity !== "info")
    .map(({ code, address, summary }) => `${code} ${address} ${summary}`);
}

it("a folder that a second apply would put into itself is an error", async () => {
  await stack.write([folder("a"), folder("b", { parent: "a" }), folder("c", { parent: "b" })]);
  await stack.apply();
  // A folder whose document does not name a parent stays in its current one.
  await stack.write([folder("a", { parent: "c" }), folder("b"), folder("c")]);
  expect(await findings()).toEqual([
    "value-refused Folder/a the folder a would be in itself: a in c in b in a",
  ]);
  await stack.write([folder("a", { parent: "c" }), folder("b", { parent: null }), folder("c")]);
  expect(await findings()).toEqual([]);
  expect((await stack.apply()).outcomes.map(({ result }) => result)).not.toContain("failed");
});

it("folders of one name that no stack manages are not taken for each other", async () => {
  await stack.write([folder("twins")]);
  await stack.apply();
  const other = await unmanaged("twin");
  await unmanaged("twin", await idOfFolder("twins"));
  await unmanaged("in-other-twin", other);
  await stack.write([folder("twins", { parent: { external: "in-other-twin" } })]);
  expect(await findings()).toEqual([]);
  expect((await stack.apply()).outcomes).toMatchObject([{ result: "done" }]);
});

it("a folder stays in the one of two folders of one name that it is in", async () => {
  const inEither = folder("held", { parent: "either" });
  await stack.write([folder("mover"), folder("either", { parent: "mover" }), inEither]);
  await stack.apply();
  await service.send("POST", "/api/v1/deployments/1/workspace/move", {
    body: {
      type: "FOLDER",
      id: await idOfFolder("held"),
      folderId: await unmanaged("either"),
    },
  });
  await stack.write([
    folder("mover", { parent: "held" }),
    folder("either", { position: 3 }),
    folder("held", { parent: { external: "either" }, position: 7 }),
  ]);
  expect(await findings()).toEqual([]);
});

it("a folder that leaves under a new name is no longer around what it contains", async () => {
  await stack.write([folder("outer"), folder("former", { parent: "outer" })]);
  await stack.apply();
  await unmanaged("content", await idOfFolder("former"));
  const renamed = folder("former", { name: "latter", parent: null });
  await stack.write([folder("outer", { parent: { external: "content" } }), renamed]);
  expect(await findings()).toEqual([]);
});

it("a folder that moves into its own subfolder under a new name is an error", async () => {
  await stack.write([folder("before")]);
  await stack.apply();
  await unmanaged("sub", await idOfFolder("before"));
  await stack.write([folder("before", { name: "after", parent: { external: "sub" } })]);
  expect(await findings()).toEqual([
    "value-refused Folder/before the folder after would be in itself: after in sub in after",
  ]);
});

it("a folder that moves into a new one inside itself is an error", async () => {
  await stack.write([folder("around"), folder("inner", { parent: "around" })]);
  await stack.apply();
  await stack.write([
    folder("around", { parent: "between" }),
    folder("between", { parent: "inner" }),
    folder("inner"),
  ]);
  expect(await findings()).toEqual([
    "value-refused Folder/around the folder around would be in itself: around in between in inner in around",
  ]);
});

it("the rename of a deployment is a warning, because its URL changes", async () => {
  await stack.write([deployment("shop")]);
  await stack.apply();
  await stack.write([deployment("store")]);
  expect(await findings()).toEqual([
    "rename-effect Deployment/shop Deployment/shop is renamed from shop to store: its URL has the name, so that clients of the former URL no longer find it",
  ]);
});
