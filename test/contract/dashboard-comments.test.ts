// Tests comments on an embedded dashboard: who may see and change them, when they are deleted, and their limits.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { embedSessions } from "../support/embed-sessions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let dashboard: string;
let workbook: number;
beforeAll(async () => {
  service = await startService();
  ({ publicId: dashboard, workbook } = await publishDashboard(true));
  await setAccess(workbook, { allEmbedUsers: true, action: "read" });
});
afterAll(async () => service.close());

const { publishDashboard, setAccess, tokenOf } = embedSessions(() => service);

describe("comments on a dashboard", () => {
  type Comment = Readonly<Record<string, unknown>> & { readonly id: number };
  const path = () => `/api/v1/embed/dashboard/${dashboard}`;
  const call = async (key: string, method: string, below: string, body?: object) => {
    const { status, body: answer } = await service.send(method, `${path()}${below}`, { key, body });
    return { status, comment: answer as Comment };
  };
  const threads = async (key: string, query = "") =>
    (
      (await service.send("GET", `${path()}/comments${query}`, { key })).body as {
        items: readonly (Comment & { replies: readonly Comment[] })[];
      }
    ).items;
  const enable = async (enableDashboardComments: boolean) =>
    service.send("PUT", "/api/v1/app-config", { body: { embedding: { enableDashboardComments } } });

  it("are threads that the users of one embed tenant see, and their authors change", async () => {
    await enable(true);
    const [ann, ben, eve] = [
      await tokenOf({
        embedTenantName: "talk-inc",
        externalId: "ann",
        userProfile: { displayName: "Ann" },
      }),
      await tokenOf({ embedTenantName: "talk-inc", externalId: "ben" }),
      await tokenOf({ embedTenantName: "spy-inc", externalId: "eve" }),
    ];
    // The service's own user in the tenant is not a person.
    const { body: own } = await service.send("POST", "/api/v1/embed-tenants/talk-inc/user", {
      body: { externalId: "svc-provisioner" },
    });
    const users = await service.send("GET", `${path()}/mentionable-users`, { key: ann });
    const { items } = users.body as { items: readonly { id: number; name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(["ben", "Ann"]);
    const found = await service.send("GET", `${path()}/mentionable-users?search=BEN`, { key: ann });
    expect(found.body).toMatchObject({ items: [{ name: "ben" }] });
    const { id: ownId } = own as { id: number };
    const refused = await call(ann, "POST", "/comments", { body: "Why?", mentions: [ownId] });
    expect(refused.status).toBe(400);
    const mentions = [items[0]?.id];
    const first = { body: "Why?", widgetId: "headline", mentions };
    const { comment: thread } = await call(ann, "POST", "/comments", first);
    expect(thread).toMatchObject({ ...first, author: { name: "Ann" } });
    const { comment: reply } = await call(ben, "POST", "/comments", {
      body: "Rain.",
      threadId: thread.id,
    });
    expect(reply).toMatchObject({ threadId: thread.id, author: { name: "ben" } });
    const { comment: second } = await call(ben, "POST", "/comments", { body: "Another" });
    expect(await threads(ann)).toMatchObject([
      { id: second.id, replies: [] },
      { id: thread.id, replies: [{ id: reply.id, body: "Rain." }] },
    ]);
    expect(await threads(ben, "?mentionsMe=true&resolved=false")).toMatchObject([
      { id: thread.id },
    ]);
    expect(await threads(ben, "?mentionsMe=true&resolved=true")).toEqual([]);
    expect(await threads(ann, "?mentionsMe=true")).toEqual([]);
    // Another tenant sees nothing, and cannot find out that a comment exists.
    expect(await threads(eve)).toEqual([]);
    const below = `/comments/${thread.id}`;
    const byOther = [
      await call(eve, "PATCH", below, { body: "Mine" }),
      await call(eve, "DELETE", below),
      await call(eve, "POST", `${below}/resolve`),
    ];
    expect(byOther.map(({ status }) => status)).toEqual([404, 404, 404]);
    const stolen = [
      await call(eve, "POST", "/comments", { body: "Hi", threadId: thread.id }),
      await call(eve, "POST", "/comments", { body: "Hi", mentions }),
      await call(ann, "POST", "/comments", { body: "Hi", threadId: reply.id }),
      await call(ann, "POST", "/comments", { body: "Hi", threadId: thread.id, widgetId: "w" }),
    ];
    expect(stolen.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    // Other users of the tenant can resolve a thread, but not change it otherwise.
    expect((await call(ben, "PATCH", below, { body: "Mine" })).status).toBe(403);
    expect((await call(ben, "DELETE", below)).status).toBe(403);
    const { comment: resolved } = await call(ben, "POST", `/comments/${reply.id}/resolve`);
    expect(resolved).toMatchObject({ id: thread.id, resolvedBy: { name: "ben" } });
    const again = await call(ann, "POST", `${below}/resolve`);
    expect(again.comment).toEqual(resolved);
    const opened = await call(ann, "POST", `${below}/resolve`, { resolved: false });
    expect(opened.comment).not.toHaveProperty("resolvedAt");
    const { comment: changed } = await call(ann, "PATCH", below, { body: "Why now?" });
    expect(changed).toMatchObject({ body: "Why now?", mentions });
    // A deleted user leaves its comments without an author.
    await service.send("DELETE", `/api/v1/embed-tenants/talk-inc/users/${items[0]?.id}`);
    expect((await threads(ann))[1]?.replies[0]).not.toHaveProperty("author");
    expect((await call(ann, "DELETE", below)).status).toBe(204);
    expect((await threads(ann)).map(({ id }) => id)).toEqual([second.id]);
  });

  it("need the setting of the account, and a session with an embed tenant", async () => {
    const viewer = await tokenOf({ embedTenantName: "talk-inc", externalId: "cat" });
    const internal = { externalId: null, internalId: "admin" };
    const list = async (key: string) => (await call(key, "GET", "/comments")).status;
    expect(await list(viewer)).toBe(200);
    expect(await list(await tokenOf(internal))).toBe(403);
    expect(await list(await tokenOf({ ...internal, embedTenantName: "talk-inc" }))).toBe(200);
    expect(await list(service.adminKey)).toBe(403);
    await enable(false);
    expect(await list(viewer)).toBe(403);
    expect((await call(viewer, "POST", "/comments", { body: "Hi" })).status).toBe(403);
    await enable(true);
  });

  it("end with the access of the tenant to the dashboard", async () => {
    const key = await tokenOf({ embedTenantName: "talk-inc", externalId: "dan" });
    await call(key, "POST", "/comments", { body: "Hi" });
    await setAccess(workbook, { allEmbedUsers: true, action: "none" });
    expect((await call(key, "GET", "/comments")).status).toBe(404);
    expect((await call(key, "POST", "/comments", { body: "Hi" })).status).toBe(404);
    await setAccess(workbook, { allEmbedUsers: true, action: "read" });
    expect(await threads(key)).not.toEqual([]);
  });

  it("are limited in each thread and on the dashboard", async () => {
    const key = await tokenOf({ embedTenantName: "flood-inc", externalId: "max" });
    const { comment: thread } = await call(key, "POST", "/comments", { body: "First" });
    const row = await service.db
      .selectFrom("dashboard_comments")
      .selectAll()
      .where("id", "=", thread.id)
      .executeTakeFirstOrThrow();
    const { id: _, ...copy } = row;
    const many = async (count: number, more: object) =>
      service.db
        .insertInto("dashboard_comments")
        .values(Array.from({ length: count }, () => ({ ...copy, ...more })))
        .execute();
    await many(limits.commentReplies, { thread_id: thread.id });
    const reply = await call(key, "POST", "/comments", { body: "Hi", threadId: thread.id });
    expect(reply.status).toBe(429);
    await many(limits.commentThreads - 1, {});
    expect((await call(key, "POST", "/comments", { body: "Hi" })).status).toBe(429);
    const page = await service.send("GET", `${path()}/comments?first=1000`, { key });
    expect((page.body as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });
});
