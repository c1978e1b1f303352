// Tests that each option of a session takes effect in the token for the embedded page or in what the session may do.
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepAll } from "../../service/jobs/sweep.ts";
import { embedSessions } from "../support/embed-sessions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let dashboard: string;
let workbook: number;
beforeAll(async () => {
  service = await startService();
  await service.send("POST", "/api/v1/user-groups", { body: { name: "everybody" } });
  ({ publicId: dashboard, workbook } = await publishDashboard(true));
  await setAccess(workbook, { allEmbedUsers: true, action: "read" });
  const branch = { name: "quiet" };
  await service.send("POST", "/build/api/v1/deployments/1/branches", { body: branch });
});
afterAll(async () => service.close());

const { publishDashboard, setAccess, createSession, tokenOf } = embedSessions(() => service);

const refusal = async (options: object): Promise<readonly [number, string]> => {
  const { status, body } = await createSession(options);
  return [status, (body as { message: string }).message];
};

async function groupNames(tenant: string): Promise<Readonly<Record<string, unknown>>> {
  const path = `/api/v1/embed-tenants/${tenant}/groups`;
  const { items } = (await service.send("GET", path)).body as {
    items: readonly { name: string; userCount: number }[];
  };
  return Object.fromEntries(items.map(({ name, userCount }) => [name, userCount]));
}

