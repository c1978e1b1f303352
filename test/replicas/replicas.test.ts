// Tests that two processes on one database behave as one: no duplicate, no lost write, and no internal error.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uploadModelFile } from "../contract/data-model-service.ts";
import { runSql } from "../support/postgres-server.ts";
import { type ReplicaResponse, type Cluster, startCluster, countByStatus } from "./cluster.ts";

const times = 12;
const deployment = "/api/v1/deployments/1";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster(2);
});
afterAll(async () => cluster.stop());

const getOne = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await cluster.sendMany(1, { method: "GET", path });
  return answer[0]?.body ?? {};
};
const items = async (path: string) =>
  (await getOne(path))["items"] as readonly Readonly<Record<string, unknown>>[];
const ids = (answers: readonly ReplicaResponse[]) => new Set(answers.map(({ body }) => body["id"]));

describe("two replicas that start concurrently", () => {
  it("know one operator's key, which there is once", async () => {
    const [first, second] = cluster.replicas;
    expect(first?.apiKey).toBe(second?.apiKey);
    expect((await items("/api/v1/api-keys")).map(({ name }) => name)).toEqual(["operator"]);
  });

  it("print nothing of the database's address or the key", async () => {
    for (const replica of cluster.replicas) {
      expect(replica.output()).not.toMatch(/postgres:\/\/|svc:/);
      expect(replica.output()).not.toContain(replica.apiKey);
    }
  });
});

describe("an API key", () => {
  it("ends at every replica with the answer of the one that revokes it", async () => {
    const [first, second] = cluster.replicas;
    const key = await first?.send("POST", "/api/v1/api-keys", { name: "revoked" });
    const statusAt = async (replica: typeof first) => {
      const headers = { authorization: `Bearer ${String(key?.body["token"])}` };
      return (await fetch(`${replica?.url}/api/v1/regions`, { headers })).status;
    };
    expect([await statusAt(first), await statusAt(second)]).toEqual([200, 200]);
    const deleted = await first?.send("DELETE", `/api/v1/api-keys/${String(key?.body["id"])}`);
    expect(deleted?.status).toBe(204);
    expect([await statusAt(second), await statusAt(first)]).toEqual([401, 401]);
  });
});

