// Tests policies on single objects: who has them, how folders inherit them, and what lists show because of them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { build, files } from "./data-model-service.ts";

let service: TestService;
let region: number;
let country: number;
let workbook: number;

const send = (method: string, path: string, body?: object, key?: string) =>
  service.send(method, `/api/v1${path}`, {
    ...(body && { body }),
    ...(key !== undefined && { key }),
  });
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id;

beforeAll(async () => {
  service = await startService();
  region = idOf(await send("POST", "/deployments/1/folders", { name: "EMEA" }));
  const inside = { name: "Germany", parentId: region };
  country = idOf(await send("POST", "/deployments/1/folders", inside));
  const content = { name: "Sales", folderId: country };
  workbook = idOf(await send("POST", "/deployments/1/workbooks", content));
});
afterAll(() => service.close());

let users = 0;
async function createUser(): Promise<{ id: number; key: string }> {
  const username = `user-${++users}`;
  const email = `${username}@example.com`;
  const id = idOf(await send("POST", "/users", { username, email, defaultRoles: ["Guest"] }));
  const { body } = await send("POST", "/api-keys", { name: username, ownerUserId: id });
  return { id, key: (body as { token: string }).token };
}

const setUser = (resourceType: string, resourceId: number, rest: object, key?: string) =>
  send("PUT", "/resource-policies/user", { resourceType, resourceId, ...rest }, key);
const setGroup = (resourceType: string, resourceId: number, rest: object) =>
  send("PUT", "/resource-policies/group", { resourceType, resourceId, ...rest });
const policiesOf = async (resourceType: string, resourceId: number) =>
  (await send("GET", `/resource-policies?resourceType=${resourceType}&resourceId=${resourceId}`))
    .body;
const readWorkbook = async (key: string) =>
  (await send("GET", `/deployments/1/workbooks/${workbook}`, undefined, key)).status;

describe("a policy on a folder", () => {
  it("is the same on a ReportFolder, the older name of the type", async () => {
    const { id: userId, key } = await createUser();
    expect((await setUser("ReportFolder", region, { userId, action: "FolderRead" })).status).toBe(
      204,
    );
    expect(await readWorkbook(key)).toBe(200);
    expect((await setUser("ReportFolder", region, { userId, action: "ReportRead" })).status).toBe(
      400,
    );
    const older = await policiesOf("ReportFolder", region);
    expect(older).toMatchObject({ userPolicies: [{ userId, action: "FolderRead" }] });
    expect(older).toEqual(await policiesOf("Folder", region));
    expect((await setUser("ReportFolder", region, { userId })).status).toBe(204);
    expect(await readWorkbook(key)).toBe(403);
    const refused = await setUser("ReportFolder", region, { userId, action: "FolderRead" }, key);
    expect(refused.status).toBe(403);
  });

  it("is inherited by what is in it at any depth, and shown with its folder", async () => {
    const { id: userId, key } = await createUser();
    expect(await readWorkbook(key)).toBe(403);
    expect((await setUser("Folder", region, { userId, action: "FolderRead" })).status).toBe(204);
    expect(await readWorkbook(key)).toBe(200);
    const rename = send("PUT", `/deployments/1/workbooks/${workbook}`, { name: "S" }, key);
    expect((await rename).status).toBe(403);
    expect(await policiesOf("Workbook", workbook)).toMatchObject({
      userPolicies: [],
      inheritedUserPolicies: [
        {
          userId,
          action: "FolderRead",
          source: { resourceType: "Folder", resourceId: region },
          sourceFolder: { id: region, name: "EMEA" },
        },
      ],
    });
    await setUser("Folder", region, { userId, action: null });
    expect(await readWorkbook(key)).toBe(403);
  });

  it("no longer holds for a workbook that leaves the folder", async () => {
    const { id: userId, key } = await createUser();
    await setUser("Folder", country, { userId, action: "FolderEdit" });
    const move = (folderId: number | null) =>
      send("POST", "/deployments/1/workspace/move", { type: "WORKBOOK", id: workbook, folderId });
    await move(null);
    expect(await readWorkbook(key)).toBe(403);
    await move(country);
    expect(await readWorkbook(key)).toBe(200);
  });
});

