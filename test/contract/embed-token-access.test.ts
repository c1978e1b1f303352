// Tests what an embed token may read: for an external user the embedded dashboards and their folders, for a user of the
// account what the roles permit.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { operations } from "../../api/index.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { sampleOf } from "./sample-requests.ts";

/**
 * Operations that any credential may read, and the deployments. The theme is for all pages, including embedded ones.
 */
const open = [
  "getAppConfig",
  "getAppTheme",
  "getCurrentUser",
  "getDeployment",
  "getDeployments",
  "getEmbedTheme",
  "getSpec",
  "listRegions",
];

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => service.close());

async function embedToken(of: object): Promise<string> {
  const body = { deploymentId: 1, ...of };
  const session = await service.send("POST", "/api/v1/embed/generate-session", { body });
  const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
    key: null,
    body: session.body,
  });
  return (exchanged.body as { token: string }).token;
}

/** Returns the read operations that do not answer 403. */
async function readableOperations(key: string): Promise<string[]> {
  const ids: string[] = [];
  for (const { id, method, effect, permission } of operations) {
    if (effect !== "read" || permission === "public") continue;
    const {
      path,
      body,
      headers: { authorization: _, ...headers } = {},
    } = await sampleOf(id, service);
    const { status } = await service.send(method, path, { key, body, headers });
    if (status !== 403) ids.push(id);
  }
  return ids.toSorted();
}

describe("an embed token", () => {
  it("of a viewer reads nothing of what is behind dashboards", async () => {
    const key = await embedToken({ externalId: "viewer" });
    const embedded = [
      "getEmbeddedDashboard",
      "getLinkedDashboard",
      "listDashboardComments",
      "listMentionableUsers",
    ];
    expect(await readableOperations(key)).toEqual([...open, ...embedded].toSorted());
    const settings = await service.send("GET", "/api/v1/deployments/1/settings", { key });
    expect((settings.body as { message: string }).message).toContain("DeploymentRead");
  });

  it("of a viewer with every role reads no more, except exports", async () => {
    const roles = ["Developer", "AIBIDeveloper", "AIBIUser", "AIBIViewer", "EmbedUser"];
    const embedded = [
      "getEmbeddedDashboard",
      "getLinkedDashboard",
      "listDashboardComments",
      "listMentionableUsers",
    ];
    const exports = ["downloadDashboardExport", "getDashboardExport"];
    const readable = [...open, ...embedded, ...exports].toSorted();
    for (const options of [{}, { embedTenantName: "makers", creatorMode: true }]) {
      const key = await embedToken({ externalId: "viewer", roles, ...options });
      expect(await readableOperations(key)).toEqual(readable);
    }
  });

  it("of a user has the permissions of the user's roles in the deployment", async () => {
    const readable = await readableOperations(await embedToken({ internalId: await member() }));
    expect(readable).toEqual(
      [
        ...open,
        "buildStatus",
        "checkReportQuery",
        "getDeploymentSettings",
        "getFolder",
        "getReport",
        "getReportDefinition",
        "getWorkbook",
        "listDeploymentVersions",
        "listEnvironments",
        "listFolderAncestors",
        "listFolders",
        "listPods",
        "listReportFolders",
        "listReports",
        "listSharedWorkspace",
        "listWorkbooks",
        "listWorkspace",
      ].toSorted(),
    );
  });

  it("of an administrator carries administrator rights for an hour only", async () => {
    let clock = Date.now();
    const own = await startService({ now: () => clock });
    try {
      const session = await own.send("POST", "/api/v1/embed/generate-session", {
        body: { deploymentId: 1, internalId: "admin" },
      });
      const { body } = await own.send("POST", "/api/v1/embed/session/token", {
        key: null,
        body: session.body,
      });
      const { token: key } = body as { token: string };
      const isAdmin = async () =>
        ((await own.send("GET", "/api/v1/users/me", { key })).body as { isAdmin: boolean }).isAdmin;
      const settings = async () =>
        (await own.send("GET", "/api/v1/deployments/1/settings", { key })).status;
      expect([await isAdmin(), await settings()]).toEqual([true, 200]);
      clock += limits.embedAdministratorSeconds * 1000;
      expect(await settings()).toBe(403);
      expect((await own.send("GET", "/api/v1/users/me", { key })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it("of an administrator reads its deployment, and a key of another user still reads", async () => {
    const inside = [
      "getDeploymentSettings",
      "getWorkbook",
      "listDeploymentVersions",
      "listWorkbooks",
    ];
    const administrator = await embedToken({ internalId: "admin" });
    expect(await readableOperations(administrator)).toEqual(
      expect.arrayContaining([...open, ...inside]),
    );
    const key = await service.key({ admin: false, deploymentIds: [1] });
    expect(await readableOperations(key)).toEqual(expect.arrayContaining(inside));
  });
});

async function member(): Promise<string> {
  const body = { username: "member", email: "member@example.com" };
  await service.send("POST", "/api/v1/users", { body });
  return body.username;
}
