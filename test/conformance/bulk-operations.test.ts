// Many objects to a call: how many calls that takes, each object with an end of its own, and what has no name but its id.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parentDocuments } from "./registry-cases.ts";
import { notification } from "../../resources/notification.ts";
import { notificationEmbedRecipient } from "../../resources/notification-embed-recipient.ts";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  const policy = { maxDeletes: 5000 };
  stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } };
const notDone = (outcomes: readonly { address: string; result: string }[]) =>
  outcomes.filter(({ result }) => result !== "done").map(({ address }) => address);

describe("recipients", () => {
  const parents = parentDocuments("full", notificationEmbedRecipient, {
    deployment: "production",
    notification: "weekly-sales",
    embedTenant: "acme",
  });
  const recipient = (name: string, more: object = {}): Doc => ({
    kind: "NotificationEmbedRecipient",
    name,
    spec: {
      deployment: "production",
      notification: "weekly-sales",
      embedTenant: "acme",
      externalId: `${name}@acme.example`,
      ...more,
    },
  });
  const crowd = Array.from({ length: 1200 }, (_, n) => recipient(`viewer-${n}`));

  it("are added, compared and removed in calls of a thousand", async () => {
    await stack.write(parents);
    await stack.apply();
    await stack.write([...parents, ...crowd]);
    expect((await stack.plan()).cost.writeCalls).toBe(2);
    proxy.arm();
    expect(notDone((await stack.apply()).outcomes)).toEqual([]);
    expect(proxy.writes()).toHaveLength(2);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);

    const [deployment] = await items("/api/v1/deployments?creationStep=project&first=1");
    const base = `/api/v1/deployments/${deployment?.id}/notifications`;
    const [made] = await items(base);
    const path = `${base}/${made?.id}/recipients`;
    const [last] = await items(`${path}?first=1`);
    const gone = { recipients: [{ type: "EMBED_USER", id: last?.embedUserId }] };
    await service.send("DELETE", path, { body: gone });
    const drifted = (await stack.plan()).changes;
    expect(drifted.map(({ action, direction, address }) => [action, direction, address])).toEqual([
      ["create", "drifted", "NotificationEmbedRecipient/viewer-1199"],
    ]);

    await stack.write(parents);
    expect((await stack.plan()).cost.writeCalls).toBe(2);
    await stack.apply();
    expect(await items(path)).toEqual([]);
  }, 60_000);

  it("that cannot be resolved are reported by name, and the others are added", async () => {
    const nameless = recipient("nameless", { externalId: "nameless" });
    await stack.write([...parents, ...crowd.slice(0, 20), nameless, ...crowd.slice(20, 30)]);
    const { outcomes } = await stack.apply();
    expect(notDone(outcomes)).toEqual(["NotificationEmbedRecipient/nameless"]);
  });
});

describe("external users", () => {
  const user = (n: number, more: object = {}): Doc => ({
    kind: "EmbedUser",
    name: `user-${n}`,
    spec: { embedTenant: "acme", externalId: `user-${n}`, ...more },
  });
  const users = Array.from({ length: 150 }, (_, n) => user(n));

  it("are provisioned in calls of a hundred", async () => {
    await stack.write([tenant]);
    await stack.apply();
    await stack.write([tenant, ...users]);
    proxy.arm();
    expect(notDone((await stack.apply()).outcomes)).toEqual([]);
    expect(proxy.writes()).toHaveLength(2);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  });

  it("can fail individually inside a call that succeeds", async () => {
    const ghostly = user(77, { groups: [{ external: "ghosts" }] });
    await stack.write([tenant, ...users.slice(0, 77), ghostly, ...users.slice(78)]);
    const { outcomes } = await stack.apply();
    expect(notDone(outcomes)).toEqual(["EmbedUser/user-77"]);
    const failed = outcomes.find(({ result }) => result === "failed");
    expect(failed?.failure).toMatchObject({
      code: "invalid",
      message: "Groups with names ghosts not found",
    });
    expect(await items("/api/v1/embed-tenants/acme-stores/users")).toHaveLength(150);
  });
});

describe("notifications with equal keys", () => {
  const own: Doc = {
    kind: "Notification",
    name: "weekly-sales",
    spec: { deployment: "production", workbook: "sales-overview", schedule: "0 9 * * 1" },
  };
  const documents = [...parentDocuments("full", notification, own.spec), own];

  async function twin(): Promise<void> {
    const [deployment] = await items("/api/v1/deployments?creationStep=project&first=1");
    const base = `/api/v1/deployments/${deployment?.id}/notifications`;
    const [made] = await items(base);
    const body = {
      dashboardId: made?.dashboardId,
      scheduleType: "CUSTOM",
      customCron: "0 9 * * 1",
    };
    await service.send("POST", base, { body });
  }

  it("are identified by the id in the inventory", async () => {
    await stack.write(documents);
    await stack.apply();
    await twin();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    const off = { ...own, spec: { ...own.spec, isEnabled: false } };
    await stack.write([...documents.slice(0, -1), off]);
    expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  });

  it("stop the run with both ids if the inventory has none", async () => {
    await stack.write(documents);
    await stack.apply();
    await twin();
    await stack.loseInventory();
    const reported = (await stack.diagnostics()).filter(({ code }) => code === "ambiguous-live");
    expect(reported.map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/ids \d+, \d+$/),
    ]);
    await expect(stack.apply()).rejects.toThrow("nothing was written");
  });
});

interface Item {
  readonly id: number;
  readonly embedUserId: number;
  readonly dashboardId: number;
}

async function items(path: string): Promise<readonly Item[]> {
  const { body } = await service.send("GET", path);
  return (body as { items: Item[] }).items;
}
