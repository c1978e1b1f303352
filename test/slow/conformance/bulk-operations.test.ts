// Bulk operations: the number of calls, a result for each object, and objects that only an ID identifies.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apply } from "../../../reconciler/apply.ts";
import { parentDocuments } from "../../conformance/registry-cases.ts";
import { notification } from "../../../resources/notification.ts";
import { notificationEmbedRecipient } from "../../../resources/notification-embed-recipient.ts";
import { startProxy, type Proxy } from "../../support/fault-proxy.ts";
import {
  type ResettableService,
  startResettableService,
} from "../../support/resettable-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";

let service: ResettableService;
let proxy: Proxy;
let stack: TestStack;

beforeAll(async () => {
  service = await startResettableService();
});
beforeEach(async () => {
  proxy = await startProxy(service.url);
  const policy = { maxDeletes: 5000 };
  stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.reset();
});
afterAll(() => service.close());

const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } };
const notDone = (outcomes: readonly { address: string; result: string }[]) =>
  outcomes.filter(({ result }) => result !== "done").map(({ address }) => address);

/** Deletes the group `ghosts`, which the plan found, as another client before the first write. */
async function loseGroup(): Promise<void> {
  const { body } = await service.send("POST", "/api/v1/user-groups", { body: { name: "ghosts" } });
  const { id } = body as { id: number };
  proxy.arm(1, async () => {
    await service.send("DELETE", `/api/v1/user-groups/${id}`);
    return "pass";
  });
}

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
  const crowd = Array.from({ length: 1002 }, (_, n) => recipient(`viewer-${n}`));

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
    const [created] = await items(base);
    const path = `${base}/${created?.id}/recipients`;
    const [last] = await items(`${path}?first=1`);
    const removed = { recipients: [{ type: "EMBED_USER", id: last?.embedUserId }] };
    await service.send("DELETE", path, { body: removed });
    const drifted = (await stack.plan()).changes;
    expect(drifted.map(({ action, direction, address }) => [action, direction, address])).toEqual([
      ["create", "drifted", "NotificationEmbedRecipient/viewer-1001"],
    ]);

    await stack.write(parents);
    expect((await stack.plan()).cost.writeCalls).toBe(2);
    await stack.apply();
    expect(await items(path)).toEqual([]);
  }, 60_000);

  it("that cannot be resolved are reported by name, and the others are added", async () => {
    const ghostly = recipient("ghostly", { groups: [{ external: "ghosts" }] });
    await stack.write([...parents, ...crowd.slice(0, 20), ghostly, ...crowd.slice(20, 30)]);
    await loseGroup();
    const { outcomes } = await stack.apply();
    expect(notDone(outcomes)).toEqual(["NotificationEmbedRecipient/ghostly"]);
  });

  it("without an address are refused by the plan, by name", async () => {
    const nameless = recipient("nameless", { externalId: "nameless" });
    await stack.write([...parents, ...crowd.slice(0, 2), nameless]);
    const errors = (await stack.diagnostics()).filter(({ severity }) => severity === "error");
    expect(errors.map(({ address }) => address)).toEqual(["NotificationEmbedRecipient/nameless"]);
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
    await loseGroup();
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

describe("memberships", () => {
  const group: Doc = { kind: "UserGroup", name: "workers", spec: { name: "workers" } };
  const users = Array.from({ length: 30 }, (_, n): Doc => {
    const username = `staff-${n}`;
    return { kind: "User", name: username, spec: { email: `${username}@corp.example`, username } };
  });
  const members = users.map(({ name: user }) => ({
    kind: "GroupMembership",
    name: `staff-${user}`,
    spec: { group: "workers", user },
  }));

  it("of a group are added, compared and removed in one call, and follow its name", async () => {
    await stack.write([group, ...users]);
    await stack.apply();
    await stack.write([group, ...users, ...members]);
    proxy.arm();
    expect(notDone((await stack.apply()).outcomes)).toEqual([]);
    expect(proxy.writes()).toHaveLength(1);
    const renamed = { ...group, spec: { name: "sailors" } };
    await stack.write([renamed, ...users, ...members]);
    const { changes } = await stack.plan();
    expect(changes.filter(({ action }) => action !== "none")).toMatchObject([
      { action: "update", address: "UserGroup/workers" },
    ]);
    await stack.apply();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    await stack.write([renamed, ...users]);
    expect((await stack.plan()).cost.writeCalls).toBe(1);
    await stack.apply();
    const [{ id } = {}] = await items("/api/v1/user-groups?search=sailors");
    expect(await items(`/api/v1/user-groups/${id}/users`)).toEqual([]);
  });

  it("fail alone in a group that an identity provider manages, if SCIM is enabled after the plan", async () => {
    const enableScim = (scimEnabled: boolean) =>
      service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled } });
    await enableScim(true);
    const managed = { displayName: "staff", members: [] };
    await service.send("POST", "/api/scim/v2/Groups", { body: managed });
    await enableScim(false);
    const refused: Doc = {
      kind: "GroupMembership",
      name: "staff",
      spec: { group: { external: "staff" }, user: "staff-1" },
    };
    await stack.write([group, ...users.slice(0, 2), ...members.slice(0, 2), refused]);
    const approve = async () => (await enableScim(true)).status === 200;
    const verdict = await apply({ ...stack.options, approve });
    const outcomes = verdict.ok ? (verdict.applied?.outcomes ?? []) : [];
    expect(notDone(outcomes)).toEqual(["GroupMembership/staff"]);
    const failed = outcomes.find(({ result }) => result === "failed");
    expect(failed?.failure).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("the identity provider manages group"),
    });
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
    const [created] = await items(base);
    const body = {
      dashboardId: created?.dashboardId,
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

describe("the policy of a group on a folder", () => {
  const place = { deployment: { external: "main" } };
  const documents: readonly Doc[] = [
    tenant,
    { kind: "EmbedGroup", name: "workers", spec: { embedTenant: "acme", name: "workers" } },
    { kind: "UserGroup", name: "workers", spec: { name: "workers" } },
    { kind: "Folder", name: "sales", spec: { ...place, name: "Sales" } },
    {
      kind: "FolderAccess",
      name: "workers",
      spec: { ...place, folder: "sales", group: "workers", action: "FolderEdit" },
    },
  ];

  it("is known beside another folder and an embed tenant's group with the names", async () => {
    await stack.write(documents);
    await stack.apply();
    const folders = "/api/v1/deployments/1/folders";
    const [{ id: resourceId } = {}] = await items(folders);
    const [{ id: groupId } = {}] = await items("/api/v1/embed-tenants/acme-stores/groups");
    const policy = { resourceType: "Folder", resourceId, groupId, action: "FolderRead" };
    const set = await service.send("PUT", "/api/v1/resource-policies/group", { body: policy });
    expect(set.status).toBe(204);
    await service.send("POST", folders, { body: { name: "Other" } });
    const [, { id } = {}] = (await items(folders)).toSorted((one, two) => one.id - two.id);
    await service.send("PUT", `${folders}/${id}`, { body: { name: "Sales" } });
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    const path = `/api/v1/resource-policies?resourceType=Folder&resourceId=${resourceId}`;
    const actions = async () => {
      const { body } = await service.send("GET", path);
      const { groupPolicies } = body as { groupPolicies: readonly { action: string }[] };
      return groupPolicies.map(({ action }) => action);
    };
    expect(await actions()).toEqual(["FolderEdit", "FolderRead"]);
    await stack.write(documents.slice(0, -1));
    await stack.apply();
    expect(await actions()).toEqual(["FolderRead"]);
  });
});
