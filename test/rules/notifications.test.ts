// Rules of the specification on workbooks, dashboards and notifications: schedules, filters, foreign objects, cascades.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
const base = "/api/v1/deployments/1";
interface Item {
  readonly [member: string]: unknown;
  readonly id: number;
}

beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

async function sendOk(method: string, path: string, body?: unknown): Promise<Item> {
  const answer = await service.send(method, path, { body });
  expect([path, answer.status, answer.text]).toEqual([
    path,
    expect.any(Number),
    expect.any(String),
  ]);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body as Item;
}
async function rejectionOf(method: string, path: string, body?: unknown) {
  const answer = await service.send(method, path, { body });
  return (answer.body as { code?: string }).code;
}
async function items(path: string): Promise<readonly Item[]> {
  return (await sendOk("GET", path))["items"] as readonly Item[];
}
interface Published extends Item {
  readonly workbookId: number;
  readonly publicId: string;
}
async function publishDashboard(slug: string, at = base): Promise<Published> {
  const { id } = await sendOk("PUT", `${at}/workbooks/by-slug/${slug}`, { name: slug });
  const body = { workbookId: id, config: { title: slug } };
  return (await sendOk("POST", `${at}/workbooks/${id}/publish`, body)) as Published;
}
async function otherDeployment(): Promise<string> {
  const body = { name: "other", region: "aws-us-east-1" };
  return `/api/v1/deployments/${(await sendOk("POST", "/build/api/v1/deployments", body)).id}`;
}
const createNotification = (dashboardId: unknown, more: object = {}) =>
  sendOk("POST", `${base}/notifications`, { dashboardId, scheduleType: "DAILY", hour: 9, ...more });

