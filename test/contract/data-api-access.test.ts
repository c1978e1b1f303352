// Tests which rows callers of the data API may see, and how its queries count as views.
import { describe, expect, it } from "vitest";
import { type Json, useDataApi } from "./data-api-service.ts";

const { service, branchName, ask, get, tokenOf } = useDataApi();

describe("access policies", () => {
  it("open the rows and members of the user of the token", async () => {
    const { token: limited, userId } = await tokenOf("Developer");
    const count = async () => (await get({ measures: ["orders.count"] }, "", limited))[1]["data"];
    expect(await count()).toEqual([{ "orders.count": "0" }]);
    const attribute = { name: "status", type: "string" };
    const created = await service().done("POST", "/api/v1/user-attributes", attribute);
    const value = { userId: String(userId), userAttributeId: String(created["id"]), value: "paid" };
    await service().done("POST", "/api/v1/user-attribute-values", value);
    expect(await count()).toEqual([{ "orders.count": "2" }]);
    expect(await get({ measures: ["orders.total"] }, "", limited)).toMatchObject([
      400,
      { error: expect.stringContaining("You requested hidden member: 'orders.total'") },
    ]);
    const tenants = async () =>
      (await get({ measures: ["tenants.count"] }, "", limited))[1]["data"];
    await service().done("PUT", `/api/v1/users/${String(userId)}`, {
      securityContext: { tenant: 1 },
    });
    expect(await tenants()).toEqual([{ "tenants.count": "1" }]);
    await service().done("PUT", `/api/v1/users/${String(userId)}`, {
      securityContext: { tenant: 2 },
    });
    expect(await tenants()).toEqual([{ "tenants.count": "0" }]);
    const [, meta] = await ask("/meta", undefined, limited);
    const [orders] = meta["cubes"] as readonly Json[];
    expect(orders?.["measures"]).toMatchObject([{ name: "orders.count" }]);
    expect(meta["viewGroups"]).toEqual([]);
  });
});

it("the text of a database reaches developers only", async () => {
  const errorOf = async (role: string) =>
    (await get({ measures: ["broken.count"] }, "", (await tokenOf(role)).token))[1]["error"];
  expect(await errorOf("Developer")).toMatch("missing_table");
  expect(await errorOf("AIBIViewer")).toBe(
    "Error: the data source refused the query; developers find the reason in the logs of the deployment",
  );
});

