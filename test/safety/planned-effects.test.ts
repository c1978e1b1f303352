// What a plan says before the server does: a folder that would be in itself, and what a rename changes besides the name.
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

async function findings() {
  return (await stack.plan()).diagnostics
    .filter(({ severity }) => severity !== "info")
    .map(({ code, address, summary }) => `${code} ${address} ${summary}`);
}

it("a folder that a second apply would put into itself is an error", async () => {
  await stack.write([folder("a"), folder("b", { parent: "a" }), folder("c", { parent: "b" })]);
  await stack.apply();
  // A folder whose document names no parent stays in the one that it has.
  await stack.write([folder("a", { parent: "c" }), folder("b"), folder("c")]);
  expect(await findings()).toEqual([
    "value-refused Folder/a the folder a would be in itself: a in c in b in a",
  ]);
  await stack.write([folder("a", { parent: "c" }), folder("b", { parent: null }), folder("c")]);
  expect(await findings()).toEqual([]);
  expect((await stack.apply()).outcomes.map(({ result }) => result)).not.toContain("failed");
});

it("the rename of a deployment is a warning, because its URL changes", async () => {
  await stack.write([deployment("shop")]);
  await stack.apply();
  await stack.write([deployment("store")]);
  expect(await findings()).toEqual([
    "rename-effect Deployment/shop Deployment/shop is renamed from shop to store: its URL has the name, so that clients of the former URL no longer find it",
  ]);
});