describe("workbooks", () => {
  it("are created and updated by slug: one workbook, its meta merged, its name kept", async () => {
    const first = await sendOk("PUT", `${base}/workbooks/by-slug/%20Sales%20`, {
      name: "Sales",
      meta: { team: "a", floor: 1 },
    });
    expect(first).toMatchObject({ slug: "sales", name: "Sales" });
    const again = await sendOk("PUT", `${base}/workbooks/by-slug/sales`, { meta: { team: "b" } });
    expect(again).toMatchObject({ id: first.id, name: "Sales", meta: { team: "b", floor: 1 } });
    const put = await sendOk("PUT", `${base}/workbooks/${first.id}`, { meta: { only: true } });
    expect(put["meta"]).toEqual({ only: true });
  });

  it("have slugs of their own in a deployment, adopted only on demand", async () => {
    const first = await sendOk("PUT", `${base}/workbooks/by-slug/sales`, {});
    const second = await sendOk("POST", `${base}/workbooks`, {});
    expect(second).toMatchObject({ name: "Untitled" });
    const path = `${base}/workbooks/${second.id}`;
    expect(await rejectionOf("PUT", path, { slug: "sales" })).toBe("conflict");
    await sendOk("PUT", path, { slug: "SALES", slugTakeover: true });
    expect((await sendOk("GET", `${base}/workbooks/${first.id}`))["slug"]).toBeUndefined();
    expect(await rejectionOf("PUT", path, { slug: "no slug" })).toBe("invalid");
    await sendOk("PUT", `${await otherDeployment()}/workbooks/by-slug/sales`, {});
  });

  it("keep the ids of what is published, and publish the saved draft without a config", async () => {
    const { id } = await sendOk("POST", `${base}/workbooks`, {});
    const path = `${base}/workbooks/${id}`;
    expect(await rejectionOf("POST", `${path}/publish`, { workbookId: id })).toBe("invalid");
    await sendOk("PUT", `${path}/dashboard`, { config: { title: "Draft", kind: "APP" } });
    const first = await sendOk("POST", `${path}/publish`, { workbookId: id, title: "Shown" });
    expect(first).toMatchObject({
      status: "published",
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      allowEmbed: false,
      config: { title: "Shown", kind: "APP" },
      versionNumber: 1,
    });
    const config = { title: "Other" };
    const second = await sendOk("POST", `${path}/publish`, {
      workbookId: id,
      config,
      allowEmbed: true,
    });
    expect(second).toEqual({ ...first, config, allowEmbed: true, versionNumber: 2 });
    expect(await sendOk("GET", path)).toMatchObject({
      dashboardDraft: { status: "draft", config: { title: "Draft" } },
      publishedDashboard: second,
    });
  });

  it("are not reached through another deployment", async () => {
    const { id } = await sendOk("POST", `${base}/workbooks`, {});
    const path = `${await otherDeployment()}/workbooks/${id}`;
    expect(await rejectionOf("GET", path)).toBe("not_found");
    expect(await rejectionOf("PUT", path, { name: "taken" })).toBe("not_found");
    expect(await rejectionOf("POST", `${path}/publish`, { workbookId: id })).toBe("not_found");
    expect(await rejectionOf("DELETE", path)).toBe("not_found");
    expect(await rejectionOf("GET", "/api/v1/deployments/99/workbooks")).toBe("not_found");
  });

  it("take dashboards, notifications and subscriptions with them", async () => {
    const { id, workbookId } = await publishDashboard("sales");
    const created = await createNotification(id);
    const recipients = [{ type: "USER", userId: 1 }];
    await sendOk("POST", `${base}/notifications/${created.id}/recipients`, { recipients });
    await sendOk("DELETE", `${base}/workbooks/${workbookId}`);
    expect(await items(`${base}/notifications`)).toEqual([]);
    for (const table of ["dashboards", "recipients"] as const) {
      expect(await service.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });
});

describe("embedding of a dashboard", () => {
  it("client area Other, embed, dashboards: is switched by its public id, for a scoped key in its own deployments only", async () => {
    const { publicId } = await publishDashboard("sales");
    const path = `/api/v1/embed/dashboard/${publicId}`;
    expect(await sendOk("PATCH", path, { allowEmbed: true })).toEqual({
      publicId,
      allowEmbed: true,
    });
    const [workbook] = await items(`${base}/workbooks`);
    expect(workbook).toMatchObject({ publishedDashboard: { allowEmbed: true } });
    const other = Number((await otherDeployment()).split("/").at(-1));
    const key = await service.key({ deploymentIds: [other] });
    const body = { allowEmbed: false };
    expect((await service.send("PATCH", path, { key, body })).status).toBe(403);
    expect(await rejectionOf("PATCH", "/api/v1/embed/dashboard/none", body)).toBe("not_found");
  });
});

describe("notifications", () => {
  it("are created for one published dashboard, by either id, without recipients", async () => {
    const dashboard = await publishDashboard("sales");
    const first = await createNotification(dashboard.id, { timezone: "Europe/Berlin" });
    expect(first).toMatchObject({
      dashboardId: dashboard.id,
      deploymentId: 1,
      cronExpression: "0 9 * * *",
      timezone: "Europe/Berlin",
      isEnabled: true,
      humanReadableSchedule: "Every day at 09:00",
      notificationEnabled: true,
      notificationFormat: "png",
      notificationAiSummary: false,
    });
    expect(await items(`${base}/notifications/${first.id}/recipients`)).toEqual([]);
    const second = await createNotification(null, { dashboardPublicId: dashboard.publicId });
    expect(second).toMatchObject({ dashboardId: dashboard.id, timezone: "UTC" });
    expect((await items(`${base}/notifications`)).map(({ id }) => id)).toEqual([
      second.id,
      first.id,
    ]);
  });

  it("refuse both ids or none, drafts, foreign dashboards, and invalid schedules", async () => {
    const { id, publicId } = await publishDashboard("sales");
    const path = `${base}/notifications`;
    const daily = { scheduleType: "DAILY" };
    expect(await rejectionOf("POST", path, daily)).toBe("invalid");
    const both = { ...daily, dashboardId: id, dashboardPublicId: publicId };
    expect(await rejectionOf("POST", path, both)).toBe("invalid");
    const foreign = await publishDashboard("theirs", await otherDeployment());
    expect(await rejectionOf("POST", path, { ...daily, dashboardId: foreign.id })).toBe(
      "not_found",
    );
    const byName = { ...daily, dashboardPublicId: foreign.publicId };
    expect(await rejectionOf("POST", path, byName)).toBe("not_found");
    const workbook = await sendOk("POST", `${base}/workbooks`, {});
    const draft = await sendOk("PUT", `${base}/workbooks/${workbook.id}/dashboard`, { config: {} });
    expect(await rejectionOf("POST", path, { ...daily, dashboardId: draft.id })).toBe("not_found");
    for (const wrong of [
      { scheduleType: "YEARLY" },
      { scheduleType: "WEEKLY" },
      { ...daily, dayOfWeek: 1 },
      { ...daily, minute: 60 },
      { ...daily, timezone: "Mars/Olympus" },
      { scheduleType: "CUSTOM", customCron: "every day" },
      { ...daily, filters: [{ value: "done" }] },
      { ...daily, filters: [{ member: "orders.status", values: ["done"] }] },
      ...[
        { is: "done" },
        {},
        [["done"]],
        { from: [1] },
        { from: 1, end: 2 },
        { values: "done" },
      ].map((value) => ({ ...daily, filters: [{ member: "orders.status", value }] })),
      { ...daily, timeGrains: [{ member: "orders.created_at", granularity: "week" }] },
      { ...daily, timeGrains: [{ member: "orders.created_at" }] },
      { ...daily, timeGrains: [{ grain: "week", other: 1 }] },
      { ...daily, timeGrains: [{ grain: 7 }] },
      { ...daily, memberSwitchers: [{ from: "orders.count" }] },
      { ...daily, memberSwitchers: [{ from: "orders.count", to: "orders.total", other: 1 }] },
    ]) {
      expect(await rejectionOf("POST", path, { ...wrong, dashboardId: id })).toBe("invalid");
    }
    expect(await items(path)).toEqual([]);
  });

  it("change given members and keep the rest; a scheduleType replaces the schedule", async () => {
    const { id } = await publishDashboard("sales");
    const filters = [{ member: "orders.status", operator: "equals", value: ["done"] }];
    const created = await createNotification(id, { filters });
    const path = `${base}/notifications/${created.id}`;
    expect(await sendOk("PUT", path, { isEnabled: false, minute: 30 })).toEqual({
      ...created,
      isEnabled: false,
      cronExpression: "30 9 * * *",
      humanReadableSchedule: "Every day at 09:30",
    });
    const weekly = await sendOk("PUT", path, { scheduleType: "WEEKLY", dayOfWeek: 1, filters: [] });
    expect(weekly).toMatchObject({ cronExpression: "0 0 * * 1", isEnabled: false });
    expect(weekly["filters"]).toBeUndefined();
    expect(await rejectionOf("PUT", path, { dashboardId: id })).toBe("invalid");
  });

  it("are not reached through another deployment", async () => {
    const { id } = await createNotification((await publishDashboard("sales")).id);
    const path = `${await otherDeployment()}/notifications/${id}`;
    const recipients = [{ type: "USER", userId: 1 }];
    expect(await rejectionOf("GET", path)).toBe("not_found");
    expect(await rejectionOf("PUT", path, { hour: 1 })).toBe("not_found");
    expect(await rejectionOf("DELETE", path)).toBe("not_found");
    expect(await rejectionOf("GET", `${path}/recipients`)).toBe("not_found");
    expect(await rejectionOf("POST", `${path}/recipients`, { recipients })).toBe("not_found");
    const removed = { recipients: [{ type: "USER", id: 1 }] };
    expect(await rejectionOf("DELETE", `${path}/recipients`, removed)).toBe("not_found");
  });

  it("come 100 to a page, and at most 200", async () => {
    const { id } = await publishDashboard("sales");
    for (let count = 0; count < 205; count++) await createNotification(id);
    expect(await items(`${base}/notifications`)).toHaveLength(100);
    expect(await items(`${base}/notifications?first=1000`)).toHaveLength(200);
    expect(await items(`${base}/notifications?first=3`)).toHaveLength(3);
  });

  it("are filtered by dashboard and by recipient", async () => {
    const [one, two] = [await publishDashboard("one"), await publishDashboard("two")];
    const [first, second] = [await createNotification(one.id), await createNotification(two.id)];
    const external = { embedTenantName: "acme-stores", externalId: "kim@acme.example" };
    const subscribe = (id: number, recipient: object) =>
      sendOk("POST", `${base}/notifications/${id}/recipients`, { recipients: [recipient] });
    await subscribe(first.id, { type: "USER", userId: 1 });
    await subscribe(second.id, { type: "EMBED_USER", ...external });
    const found = async (query: string) =>
      (await items(`${base}/notifications?${query}`)).map(({ id }) => id);
    expect(await found(`dashboardId=${one.id}`)).toEqual([first.id]);
    expect(await found(`dashboardPublicId=${two.publicId}`)).toEqual([second.id]);
    expect(await found("recipientUserId=1")).toEqual([first.id]);
    expect(await found("recipientEmail=ADMIN@svc.localhost")).toEqual([first.id]);
    expect(await found("recipientEmail=kim@acme.example")).toEqual([second.id]);
    const both = "recipientEmbedTenantName=acme-stores&recipientExternalId=kim@acme.example";
    expect(await found(both)).toEqual([second.id]);
    expect(await found(`${both}&dashboardId=${one.id}`)).toEqual([]);
    expect(await found("recipientUserId=99")).toEqual([]);
    for (const wrong of [
      `dashboardId=${one.id}&dashboardPublicId=${one.publicId}`,
      "recipientUserId=1&recipientEmail=a@b.example",
      "recipientExternalId=x",
      "recipientEmbedTenantName=acme-stores",
    ]) {
      expect(await rejectionOf("GET", `${base}/notifications?${wrong}`)).toBe("invalid");
    }
    expect(await rejectionOf("GET", `${base}/notifications?dashboardId=99`)).toBe("not_found");
  });
});

describe("removing recipients", () => {
  it("removes the recipients that are named by type and id, and no others", async () => {
    const { id } = await createNotification((await publishDashboard("sales")).id);
    const path = `${base}/notifications/${id}/recipients`;
    const external = {
      type: "EMBED_USER",
      embedTenantName: "acme-stores",
      externalId: "a@b.example",
    };
    await sendOk("POST", path, { recipients: [{ type: "USER", userId: 1 }, external] });
    const embedUserId = (await items(path)).find((one) => one["type"] === "EMBED_USER")?.[
      "embedUserId"
    ];
    const remove = (...recipients: object[]) => sendOk("DELETE", path, { recipients });
    const types = async () => (await items(path)).map((one) => one["type"]);
    await remove(
      { type: "EMBED_USER", id: 1 },
      { type: "USER", id: 99 },
      { type: "SLACK", id: "C" },
    );
    await remove({ type: "EMBED_USER", id: embedUserId, embedTenantName: "other-tenant" });
    expect(await types()).toEqual(["EMBED_USER", "USER"]);
    await remove({ type: "EMBED_USER", id: String(embedUserId), embedTenantName: "acme-stores" });
    await remove({ type: "EMBED_USER", id: embedUserId });
    expect(await types()).toEqual(["USER"]);
    for (const none of ["x", "0", "01", "1.0", "2147483648", "9999999999"]) {
      expect(await rejectionOf("DELETE", path, { recipients: [{ type: "USER", id: none }] })).toBe(
        "invalid",
      );
    }
    // The largest possible id is valid, although no user has it.
    await remove({ type: "USER", id: "2147483647" });
    expect(await types()).toEqual(["USER"]);
    await remove({ type: "USER", id: 1 });
    expect(await types()).toEqual([]);
    expect(await items("/api/v1/embed-tenants/acme-stores/users")).toHaveLength(1);
  });
});