describe("embed sessions", () => {
  const open = async (more: object): Promise<readonly [session: Json, token: string]> => {
    const session = { deploymentId: 1, externalId: "viewer", branchName: branchName(), ...more };
    const created = await service().done("POST", "/api/v1/embed/generate-session", session);
    const { token: embedToken } = await service().done(
      "POST",
      "/api/v1/embed/session/token",
      created,
    );
    return [created, String(embedToken)];
  };

  it("for a dashboard query while the embed tenant has access to it", async () => {
    const workbooks = "/api/v1/deployments/1/workbooks";
    const { id } = await service().done("POST", workbooks, {});
    const content = { workbookId: id, title: "Sales", allowEmbed: true };
    const publish = await service().done("POST", `${workbooks}/${String(id)}/publish`, content);
    const setAccess = (access: object) =>
      service().done("PUT", `${workbooks}/${String(id)}/embed-access`, {
        allEmbedUsers: true,
        ...access,
      });
    await setAccess({ action: "read" });
    const [, viewer] = await open({ publicDashboardId: publish["publicId"] });
    const [, free] = await open({});
    const query = { measures: ["orders.count"] };
    const statuses = async () => [
      (await get(query, "", viewer))[0],
      (await get(query, "", free))[0],
    ];
    expect(await statuses()).toEqual([200, 200]);
    await setAccess({ action: "none" });
    expect(await statuses()).toEqual([403, 200]);
    await setAccess({ action: "read", allowEmbed: false });
    expect(await statuses()).toEqual([403, 200]);
    await setAccess({ action: "read", allowEmbed: true });
    expect(await statuses()).toEqual([200, 200]);
    await service().send("DELETE", `${workbooks}/${String(id)}`);
    expect(await statuses()).toEqual([403, 200]);
  });

  it("have the defaults of attributes without a value", async () => {
    const [, viewer] = await open({ externalId: "by-default" });
    const count = async () => (await get({ measures: ["visits.count"] }, "", viewer))[1];
    expect(await count()).toMatchObject({ error: expect.stringContaining("hidden member") });
    const define = async (attribute: object) =>
      service().done("POST", "/api/v1/user-attributes", attribute);
    await define({ name: "may_visit", type: "boolean", defaultValue: "true" });
    await define({ name: "statuses", type: "string_array", defaultValue: "paid, open" });
    await define({ name: "ids", type: "number_array", defaultValue: "[1, 2]" });
    expect(await count()).toMatchObject({ data: [{ "visits.count": "2" }] });
    const [, meta] = await ask("/meta");
    expect(meta["cubes"]).toContainEqual(expect.objectContaining({ name: "visits" }));
  });

  it("of creator mode have the groups and attributes of the embed tenant alone", async () => {
    const creator = { externalId: "maker", embedTenantName: "workshop", creatorMode: true };
    const type = "string";
    const [, plain] = await open({
      ...creator,
      creatorMode: false,
      userAttributes: [{ name: "status", value: "paid" }],
    });
    const [, own] = await open({
      ...creator,
      userAttributeDefinitions: [{ name: "other", type }],
      groupDefinitions: [{ name: "makers" }],
      groups: ["makers"],
    });
    const { groups } = await service().as(own).done("GET", "/api/v1/users/me");
    expect(groups).toEqual(["system:tenant:workshop:makers"]);
    const count = async (credential: string) => {
      const [, body] = await get({ measures: ["orders.count"] }, "", credential);
      return body["data"];
    };
    expect(await count(plain)).toEqual([{ "orders.count": "2" }]);
    expect(await count(own)).toEqual([{ "orders.count": "0" }]);
    await open({
      ...creator,
      userAttributeDefinitions: [{ name: "status", type }],
      userAttributes: [{ name: "status", value: "open" }],
    });
    expect(await count(own)).toEqual([{ "orders.count": "1" }]);
  });

  it("have the values of the account's attributes, whatever a session of creator mode sets", async () => {
    const viewer = { externalId: "clerk", embedTenantName: "counter" };
    const [, key] = await open({ ...viewer, userAttributes: [{ name: "status", value: "paid" }] });
    const count = async () => (await get({ measures: ["orders.count"] }, "", key))[1]["data"];
    const definition = { name: "status", type: "string", defaultValue: "open" };
    await open({ ...viewer, creatorMode: true, userAttributeDefinitions: [definition] });
    expect(await count()).toEqual([{ "orders.count": "2" }]);
    await open({
      ...viewer,
      creatorMode: true,
      userAttributes: [{ name: "status", value: "open" }],
    });
    expect(await count()).toEqual([{ "orders.count": "2" }]);
  });

  it("read no SQL and no tables, but those of creator mode generated SQL unless it is hidden", async () => {
    const [, creator] = await open({ embedTenantName: "workshop", creatorMode: true });
    const roles = ["Developer", "AIBIUser"];
    const [, plain] = await open({ embedTenantName: "workshop", roles });
    const query = encodeURIComponent(JSON.stringify({ measures: ["orders.count"] }));
    const read = async (path: string) => {
      const answers = [await ask(path, undefined, creator), await ask(path, undefined, plain)];
      expect(JSON.stringify(answers[1])).not.toMatch(/select/i);
      return answers.map(([status]) => status);
    };
    expect(await read("/meta")).toEqual([200, 200]);
    expect(await read("/meta?extended=true")).toEqual([400, 400]);
    expect(await read("/meta?extended")).toEqual([400, 400]);
    expect(await read(`/sql?query=${query}`)).toEqual([200, 400]);
    await service().done("PUT", "/api/v1/app-config", { creatorMode: { showGeneratedSql: false } });
    expect(await read(`/sql?query=${query}`)).toEqual([400, 400]);
    await service().done("PUT", "/api/v1/app-config", { creatorMode: null });
  });

  it("of a user read SQL and tables with the role of a developer alone", async () => {
    const query = encodeURIComponent(JSON.stringify({ measures: ["tenants.count"] }));
    const statuses = async (token: string) => [
      (await ask(`/sql?query=${query}`, undefined, token))[0],
      (await ask("/meta?extended=true", undefined, token))[0],
    ];
    for (const [role, status] of [
      ["AIBIViewer", 400],
      ["Developer", 200],
    ] as const) {
      const key = await service().userKey(role);
      const user = await service().as(key).done("GET", "/api/v1/users/me");
      const internalId = String(user["username"]);
      const securityContext = { tenant: 1 };
      await service().done("PUT", `/api/v1/users/${String(user["id"])}`, { securityContext });
      const [, session] = await open({ externalId: null, internalId });
      expect([role, await statuses(session)]).toEqual([role, [status, status]]);
    }
  });

  it("of an environment read no SQL, no tables and no texts of databases, whoever created them", async () => {
    const query = encodeURIComponent(JSON.stringify({ measures: ["orders.count"] }));
    const broken = encodeURIComponent(JSON.stringify({ measures: ["broken.count"] }));
    const read = async (token: string) => {
      const answers = [
        await ask("/meta", undefined, token),
        await ask("/meta?extended=true", undefined, token),
        await ask(`/sql?query=${query}`, undefined, token),
        await ask(`/load?query=${broken}`, undefined, token),
      ];
      const text = JSON.stringify(answers);
      return [answers.map(([status]) => status), /select/i.test(text), /missing_table/.test(text)];
    };
    const environments = "/api/v1/deployments/1/environments";
    const { items } = await service().done("GET", `${environments}?type=development`);
    const [{ id } = { id: "" }] = items as readonly { readonly id: string }[];
    for (const securityContext of [{ tenant: 1 }, {}]) {
      const body = { security_context: securityContext };
      for (const [kind, status] of [
        ["tokens", 400],
        ["tokens-for-meta-sync", 403],
      ] as const) {
        const { data } = await service().done("POST", `${environments}/${id}/${kind}`, body);
        const { token: minted } = data as { readonly token: string };
        const expected = [[200, 400, status, status], false, false];
        expect([kind, await read(minted)]).toEqual([kind, expected]);
      }
    }
    const { svcApiToken: own } = await service().done("POST", "/api/v1/deployments/1/token", {});
    expect(await read(String(own))).toEqual([[200, 200, 200, 400], true, true]);
  });

  it("query their branch with their context, attributes and roles until they are revoked", async () => {
    const userAttributes = [{ name: "status", value: "open" }];
    const [opened, viewer] = await open({ userAttributes, securityContext: { tenant: 1 } });
    const paid = { measures: ["orders.count"] };
    expect((await get(paid, "", viewer))[1]["data"]).toEqual([{ "orders.count": "1" }]);
    expect((await get({ measures: ["tenants.count"] }, "", viewer))[1]["data"]).toEqual([
      { "tenants.count": "1" },
    ]);
    expect((await get({ measures: ["orders.total"] }, "", viewer))[0]).toBe(400);
    const [, other] = await open({ securityContext: { tenant: 2 } });
    expect((await get({ measures: ["tenants.count"] }, "", other))[1]["data"]).toEqual([
      { "tenants.count": "0" },
    ]);
    expect(await get({ measures: ["broken.count"] }, "", viewer)).toEqual([
      400,
      { error: expect.stringContaining("the logs of the deployment") },
    ]);
    const logs = () => service().done("GET", "/api/v1/deployments/1/logs?source=dev");
    await expect
      .poll(async () => JSON.stringify(await logs()), { timeout: 60_000 })
      .toContain("missing_table");
    const [, ofProduction] = await open({ branchName: null });
    expect((await get(paid, "", ofProduction))[0]).toBe(403);
    const elsewhere = { name: "elsewhere", region: "aws-us-east-1" };
    const { id } = await service().done("POST", "/build/api/v1/deployments", elsewhere);
    const revoked = async (deploymentId: unknown) => {
      const permissions = ["EmbedSessionsManage"];
      const limited = {
        name: `of ${String(deploymentId)}`,
        deploymentIds: [deploymentId],
        permissions,
      };
      const { token } = await service().done("POST", "/api/v1/api-keys", limited);
      const as = service().as(String(token));
      const { status } = await as.send("POST", "/api/v1/embed/session/revoke", opened);
      return [status, (await get(paid, "", viewer))[0]];
    };
    expect(await revoked(id)).toEqual([403, 200]);
    expect(await revoked(1)).toEqual([204, 401]);
  });
});