describe("the options of a session", () => {
  it("that the page reads are in its token", async () => {
    const options = {
      branchName: "main",
      publicDashboardId: dashboard,
      embedTheme: "dark",
      settings: {
        allowAi: false,
        allowChatWorkspaceAuthoring: false,
        locale: "pt-BR",
        showAiWidgets: true,
        showDashboardChat: true,
        showDashboardSettings: false,
        showGroupByCube: true,
        showMemberNames: false,
        showWorkbookChat: true,
        showWorkbookShare: false,
        timezone: "Europe/Berlin",
      },
    };
    expect(decodeJwt(await tokenOf(options))).toMatchObject({ deploymentId: 1, ...options });
    const plain = decodeJwt(await tokenOf({ settings: { showDashboardChat: null } }));
    expect(plain).toMatchObject({ settings: {} });
    expect(plain).not.toHaveProperty("branchName");
    expect(plain).not.toHaveProperty("creatorMode");
    const creator = { embedTenantName: "makers", creatorMode: true };
    expect(decodeJwt(await tokenOf(creator))).toMatchObject({ creatorMode: true });
  });

  it("choose the mode of the account's theme", async () => {
    const appTheme = {
      light: { accentColor: "#123456" },
      dark: { accentColor: "#abcdef" },
      typography: { body: "Inter" },
    };
    await service.send("PUT", "/api/v1/app-config", { body: { appTheme } });
    const themeOf = async (options: object) => {
      const key = await tokenOf(options);
      return (await service.send("GET", "/api/v1/users/embed-theme", { key })).body;
    };
    expect(await themeOf({ embedTheme: "dark" })).toEqual({
      primaryColor: "#abcdef",
      font: "Inter",
    });
    expect(await themeOf({})).toEqual({ primaryColor: "#123456", font: "Inter" });
    const internal = { externalId: null, internalId: "admin" };
    await service.send("PUT", "/api/v1/users/1", { body: { embedTheme: "dark" } });
    expect(await themeOf(internal)).toMatchObject({ primaryColor: "#abcdef" });
    expect(await themeOf({ ...internal, embedTheme: "light" })).toMatchObject({
      primaryColor: "#123456",
    });
    await service.send("PUT", "/api/v1/users/1", { body: { embedTheme: null } });
  });

  it.each([
    ["an unknown branch", { branchName: "next" }, 404, "has no branch"],
    ["a branch that is not served", { branchName: "quiet" }, 400, "enable its staging environment"],
    ["an unknown dashboard", { publicDashboardId: "0000" }, 404, "no published dashboard"],
    ["unknown roles", { roles: ["AIBIUser", "Admin"] }, 400, "Roles with names Admin not found"],
    ["an unknown time zone", { settings: { timezone: "Mars/Base" } }, 400, "settings.timezone"],
    ["an invalid locale", { settings: { locale: "german!" } }, 400, "settings.locale"],
    ["an unknown setting", { settings: { showMap: true } }, 400, "showMap"],
    ["an unknown member", { theme: "dark" }, 400, "theme"],
    ["groups of a tenant without its name", { tenantGroupDefinitions: [] }, 400, "embedTenantName"],
    [
      "the same groups in two members",
      { creatorMode: true, groups: [], tenantGroups: [] },
      400,
      "only one",
    ],
    [
      "what is only for external users",
      { externalId: null, internalId: "admin", roles: [], isEphemeral: true, tenantGroups: [] },
      400,
      "must not have both internalId and isEphemeral; an internal user has its own permissions",
    ],
  ])("are refused for %s", async (_, options, status, message) => {
    expect(await refusal(options)).toEqual([status, expect.stringContaining(message)]);
  });

  it("open a dashboard only if it may be embedded", async () => {
    const { publicId, workbook: id } = await publishDashboard(false);
    const open = () => refusal({ publicDashboardId: publicId });
    await setAccess(id, { allEmbedUsers: true, action: "read" });
    expect(await open()).toEqual([403, expect.stringContaining("enable it first")]);
    await setAccess(id, { allEmbedUsers: true, action: "none", allowEmbed: true });
    expect(await open()).toEqual([403, expect.stringContaining("has no access to workbook")]);
  });

  it("add with roles what the session may do to dashboards, and no other content", async () => {
    const dashboards = "/api/v1/deployments/1/dashboard-exports";
    const statuses = async (options: object) => {
      const key = await tokenOf(options);
      const body = { dashboardPublicId: dashboard, format: "png" };
      const list = await service.send("GET", "/api/v1/deployments/1/workbooks", { key });
      return [list.status, (await service.send("POST", dashboards, { key, body })).status];
    };
    expect(await statuses({})).toEqual([403, 403]);
    expect(await statuses({ roles: ["AIBIViewer"] })).toEqual([403, 403]);
    expect(await statuses({ roles: ["AIBIUser"] })).toEqual([403, 200]);
    expect(await statuses({ roles: [] })).toEqual([403, 403]);
  });

  it("export no dashboard that the embed tenant may not view", async () => {
    const { publicId, workbook: id } = await publishDashboard(true);
    const key = await tokenOf({ roles: ["AIBIUser", "Developer"] });
    const path = "/api/v1/deployments/1/dashboard-exports";
    const start = async () =>
      service.send("POST", path, { key, body: { dashboardPublicId: publicId, format: "png" } });
    expect((await start()).status).toBe(404);
    await setAccess(id, { allEmbedUsers: true, action: "read" });
    const { jobId } = (await start()).body as { jobId: string };
    const found = async () => (await service.send("GET", `${path}/${jobId}`, { key })).status;
    expect(await found()).toBe(200);
    await setAccess(id, { allEmbedUsers: true, action: "none" });
    expect(await found()).toBe(404);
  });

  it("set the groups of the embed tenant in addition to those of the account", async () => {
    const base = { embedTenantName: "acme-inc" };
    const tenantGroupDefinitions = [{ name: "editors" }, { name: "readers" }];
    const tenantGroups = ["editors"];
    await tokenOf({ ...base, groups: ["everybody"], tenantGroups, tenantGroupDefinitions });
    expect(await groupNames("acme-inc")).toEqual({ editors: 1, readers: 0 });
    await tokenOf({ ...base, groups: [] });
    expect(await groupNames("acme-inc")).toMatchObject({ editors: 1 });
    await tokenOf({ ...base, tenantGroups: [] });
    expect(await groupNames("acme-inc")).toMatchObject({ editors: 0 });
    const unknown = await refusal({ ...base, tenantGroups: ["everybody"] });
    expect(unknown).toEqual([400, "Groups with names everybody not found"]);
  });

  it("delete an ephemeral user with its last session, unless another request keeps it", async () => {
    const tenant = { embedTenantName: "visitors" };
    const users = async () => {
      const answer = await service.send("GET", "/api/v1/embed-tenants/visitors/users");
      const { items } = answer.body as { items: readonly { externalId: string }[] };
      return items.map(({ externalId }) => externalId).toSorted();
    };
    await createSession({ ...tenant, externalId: "v1", isEphemeral: true });
    await createSession({ ...tenant, externalId: "v2", isEphemeral: true });
    await createSession({ ...tenant, externalId: "v2" });
    await createSession({ ...tenant, externalId: "v3" });
    await createSession({ ...tenant, externalId: "v3", isEphemeral: true });
    await sweepAll(service.db, new Date());
    expect(await users()).toEqual(["v1", "v2", "v3"]);
    await sweepAll(service.db, new Date(Date.now() + 86_400_000));
    expect(await users()).toEqual(["v2", "v3"]);
  });
});