describe("a policy on a dashboard", () => {
  async function publish(): Promise<{ workbookId: number; id: number; publicId: string }> {
    const workbookId = idOf(await send("POST", "/deployments/1/workbooks", { name: "Shown" }));
    const config = { title: "Shown", widgets: [] };
    const { body } = await send("POST", `/deployments/1/workbooks/${workbookId}/publish`, {
      workbookId,
      config,
    });
    const { id, publicId } = body as { id: number; publicId: string };
    return { workbookId, id, publicId };
  }
  const view = async ({ publicId }: { publicId: string }, key: string) =>
    (await send("GET", `/embed/dashboard/${publicId}`, undefined, key)).status;

  it("lets a user view it, and neither its workbook, another one nor its policies", async () => {
    const [shown, other] = [await publish(), await publish()];
    const { id: userId, key } = await createUser();
    expect(await view(shown, key)).toBe(403);
    const action = "EmbedDashboardRead";
    expect((await setUser("Dashboard", shown.id, { userId, action })).status).toBe(204);
    expect([await view(shown, key), await view(other, key)]).toEqual([200, 403]);
    const path = `/deployments/1/workbooks/${shown.workbookId}`;
    expect((await send("GET", path, undefined, key)).status).toBe(403);
    const read = `/resource-policies?resourceType=Dashboard&resourceId=${shown.id}`;
    expect((await send("GET", read, undefined, key)).status).toBe(403);
    expect((await setUser("Dashboard", shown.id, { userId }, key)).status).toBe(403);
    expect((await setUser("Dashboard", other.id, { userId, action }, key)).status).toBe(403);
    await setUser("Dashboard", shown.id, { userId });
    expect(await view(shown, key)).toBe(403);
  });

  it("is set and read by who manages its workbook, whose policies it inherits", async () => {
    const [own, other] = [await publish(), await publish()];
    const [{ id: manager, key }, { id: userId }] = [await createUser(), await createUser()];
    const policy = { userId, action: "EmbedDashboardRead" };
    const manage = { userId: manager, action: "WorkbookManage" };
    await setUser("Workbook", own.workbookId, { ...manage, action: "WorkbookEdit" });
    expect((await setUser("Dashboard", own.id, policy, key)).status).toBe(403);
    await setUser("Workbook", own.workbookId, manage);
    expect((await setUser("Dashboard", own.id, policy, key)).status).toBe(204);
    expect((await setUser("Dashboard", other.id, policy, key)).status).toBe(403);
    const read = `/resource-policies?resourceType=Dashboard&resourceId=${own.id}`;
    const source = { resourceType: "Workbook", resourceId: own.workbookId };
    expect((await send("GET", read, undefined, key)).body).toMatchObject({
      userPolicies: [policy],
      inheritedUserPolicies: [{ ...manage, source }],
    });
    const wrong = await setUser("Dashboard", own.id, { userId, action: "WorkbookRead" });
    expect(wrong.status).toBe(400);
  });
});

it("a role on all folders lists what is in them, and nothing else", async () => {
  const { id: userId, key } = await createUser();
  await send("POST", "/deployments/1/workbooks", { name: "At the root" });
  const policies = [{ resourceType: "Folder", actions: ["FolderRead"], resources: "All" }];
  const role = idOf(await send("POST", "/roles", { name: "Folder readers", policies }));
  await send("PUT", `/roles/${role}/users/${userId}`);
  const { body } = await send("GET", "/deployments/1/workbooks", undefined, key);
  expect((body as { items: { id: number }[] }).items.map(({ id }) => id)).toEqual([workbook]);
});