describe("identical writes at the same time", () => {
  it("create a group once and refuse the others", async () => {
    const body = { name: "twins", description: "d" };
    const answers = await cluster.sendMany(times, {
      method: "POST",
      path: "/api/v1/user-groups",
      body,
    });
    expect(countByStatus(answers)).toEqual({ 200: 1, 409: times - 1 });
    expect((await items("/api/v1/user-groups?search=twins")).length).toBe(1);
  });

  it("create a user and a deployment once", async () => {
    const user = { username: "twin", email: "twin@example.com" };
    const users = await cluster.sendMany(times, {
      method: "POST",
      path: "/api/v1/users",
      body: user,
    });
    expect(countByStatus(users)).toEqual({ 200: 1, 409: times - 1 });
    const body = { name: "twin", region: "aws-us-east-1" };
    const path = "/build/api/v1/deployments";
    const created = await cluster.sendMany(times, { method: "POST", path, body });
    expect(countByStatus(created)).toEqual({ 200: 1, 409: times - 1 });
  });

  it("define groups, attributes, a tenant and its user once for many sessions", async () => {
    const body = {
      deploymentId: 1,
      externalId: "v",
      creatorMode: true,
      embedTenantName: "tenant",
      userProfile: { displayName: "V" },
      groupDefinitions: [{ name: "readers", description: "d" }],
      groups: ["readers"],
      userAttributeDefinitions: [{ name: "city", type: "string" }],
      userAttributes: [{ name: "city", value: "Oslo" }],
    };
    const path = "/api/v1/embed/generate-session";
    const answers = await cluster.sendMany(times, { method: "POST", path, body });
    expect(countByStatus(answers)).toEqual({ 200: times });
    expect(new Set(answers.map(({ body: { sessionId } }) => sessionId)).size).toBe(times);
    const tenant = "/api/v1/embed-tenants/tenant";
    expect((await items(`${tenant}/groups`)).map(({ userCount }) => userCount)).toEqual([1]);
    expect((await items(`${tenant}/user-attributes`)).length).toBe(1);
    expect((await items(`${tenant}/users`)).length).toBe(1);
  });

  it("count a file of an upload once that both replicas get in different versions", async () => {
    const build = "/build/api/v1/deployments/1/data-model/upload";
    const started = await cluster.sendMany(1, { method: "POST", path: `${build}/start` });
    const { transaction } = started[0]?.body ?? {};
    const { id } = transaction as { readonly id: string };
    const path = "model/shared.yml";
    const contents = Array.from({ length: 16 }, (_, at) => `# ${"x".repeat(at)}\n`);
    const sent = contents.map((content, at) => {
      const { url = "", apiKey = "" } = cluster.replicas[at % 2] ?? {};
      return uploadModelFile({ url, key: apiKey }, { id, path, content });
    });
    expect(await Promise.all(sent)).toEqual(contents.map(() => 204));
    const kept = await runSql(
      cluster.database,
      `select uploads.file_count, uploads.file_bytes::int, model_contents.bytes::int, model_contents.sha1
       from svc.uploads
       join svc.upload_files on upload_files.upload_id = uploads.id
       join svc.model_contents on model_contents.id = upload_files.content_id
       where uploads.id = '${id}'`,
    );
    const [{ bytes, sha1 }] = kept as readonly [{ readonly bytes: number; readonly sha1: string }];
    expect(kept).toEqual([{ file_count: 1, file_bytes: bytes, bytes, sha1 }]);
    // The stored version is one of the sent versions, and the upload ends with it.
    const finished = await cluster.sendMany(1, {
      method: "POST",
      path: `${build}/finish`,
      body: { transaction: { id }, files: { [path]: { hash: sha1 } } },
    });
    expect(finished[0]?.status).toBe(200);
  });

  it("exchange a session once", async () => {
    const session = { deploymentId: 1, externalId: "once" };
    const created = await cluster.sendMany(1, {
      method: "POST",
      path: "/api/v1/embed/generate-session",
      body: session,
    });
    const sessionId = created[0]?.body["sessionId"];
    const path = "/api/v1/embed/session/token";
    const answers = await cluster.sendMany(times, { method: "POST", path, body: { sessionId } });
    expect(countByStatus(answers)).toEqual({ 200: 1, 401: times - 1 });
  });

  it("upsert one workbook and count every published version", async () => {
    const path = `${deployment}/workbooks/by-slug/report`;
    const puts = await cluster.sendMany(times, { method: "PUT", path, body: { name: "Report" } });
    expect(countByStatus(puts)).toEqual({ 200: times });
    expect(ids(puts).size).toBe(1);
    const [id] = ids(puts);
    const publish = `${deployment}/workbooks/${Number(id)}/publish`;
    const body = { workbookId: id, config: { widgets: [] } };
    const published = await cluster.sendMany(times, { method: "POST", path: publish, body });
    expect(countByStatus(published)).toEqual({ 200: times });
    const versions = published.map(({ body: { versionNumber } }) => Number(versionNumber));
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, at) => at + 1));
  });

  it("subscribe recipients once", async () => {
    const [workbook] = await items(`${deployment}/workbooks`);
    const published = workbook?.["publishedDashboard"] as { id: number } | undefined;
    const dashboardId = published?.id ?? 0;
    const notifications = `${deployment}/notifications`;
    const notification = await cluster.sendMany(1, {
      method: "POST",
      path: notifications,
      body: { dashboardId, scheduleType: "DAILY" },
    });
    const path = `${notifications}/${Number(notification[0]?.body["id"])}/recipients`;
    const embed = {
      type: "EMBED_USER",
      embedTenantName: "mailed",
      externalId: "r",
      email: "r@example.com",
    };
    const body = { recipients: [{ type: "USER", userId: 1 }, embed] };
    const answers = await cluster.sendMany(times, { method: "POST", path, body });
    expect(countByStatus(answers)).toEqual({ 200: times });
    const created = answers.flatMap(
      ({ body: reported }) => reported["createdRecipients"] as unknown[],
    );
    expect(created.length).toBe(2);
    expect((await items(path)).length).toBe(2);
    expect((await items("/api/v1/embed-tenants/mailed/users")).length).toBe(1);
  });
});

describe("different writes to one object at the same time", () => {
  it("lose no update of a deployment's template variables", async () => {
    const names = Array.from({ length: times }, (_, at) => `v${at}`);
    const sent = names.map((name) => {
      const body = { templateVariables: { [name]: name } };
      const replica = cluster.replicas[Number(name.slice(1)) % 2];
      if (replica === undefined) throw new Error("there are two replicas");
      return replica.send("PUT", deployment, body);
    });
    const answers = await Promise.all(sent);
    expect(countByStatus(answers)).toEqual({ 200: times });
    const settings = await getOne(`${deployment}/settings`);
    expect(Object.keys(settings["templateVariables"] as object).toSorted()).toEqual(
      names.toSorted(),
    );
  });

  it("keep a limit that counts rows", async () => {
    const capped = await cluster.start({ options: ["--external-users", "15"] });
    const tenants = Array.from({ length: 30 }, (_, at) => at);
    const answers = await Promise.all(
      tenants.map((at) => {
        const replica = cluster.replicas[at % cluster.replicas.length] ?? capped;
        const body = { deploymentId: 1, externalId: `many-${at}` };
        return replica.send("POST", "/api/v1/embed/generate-session", body);
      }),
    );
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
    const all = await items("/api/v1/embed-tenants");
    const count = all.reduce((sum, { userCount }) => sum + Number(userCount), 0);
    expect(count).toBe(15);
  });
});
