// The options of a session: each takes effect, in the token that the embedded page reads or in what the session may do.
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepAll } from "../../service/jobs/sweep.ts";
import { startService, type TestResponse, type TestService } from "../support/test-service.ts";

let service: TestService;
let dashboard: string;
beforeAll(async () => {
  service = await startService();
  await service.send("POST", "/api/v1/user-groups", { body: { name: "everybody" } });
  dashboard = await publishDashboard(true);
  const branch = { name: "quiet" };
  await service.send("POST", "/build/api/v1/deployments/1/branches", { body: branch });
});
afterAll(async () => service.close());

async function publishDashboard(allowEmbed: boolean): Promise<string> {
  const workbooks = "/api/v1/deployments/1/workbooks";
  const { body } = await service.send("POST", workbooks, { body: {} });
  const { id } = body as { id: number };
  const content = { workbookId: id, title: "Sales", allowEmbed };
  const published = await service.send("POST", `${workbooks}/${id}/publish`, { body: content });
  return (published.body as { publicId: string }).publicId;
}

const createSession = (options: object): Promise<TestResponse> =>
  service.send("POST", "/api/v1/embed/generate-session", {
    body: { deploymentId: 1, externalId: "viewer", ...options },
  });

async function tokenOf(options: object): Promise<string> {
  const session = await createSession(options);
  expect([session.status, session.text]).toEqual([200, expect.any(String)]);
  const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
    key: null,
    body: session.body,
  });
  return (exchanged.body as { token: string }).token;
}

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
      "isEphemeral, roles, tenantGroups",
    ],
  ])("are refused for %s", async (_, options, status, message) => {
    expect(await refusal(options)).toEqual([status, expect.stringContaining(message)]);
  });

  it("open a dashboard only if it may be embedded", async () => {
    const [status, message] = await refusal({ publicDashboardId: await publishDashboard(false) });
    expect([status, message]).toEqual([403, expect.stringContaining("enable it first")]);
  });

  it("set the roles of the session in its deployment", async () => {
    const workbooks = async (options: object) =>
      (
        await service.send("GET", "/api/v1/deployments/1/workbooks", {
          key: await tokenOf(options),
        })
      ).status;
    expect(await workbooks({})).toBe(403);
    expect(await workbooks({ roles: ["AIBIViewer"] })).toBe(200);
    expect(await workbooks({ roles: [] })).toBe(403);
  });

  it("set the groups of the embed tenant beside those of the account", async () => {
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
