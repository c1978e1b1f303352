// Tests deployments: spellings of versions, pinned versions, and settings that cost a call each.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

let service: ResettableService;
let stack: TestStack;

beforeAll(async () => {
  service = await startResettableService();
});
beforeEach(async () => {
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await service.reset();
});
afterAll(() => service.close());

const deployment = (more: JsonObject = {}): Doc => ({
  kind: "Deployment",
  name: "shop",
  spec: { name: "shop", region: "aws-us-east-1", ...more },
});
const variable = (name: string, of: string | JsonObject): Doc => ({
  kind: "EnvironmentVariable",
  name: name.toLowerCase(),
  spec: { deployment: of, name, value: "1" },
});

async function settings(): Promise<JsonObject> {
  const list = await service.send("GET", "/api/v1/deployments");
  const { items } = list.body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "shop")?.id;
  return (await service.send("GET", `/api/v1/deployments/${id}/settings`)).body as JsonObject;
}

async function expectConverges(docs: readonly Doc[]): Promise<void> {
  await stack.write(docs);
  const applied = await stack.apply();
  expect(applied.outcomes.map(({ failure }) => failure?.message)).toEqual(
    applied.outcomes.map(() => undefined),
  );
  expect(changeSummaries(applied.residual)).toEqual([]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
}

describe("a deployment", () => {
  it.each(["1.7.20", "v1.7.20", "svcjs/server:v1.7.20"])(
    "runs the version %s, and a change of spelling is not a change",
    async (version) => {
      await expectConverges([deployment({ release: { channel: "release", version } })]);
      expect(await settings()).toMatchObject({
        releaseChannel: "release",
        releaseChannelVersion: "svcjs/server:v1.7.20",
        releaseChannelVersionHold: false,
      });
      const respelled = { channel: "release", version: "1.7.20" };
      await stack.write([deployment({ release: respelled })]);
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    },
  );

  it("cannot have a version that the server does not list", async () => {
    await stack.write([deployment({ release: { version: "9.9.9" } })]);
    expect((await stack.plan()).diagnostics).toMatchObject([
      { code: "out-of-bounds", path: "/spec/release/version" },
    ]);
    await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
  });

  it("keeps its pinned version when its settings change", async () => {
    await expectConverges([deployment({ release: { channel: "release" } })]);
    await service.db
      .insertInto("versions_run")
      .values({ version: "1.6.5", release_channel: "release" })
      .execute();
    const release = { channel: "release", version: "1.6.5", hold: false };
    await expectConverges([deployment({ release })]);
    await expectConverges([deployment({ release, template: "multiCluster" })]);
    expect(await settings()).toMatchObject({ releaseChannelVersion: "svcjs/server:v1.6.5" });
  });

  it("without a channel stays on its version", async () => {
    await expectConverges([deployment({ release: { channel: "release" } })]);
    await service.db.updateTable("deployments").set({ version: "1.6.5" }).execute();
    await expectConverges([deployment({ release: { channel: "release", hold: true } })]);
    expect(await settings()).toMatchObject({
      releaseChannelVersion: "svcjs/server:v1.6.5",
      releaseChannelVersionHold: true,
    });
  });

  it("needs one call for its settings; other deployments need none", async () => {
    for (let index = 0; index < 5; index++) {
      const body = { name: `other-${index}`, region: "aws-us-east-1" };
      await service.send("POST", "/build/api/v1/deployments", { body });
    }
    await expectConverges([deployment()]);
    const { cost } = await stack.plan();
    expect(cost.readCalls).toBe(3);
  });

  it("loses template variables that are no longer declared", async () => {
    await expectConverges([deployment({ templateVariables: { a: "1", b: 2 } })]);
    await expectConverges([deployment({ templateVariables: { b: 3 } })]);
    expect((await settings())["templateVariables"]).toEqual({ b: 3 });
  });

  it("deletes its variables with it; a variable of another deployment may be created first", async () => {
    await expectConverges([
      variable("OUTSIDE", { external: "main" }),
      deployment(),
      variable("INSIDE", "shop"),
    ]);
    await stack.write([variable("OUTSIDE", { external: "main" })]);
    const plan = await stack.plan();
    expect(changeSummaries(plan.changes).toSorted()).toEqual([
      "delete Deployment/shop",
      "delete EnvironmentVariable/inside",
    ]);
    expect(plan.cost.writeCalls).toBe(1);
    await stack.apply();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  });
});