describe("the embed access of a workbook", () => {
  const tenant = { embedTenantName: "north-inc" };
  const view = async (key: string, publicId = dashboard) =>
    (await service.send("GET", `/api/v1/embed/dashboard/${publicId}`, { key })).status;

  it("starts empty, and is given to a tenant or to all", async () => {
    const { publicId, workbook: id } = await publishDashboard(true);
    const [north, south] = [await tokenOf(tenant), await tokenOf({ embedTenantName: "south-inc" })];
    const seen = async () => [await view(north, publicId), await view(south, publicId)];
    expect(await seen()).toEqual([404, 404]);
    const given = await setAccess(id, { ...tenant, action: "read" });
    expect(given.body).toEqual({
      allowEmbed: true,
      allEmbedUsers: { enabled: false, action: "none" },
      tenants: [{ ...tenant, action: "read" }],
    });
    expect(await seen()).toEqual([200, 404]);
    await setAccess(id, { ...tenant, action: "read" });
    await setAccess(id, { allEmbedUsers: true, action: "read" });
    await setAccess(id, { allEmbedUsers: true, action: "read" });
    expect(await seen()).toEqual([200, 200]);
    const listed = async (source: string) => {
      const path = `/api/v1/deployments/1/embed-tenants/north-inc/workbooks${source}`;
      const { items } = (await service.send("GET", path)).body as { items: { id: number }[] };
      return items.map((one) => one.id);
    };
    expect(await listed("")).toEqual([id, workbook]);
    expect(await listed("?accessSource=tenant")).toEqual([id]);
    expect(await listed("?accessSource=allEmbedUsers")).toEqual([id, workbook]);
    expect(await listed("?accessSource=folder")).toEqual([]);
    await setAccess(id, { allEmbedUsers: true, action: "none" });
    expect(await seen()).toEqual([200, 404]);
    await setAccess(id, { ...tenant, action: "none", allowEmbed: false });
    expect(await seen()).toEqual([404, 404]);
    await setAccess(id, { ...tenant, action: "read" });
    expect(await seen()).toEqual([403, 404]);
    const copy = await service.send("POST", `/api/v1/deployments/1/workbooks/${id}/duplicate`);
    const { id: copied } = copy.body as { id: number };
    const own = `/api/v1/deployments/1/workbooks/${copied}/embed-access`;
    expect((await service.send("GET", own)).body).toMatchObject({ tenants: [] });
    await service.send("DELETE", "/api/v1/embed-tenants/north-inc");
    await service.send("POST", "/api/v1/embed-tenants/north-inc/user", {
      body: { externalId: "viewer" },
    });
    expect(await listed("?accessSource=tenant")).toEqual([]);
  });

  it("does not concern users of the account, who need the permission of a dashboard", async () => {
    const { publicId } = await publishDashboard(true);
    const internal = { externalId: null, internalId: "admin" };
    expect(await view(await tokenOf(internal), publicId)).toBe(200);
    const guest = { username: "guest", email: "guest@example.com", defaultRoles: ["Guest"] };
    const { id: userId } = (await service.send("POST", "/api/v1/users", { body: guest })).body as {
      id: number;
    };
    const key = await tokenOf({ externalId: null, internalId: "guest" });
    expect(await view(key, publicId)).toBe(403);
    const { body } = await service.send("GET", `/api/v1/embed/dashboard/${publicId}`);
    const policy = { resourceType: "Dashboard", resourceId: (body as { id: number }).id };
    await service.send("PUT", "/api/v1/resource-policies/user", {
      body: { ...policy, userId, action: "EmbedDashboardRead" },
    });
    expect(await view(key, publicId)).toBe(200);
    expect(await view(key, dashboard)).toBe(403);
  });

  it("limits a session with a dashboard to it, and not to dashboards of another deployment", async () => {
    const { publicId, workbook: id } = await publishDashboard(true);
    await setAccess(id, { allEmbedUsers: true, action: "read" });
    const key = await tokenOf({ publicDashboardId: publicId });
    expect([await view(key, publicId), await view(key, dashboard)]).toEqual([200, 404]);
    const body = { name: "other", region: "aws-us-east-1" };
    const created = await service.send("POST", "/build/api/v1/deployments", { body });
    const { id: deploymentId } = created.body as { id: number };
    const elsewhere = await tokenOf({ deploymentId });
    expect(await view(elsewhere, publicId)).toBe(404);
  });

  it.each([
    ["an unknown tenant", { embedTenantName: "unknown-inc", action: "read" }, 404],
    ["neither a tenant nor all", { action: "read" }, 400],
    ["both", { ...tenant, allEmbedUsers: true, action: "read" }, 400],
    ["no action", { allEmbedUsers: true }, 400],
  ])("refuses %s", async (_, body, status) => {
    expect((await setAccess(workbook, body)).status).toBe(status);
  });

  it("allows embedding only of a published dashboard", async () => {
    const created = await service.send("POST", "/api/v1/deployments/1/workbooks", { body: {} });
    const { id } = created.body as { id: number };
    const answer = await setAccess(id, { allEmbedUsers: true, action: "read", allowEmbed: true });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("published")]);
    const path = `/api/v1/deployments/1/workbooks/${id}/embed-access`;
    expect((await service.send("GET", path)).body).toMatchObject({
      allEmbedUsers: { enabled: false },
    });
  });
});