describe("views", () => {
  const deployment = "/api/v1/deployments/1";
  const list = async (path: string): Promise<readonly Json[]> => {
    const { items } = await service().done("GET", `${deployment}/${path}`);
    return items as readonly Json[];
  };

  it("are counted by day and user, and order reports and the workspace", async () => {
    const workbook = await service().done("POST", `${deployment}/workbooks`, { name: "Seen" });
    const { id: workbookId } = workbook;
    const { id: unseen } = await service().done("POST", `${deployment}/workbooks`, {
      name: "Unseen",
    });
    const content = { workbookId, title: "Sales", allowEmbed: true };
    const publish = `${deployment}/workbooks/${String(workbookId)}/publish`;
    const closed = await service().done(
      "POST",
      `${deployment}/workbooks/${String(unseen)}/publish`,
      {
        ...content,
        workbookId: unseen,
      },
    );
    const { publicId } = await service().done("POST", publish, content);
    const report = (name: string) => service().done("POST", `${deployment}/reports`, { name });
    const [seen, other] = [await report("Seen"), await report("Other")];
    const access = { embedTenantName: "viewers", action: "read" };
    const query = { measures: ["tenants.count"] };
    const session = { deploymentId: 1, branchName: branchName(), securityContext: { tenant: 1 } };
    const tokenFor = async (more: object) => {
      const created = await service().done("POST", "/api/v1/embed/generate-session", {
        ...session,
        ...more,
      });
      return String(
        (await service().done("POST", "/api/v1/embed/session/token", created))["token"],
      );
    };
    const viewer = { externalId: "counted", embedTenantName: "viewers" };
    const free = await tokenFor(viewer);
    // Without access, no view is counted when an external user names a dashboard.
    await get(query, `&dashboardPublicId=${String(closed["publicId"])}`, free);
    await service().done(
      "PUT",
      `${deployment}/workbooks/${String(workbookId)}/embed-access`,
      access,
    );
    const fixed = await tokenFor({ ...viewer, publicDashboardId: publicId });
    expect(
      await service()
        .as(fixed)
        .send("GET", `/api/v1/embed/dashboard/${String(publicId)}`),
    ).toMatchObject({ status: 200 });
    await get(query, "", fixed);
    await get(query, `&reportPublicId=${String(other["publicId"])}`, fixed);
    const post = (publicIdOfReport: unknown) =>
      ask("/load", { query: { measures: ["orders.count"] }, reportPublicId: publicIdOfReport });
    expect((await post("none"))[0]).toBe(400);
    expect((await post(seen["publicId"]))[0]).toBe(200);
    await expect
      .poll(() => list("usage-analytics?first=10"), { timeout: 60_000 })
      .toMatchObject([
        { type: "REPORT", name: "Seen", username: "admin", views: 0, queries: 1 },
        { type: "DASHBOARD", publicId, name: "Seen", username: "counted", views: 1, queries: 2 },
      ]);
    const days = await list("usage-analytics?type=REPORT&end=2000-01-01");
    expect(days).toEqual([]);
    const reports = await list("reports?sortBy=lastViewedAt&sortDirection=DESC&limit=10");
    expect(reports.map(({ name }) => name)).toEqual(["Seen", "Other"]);
    expect(reports[0]).toHaveProperty("lastViewedAt");
    const cursor = `${deployment}/reports?sortBy=lastViewedAt&after=x`;
    expect(await service().send("GET", cursor)).toMatchObject({ status: 400 });
    const order = "orderByField=viewer_last_viewed_at&orderByDirection=desc";
    const items = await list(`workspace?types=REPORT&types=WORKBOOK&first=2&${order}`);
    expect(items[0]).toMatchObject({ name: "Seen", type: "REPORT" });
    expect(items[0]).toHaveProperty("viewerLastViewedAt");
    // The administrator has no views of content that only the viewer viewed.
    expect(items[1]).not.toHaveProperty("viewerLastViewedAt");
    expect(await service().done("GET", publish.replace("/publish", ""))).toMatchObject({
      lastViewedAt: expect.any(String),
      publishedDashboard: { lastViewedAt: expect.any(String) },
    });
    await service().send("DELETE", `${deployment}/reports/${String(seen["id"])}`);
    expect(await list("usage-analytics")).toHaveLength(1);
  });
});