describe("a policy", () => {
  it("is one for each subject: a second replaces the first", async () => {
    const { id: userId } = await createUser();
    const groupId = idOf(await send("POST", "/user-groups", { name: "sellers" }));
    for (const action of ["WorkbookRead", "WorkbookEdit"]) {
      await setUser("Workbook", workbook, { userId, action });
      await setGroup("Workbook", workbook, { groupId, action });
    }
    expect(await policiesOf("Workbook", workbook)).toMatchObject({
      userPolicies: [{ userId, action: "WorkbookEdit" }],
      groupPolicies: [{ groupId, name: "sellers", action: "WorkbookEdit", userCount: 0 }],
    });
    await send("DELETE", `/users/${userId}`);
    await send("DELETE", `/groups/${groupId}`);
    const none = { userPolicies: [], groupPolicies: [] };
    expect(await policiesOf("Workbook", workbook)).toMatchObject(none);
  });

  it("of a group of an embed tenant is shown by the name of the group in policies", async () => {
    await send("POST", "/embed-tenants/acme-stores/user", { externalId: "jane" });
    const body = { name: "sellers" };
    const groupId = idOf(await send("POST", "/embed-tenants/acme-stores/groups", body));
    await setGroup("Workbook", workbook, { groupId, action: "WorkbookRead" });
    expect(await policiesOf("Workbook", workbook)).toMatchObject({
      groupPolicies: [{ groupId, name: "system:tenant:acme-stores:sellers" }],
    });
    await setGroup("Workbook", workbook, { groupId });
  });

  it("without a user is for all of the account's own users", async () => {
    const { key } = await createUser();
    await setUser("Workbook", workbook, { action: "WorkbookRead" });
    expect(await readWorkbook(key)).toBe(200);
    await setUser("Workbook", workbook, {});
    expect(await readWorkbook(key)).toBe(403);
  });

  it("of a group applies to its members while they belong to it", async () => {
    const { id: userId, key } = await createUser();
    const groupId = idOf(await send("POST", "/user-groups", { name: "buyers" }));
    await setGroup("Deployment", 1, { groupId, action: "WorkbookRead" });
    expect(await readWorkbook(key)).toBe(403);
    await send("POST", `/user-groups/${groupId}/users`, { members: [{ userId }] });
    expect(await readWorkbook(key)).toBe(200);
    await send("DELETE", `/user-groups/${groupId}/users`, { members: [{ userId }] });
    expect(await readWorkbook(key)).toBe(403);
  });

  it("of a group takes the permission that it gives, where a key with chosen permissions adds members", async () => {
    const { id: userId } = await createUser();
    const groupId = idOf(await send("POST", "/user-groups", { name: "editors" }));
    const limited = async (...permissions: readonly string[]) => {
      const body = { name: permissions.join("-"), permissions };
      return ((await send("POST", "/api-keys", body)).body as { token: string }).token;
    };
    const add = async (key: string) => {
      const body = { members: [{ userId }] };
      return (await send("POST", `/user-groups/${groupId}/users`, body, key)).status;
    };
    const open = async (key: string, externalId: string) => {
      const body = { deploymentId: 1, externalId, groups: ["editors"] };
      return (await send("POST", "/embed/generate-session", body, key)).status;
    };
    const manager = await limited("UsersManage");
    const embedder = await limited("EmbedSessionsManage");
    await setGroup("Workbook", workbook, { groupId, action: "WorkbookRead" });
    expect([await add(manager), await open(embedder, "reader")]).toEqual([403, 200]);
    await setGroup("Workbook", workbook, { groupId, action: "WorkbookEdit" });
    expect([await open(embedder, "reader"), await open(embedder, "editor")]).toEqual([200, 403]);
    expect(await add(await limited("UsersManage", "WorkbookManage"))).toBe(200);
    expect(await add(manager)).toBe(200);
  });

  it("has an action of its type, a subject and an object that exist", async () => {
    const refused = await setUser("Workbook", workbook, { action: "FolderRead" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("WorkbookEdit")]);
    expect((await setUser("Workbook", 999, { action: "WorkbookRead" })).status).toBe(404);
    const noUser = { userId: 999, action: "WorkbookRead" };
    expect((await setUser("Workbook", workbook, noUser)).status).toBe(404);
    const noGroup = { groupId: 999, action: "WorkbookRead" };
    expect((await setGroup("Workbook", workbook, noGroup)).status).toBe(404);
  });

  it("is set by who manages the object, and by no other user", async () => {
    const owner = await createUser();
    const reader = await createUser();
    const editor = { userId: reader.id, action: "WorkbookEdit" };
    await setUser("Workbook", workbook, { userId: owner.id, action: "WorkbookManage" });
    await setUser("Workbook", workbook, { userId: reader.id, action: "WorkbookRead" });
    expect((await setUser("Workbook", workbook, editor, reader.key)).status).toBe(403);
    expect((await setUser("Workbook", workbook, editor, owner.key)).status).toBe(204);
    const above = { userId: owner.id, action: "FolderManage" };
    expect((await setUser("Folder", country, above, owner.key)).status).toBe(403);
    const deployment = { userId: owner.id, action: "DeploymentUpdate" };
    expect((await setUser("Deployment", 1, deployment, owner.key)).status).toBe(403);
  });

  it("permits changes of the deploy branch, and the validation of files with those on it", async () => {
    const { id: userId, key } = await createUser();
    const call = async (method: string, path: string, body: object) =>
      (await service.send(method, path, { key, body })).status;
    const model = { deploymentId: 1, files: [] };
    const validate = () => call("POST", "/build/api/v1/data-model/validate", model);
    expect(await validate()).toBe(403);
    await setUser("Deployment", 1, { userId, action: "SchemaUpdateDevBranches" });
    expect(await validate()).toBe(200);
    expect(await call("POST", `${build}/dev-mode`, { branchName: "main" })).toBe(200);
    const changed = { files: [{ path: "model/README.md", content: "changed" }] };
    expect(await call("PUT", files, changed)).toBe(200);
    const commit = () => call("POST", `${build}/commit`, { message: "Change" });
    expect(await commit()).toBe(403);
    await setUser("Deployment", 1, { userId, action: "SchemaUpdate" });
    expect(await commit()).toBe(200);
  });

  it("on one workbook takes no slug of another", async () => {
    const { id: userId, key } = await createUser();
    const other = idOf(await send("POST", "/deployments/1/workbooks", { name: "Other" }));
    await send("PUT", `/deployments/1/workbooks/${other}`, { slug: "other" });
    await setUser("Workbook", workbook, { userId, action: "WorkbookEdit" });
    const moveSlug = async () => {
      const body = { slug: "Other", slugTakeover: true };
      return (await send("PUT", `/deployments/1/workbooks/${workbook}`, body, key)).status;
    };
    expect(await moveSlug()).toBe(403);
    await setUser("Workbook", other, { userId, action: "WorkbookEdit" });
    expect(await moveSlug()).toBe(200);
    await setUser("Workbook", workbook, { userId, action: null });
  });

  it("is among the rights of its user, of which the answer says how many it does not name", async () => {
    const { id: userId, key } = await createUser();
    const most = limits.shownGrantResources;
    const row = (resource_id: number) =>
      ({ resource_type: "report", resource_id, user_id: userId, group_id: null }) as const;
    const ids = Array.from({ length: most + 2 }, (_, at) => at + 1);
    const rows = ids.map((id) => ({ ...row(id), action: "ReportRead" }));
    for (let at = 0; at < rows.length; at += 100)
      await service.db
        .insertInto("resource_policies")
        .values(rows.slice(at, at + 100))
        .execute();
    await setUser("Workbook", workbook, { userId, action: "WorkbookEdit" });
    const { body } = await send("GET", "/users/me", undefined, key);
    const { grants } = (body as { permissions: { grants: object[] } }).permissions;
    const named = ids.slice(0, most).map(String);
    expect(grants).toContainEqual({
      resourceType: "Report",
      actions: ["ReportRead"],
      resources: named,
      omittedResources: 2,
    });
    expect(grants).toContainEqual({
      resourceType: "Workbook",
      actions: ["WorkbookEdit"],
      resources: [String(workbook)],
    });
  });

  it("is refused on IDs that no object can have", async () => {
    const { id: userId, key } = await createUser();
    for (const resourceId of [999_999_999_999, 1e300, 1.5, -1, 0]) {
      const wanted = { userId, action: "WorkbookRead" };
      expect((await setUser("Workbook", resourceId, wanted, key)).status).toBe(403);
    }
    const path = "/deployments/1/workbooks/999999999999";
    expect((await send("GET", path, undefined, key)).status).toBe(403);
  });

  it("makes its deployment visible in the list", async () => {
    const { id: userId, key } = await createUser();
    const body = { name: "second", region: "aws-us-east-1" };
    const second = idOf(await service.send("POST", "/build/api/v1/deployments", { body }));
    expect((await send("GET", "/deployments", undefined, key)).status).toBe(403);
    await setUser("Deployment", second, { userId, action: "DeploymentRead" });
    const { body: list } = await send("GET", "/deployments", undefined, key);
    expect((list as { items: { id: number }[] }).items.map(({ id }) => id)).toEqual([second]);
    await service.send("DELETE", `/api/v1/deployments/${second}`);
    const { body: rest } = await send("GET", "/deployments", undefined, key);
    expect((rest as { items: object[] }).items).toEqual([]);
  });
});
