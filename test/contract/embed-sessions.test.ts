// Tests that an operator can list and end the sessions of signed embedding.
import { afterAll, beforeAll, expect, it } from "vitest";
import { embedSessions } from "../support/embed-sessions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => service.close());

const { createSession, publishDashboard, setAccess, tokenOf } = embedSessions(() => service);
const path = "/api/v1/embed/sessions";

interface Session {
  readonly id: number;
  readonly exchangedAt?: string;
}

async function sessions(query = "", key = service.adminKey): Promise<readonly Session[]> {
  const { body } = await service.send("GET", `${path}${query}`, { key });
  return (body as { items: readonly Session[] }).items;
}

it("are listed without secrets, and end with their tokens", async () => {
  const token = await tokenOf({ embedTenantName: "acme-stores", externalId: "jane" });
  const waiting = await createSession({ embedTenantName: "acme-stores", externalId: "jim" });
  await tokenOf({ embedTenantName: "other-stores", externalId: "jane" });
  const text = JSON.stringify(await sessions());
  expect(text).not.toContain((waiting.body as { sessionId: string }).sessionId);
  expect(await sessions("?embedTenantName=acme-stores")).toMatchObject([
    { externalId: "jim", embedTenantName: "acme-stores", deploymentId: 1 },
    { externalId: "jane", exchangedAt: expect.any(String), expiresAt: expect.any(String) },
  ]);
  expect(await sessions("?embedTenantName=acme-stores&externalId=jim")).toHaveLength(1);
  expect(await sessions("?deploymentId=999")).toEqual([]);
  expect(await sessions("?embedTenantName=unknown")).toEqual([]);

  const [jane] = await sessions("?embedTenantName=acme-stores&externalId=jane");
  const statusOf = async () =>
    (await service.send("GET", "/api/v1/app-config", { key: token })).status;
  expect(await statusOf()).toBe(200);
  expect((await service.send("DELETE", `${path}/${jane?.id}`)).status).toBe(204);
  expect(await statusOf()).toBe(401);
  expect((await service.send("DELETE", `${path}/${jane?.id}`)).status).toBe(404);
  expect(await sessions("?embedTenantName=acme-stores")).toHaveLength(1);

  const [jim] = await sessions("?externalId=jim");
  expect((await service.send("DELETE", `${path}/${jim?.id}`)).status).toBe(204);
  const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
    key: null,
    body: waiting.body,
  });
  expect(exchanged.status).toBe(401);
});

it("of other deployments are neither listed nor ended with a key of one", async () => {
  await createSession({ externalId: "ann" });
  const { body } = await service.send("POST", "/build/api/v1/deployments", {
    body: { name: "second", region: "aws-us-east-1" },
  });
  const key = await service.key({ deploymentIds: [(body as { id: number }).id] });
  const [ann] = await sessions("?externalId=ann");
  expect(await sessions("", key)).toEqual([]);
  expect((await service.send("DELETE", `${path}/${ann?.id}`, { key })).status).toBe(403);
  expect(await sessions("?externalId=ann")).toHaveLength(1);
});

it("return a dashboard with their token if they may view it, and the token alone otherwise", async () => {
  const { publicId, workbook } = await publishDashboard(true);
  await setAccess(workbook, { embedTenantName: "acme-stores", action: "read" });
  const hidden = (await publishDashboard(false)).publicId;
  const exchange = async (options: object, dashboardPublicId: string) => {
    const { body } = await createSession(options);
    const sent = { ...(body as object), dashboardPublicId };
    const answer = await service.send("POST", "/api/v1/embed/session/token", {
      key: null,
      body: sent,
    });
    const { token, dashboard } = answer.body as { token: string; dashboard?: unknown };
    const url = `/api/v1/embed/dashboard/${dashboardPublicId}`;
    const read = await service.send("GET", url, { key: token });
    return [answer.status, dashboard, read.status, read.body];
  };
  const tenant = { embedTenantName: "acme-stores" };
  const [status, dashboard, ...read] = await exchange(tenant, publicId);
  expect([status, dashboard]).toEqual([200, read[1]]);
  expect(dashboard).toMatchObject({ publicId, config: { title: "Sales" } });
  const none = (code: number) => [200, undefined, code, expect.anything()];
  expect(await exchange({ embedTenantName: "other-stores" }, publicId)).toEqual(none(404));
  expect(await exchange({ ...tenant, publicDashboardId: publicId }, hidden)).toEqual(none(404));
  expect(await exchange(tenant, "missing")).toEqual(none(404));
});
