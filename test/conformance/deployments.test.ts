// What deployments have beyond every kind: versions in several spellings, pins that hold, settings that cost a call each.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Doc, inWords, makeStack, type TestStack } from "../support/stack.ts";

let service: TestService;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

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

async function comes(docs: readonly Doc[]): Promise<void> {
  await stack.write(docs);
  const applied = await stack.apply();
  expect(applied.outcomes.map(({ failure }) => failure?.message)).toEqual(
    applied.outcomes.map(() => undefined),
  );
  expect(inWords(applied.residual)).toEqual([]);
  expect(inWords((await stack.plan()).changes)).toEqual([]);
}

describe("a deployment", () => {
  it.each(["1.6.8", "v1.6.8", "svcjs/server:v1.6.8"])(
    "runs the version %s, and a change of spelling is none",
    async (version) => {
      await comes([deployment({ release: { version } })]);
      expect(await settings()).toMatchObject({
        releaseChannel: "release",
        releaseChannelVersion: "svcjs/server:v1.6.8",
        releaseChannelVersionHold: false,
      });
      await stack.write([deployment({ release: { version: "1.6.8" } })]);
      expect(inWords((await stack.plan()).changes)).toEqual([]);
    },
  );

  it("is refused a version that is not on the list, by the server", async () => {
    await stack.write([deployment({ release: { version: "9.9.9" } })]);
    const { outcomes } = await stack.apply();
    expect(outcomes).toMatchObject([{ result: "failed", failure: { code: "invalid" } }]);
  });

  it("keeps its pinned version through a change of its settings", async () => {
    await comes([deployment({ release: { channel: "release" } })]);
    await service.db
      .insertInto("versions_run")
      .values({ version: "1.6.5", release_channel: "release", first_run_at: "2026-01-01" })
      .execute();
    const release = { channel: "release", version: "1.6.5", hold: false };
    await comes([deployment({ release })]);
    await comes([deployment({ release, template: "multiCluster" })]);
    expect(await settings()).toMatchObject({ releaseChannelVersion: "svcjs/server:v1.6.5" });
  });

  it("that is held without a channel's change stays on its version", async () => {
    await comes([deployment({ release: { channel: "release" } })]);
    await service.db.updateTable("deployments").set({ version: "1.6.5" }).execute();
    await comes([deployment({ release: { channel: "release", hold: true } })]);
    expect(await settings()).toMatchObject({
      releaseChannelVersion: "svcjs/server:v1.6.5",
      releaseChannelVersionHold: true,
    });
  });

  it("costs a call for its settings, and others of the account cost none", async () => {
    for (let index = 0; index < 5; index++) {
      const body = { name: `other-${index}`, region: "aws-us-east-1" };
      await service.send("POST", "/build/api/v1/deployments", { body });
    }
    await comes([deployment()]);
    const { cost } = await stack.plan();
    expect(cost.readCalls).toBe(2);
  });

  it("loses template variables that are wished for no more", async () => {
    await comes([deployment({ templateVariables: { a: "1", b: 2 } })]);
    await comes([deployment({ templateVariables: { b: 3 } })]);
    expect((await settings())["templateVariables"]).toEqual({ b: 3 });
  });

  it("takes its variables with it, and one of another deployment may come before it is made", async () => {
    await comes([
      variable("OUTSIDE", { external: "main" }),
      deployment(),
      variable("INSIDE", "shop"),
    ]);
    await stack.write([variable("OUTSIDE", { external: "main" })]);
    const plan = await stack.plan();
    expect(inWords(plan.changes).toSorted()).toEqual([
      "delete Deployment/shop",
      "delete EnvironmentVariable/inside",
    ]);
    expect(plan.cost.writeCalls).toBe(1);
    await stack.apply();
    expect(inWords((await stack.plan()).changes)).toEqual([]);
  });
});
