// Tests that the bridge refuses to create objects that other clients or other resources of the run created.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../client/client.ts";
import type { JsonObject } from "../../../core/json.ts";
import { Secret } from "../../../core/secret.ts";
import { type Bridge, createBridge } from "../../../provider/bridge/bridge.ts";
import { readTargetFor } from "../../../provider/bridge/read-target.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { kindNamed } from "../../conformance/registry-cases.ts";
import { kinds } from "../../../resources/index.ts";

let service: TestService;
let bridge: Bridge;
let other: Bridge;

beforeEach(async () => {
  service = await startService();
  bridge = await open();
  other = await open();
  const created = [
    bridge.create(kindNamed("UserGroup"), { name: "first" }),
    bridge.create(kindNamed("UserGroup"), { name: "second" }),
  ];
  await Promise.all(created);
});
afterEach(async () => {
  await bridge.close();
  await other.close();
  await service.close();
});

async function open(): Promise<Bridge> {
  const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
  return createBridge(client, await client.discoverApi());
}

/**
 * Kinds whose create request changes an existing object, and one whose server refuses it: an object, a second one, and
 * another value for the second.
 */
const examples: readonly (readonly [
  kind: string,
  first: JsonObject,
  second: JsonObject,
  value: JsonObject,
])[] = [
  ["Workbook", { slug: "first" }, { slug: "second", name: "Ours" }, { name: "Theirs" }],
  [
    "EnvironmentVariable",
    { name: "FIRST", value: "x" },
    { name: "SECOND", value: "ours" },
    { value: "theirs" },
  ],
  [
    "Report",
    { publicId: "report000001", name: "First" },
    { publicId: "report000002", name: "Ours" },
    { name: "Theirs" },
  ],
  [
    "DeploymentAccess",
    { group: "first", action: "WorkbookRead" },
    { group: "second", action: "WorkbookRead" },
    { action: "WorkbookEdit" },
  ],
  [
    "UserGroup",
    { name: "third" },
    { name: "fourth", description: "Ours" },
    { description: "Theirs" },
  ],
];

describe.each(examples)("a create of a %s", (kindName, first, second, value) => {
  const kind = kindNamed(kindName);
  const specs = [first, second, { ...second, ...value }].map((one) => ({
    ...(kind.scope.length > 0 && { deployment: "main" }),
    ...one,
  }));
  const [early = {}, ours = {}, theirs = {}] = specs;
  const live = async () => (await bridge.readFresh(readTargetFor(kind, theirs)))?.spec;

  it("refuses an object that another client created during the run", async () => {
    await bridge.create(kind, early);
    await other.create(kind, theirs);
    await expect(bridge.create(kind, ours)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("already exists"),
      remedy: expect.stringContaining("Import it with the id"),
    });
    expect(await live()).toMatchObject(theirs);
  });

  it("is refused for the second resource of a run with one key, in turn and at the same time", async () => {
    const duplicate = { code: "refused", message: expect.stringContaining("declared twice") };
    await bridge.create(kind, theirs);
    await expect(bridge.create(kind, ours)).rejects.toMatchObject(duplicate);
    expect(await live()).toMatchObject(theirs);
    const observed = await bridge.readFresh(readTargetFor(kind, theirs));
    if (observed === undefined) throw new Error("it does not exist");
    await bridge.delete(kind, observed, kinds);
    const both = await Promise.allSettled([bridge.create(kind, theirs), bridge.create(kind, ours)]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { reason: duplicate }]);
    expect(await live()).toMatchObject(theirs);
  });

  it("succeeds again after another client deleted what the run created", async () => {
    const { observed } = await bridge.create(kind, theirs);
    await other.delete(kind, observed, kinds);
    expect((await bridge.create(kind, ours)).failure).toBeUndefined();
  });
});
