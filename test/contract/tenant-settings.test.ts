// Tenant settings: read and changed by administrators, effective immediately, and kept over a restart.
import { expect, it } from "vitest";
import { createLastingDatabase } from "../support/test-database.ts";
import { startService } from "../support/test-service.ts";

const path = "/api/v1/tenant/settings";
const session = { body: { deploymentId: 1, externalId: "visitor" } };

it("are changed by an administrator, take effect immediately, and outlive the start options", async () => {
  const { drop, ...place } = await createLastingDatabase();
  const account = { embeddingEnabled: true, useCreatorMode: false };
  try {
    const first = await startService({ ...place, account });
    expect((await first.send("GET", path)).body).toMatchObject({
      useCreatorMode: false,
      embeddingEnabled: true,
      personalKeysEnabled: true,
    });
    const changed = await first.send("PUT", path, { body: { embeddingEnabled: false } });
    expect(changed.body).toMatchObject({ useCreatorMode: false, embeddingEnabled: false });
    const refused = await first.send("POST", "/api/v1/embed/generate-session", session);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("disabled")]);
    const key = await first.key({ admin: false });
    expect((await first.send("GET", path, { key })).status).toBe(403);
    const me = async () => (await first.send("GET", "/api/v1/users/me", { key })).status;
    await first.send("PUT", path, { body: { personalKeysEnabled: false } });
    expect(await me()).toBe(403);
    await first.send("PUT", path, { body: { personalKeysEnabled: true } });
    expect(await me()).toBe(200);
    await first.close();
    const second = await startService({ ...place, account });
    expect((await second.send("GET", path)).body).toMatchObject({
      useCreatorMode: false,
      embeddingEnabled: false,
      personalKeysEnabled: true,
    });
    await second.send("PUT", path, { body: { embeddingEnabled: true, useCreatorMode: null } });
    const created = await second.send("POST", "/api/v1/embed/generate-session", session);
    expect(created.status).toBe(200);
    await second.close();
  } finally {
    await drop();
  }
});

it("refuse the tokens of sessions while embedding is disabled, and accept them again afterwards", async () => {
  const service = await startService();
  try {
    const created = await service.send("POST", "/api/v1/embed/generate-session", session);
    const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
      body: created.body,
    });
    const { token: key } = exchanged.body as { token: string };
    const { body } = await service.send("GET", "/api/v1/deployments/1");
    const meta = `${(body as { deploymentUrl: string }).deploymentUrl}/svcjs-api/v1/meta`;
    const statuses = async () => [
      (await service.send("GET", "/api/v1/users/me", { key })).status,
      (await fetch(meta, { headers: { authorization: key } })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await service.send("PUT", path, { body: { embeddingEnabled: false } });
    expect(await statuses()).toEqual([403, 403]);
    await service.send("PUT", path, { body: { embeddingEnabled: true } });
    expect(await statuses()).toEqual([200, 200]);
  } finally {
    await service.close();
  }
});

it("switch the audit log off and on, and the switch itself is recorded", async () => {
  const service = await startService();
  try {
    const events = async () => {
      const { body } = await service.send("GET", "/api/v1/audit-logs");
      return (body as { items: { eventName: string }[] }).items.map(({ eventName }) => eventName);
    };
    const off = await service.send("PUT", path, { body: { auditLogEnabled: false } });
    expect(off.body).toMatchObject({
      auditLogEnabled: false,
      auditLogEnabledCurrent: false,
      auditLogEnabledTimestamp: expect.any(Number),
    });
    await service.send("POST", "/api/v1/user-groups", { body: { name: "unseen" } });
    await service.send("PUT", path, { body: { auditLogEnabled: true } });
    await service.send("POST", "/api/v1/user-groups", { body: { name: "seen" } });
    expect(await events()).toEqual([
      "createUserGroup",
      "updateTenantSettings",
      "updateTenantSettings",
    ]);
  } finally {
    await service.close();
  }
});
