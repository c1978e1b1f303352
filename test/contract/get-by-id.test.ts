// Tests reads by ID: they return the created or changed object, and not found for other callers and after a delete.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ account: { personalKeys: true } });
});
afterAll(() => service.close());

type Stored = { readonly id: number };

/** Creates an object. Returns the answer. */
async function create(path: string, body: object): Promise<Stored> {
  const created = await service.send("POST", path, { body });
  expect([created.status, created.text]).toEqual([200, created.text]);
  return created.body as Stored;
}

/**
 * Expects `read` to return an object and to refuse other users. Expects `not_found` for another ID and, after `remove`,
 * for its own.
 */
async function expectReads(of: {
  readonly stored: Stored;
  readonly change: () => Promise<unknown>;
  readonly changed: object;
  readonly remove: () => Promise<{ status: number }>;
  readonly read: (id: number, key?: string) => Promise<{ status: number; body: unknown }>;
}): Promise<void> {
  const { id } = of.stored;
  expect(await of.read(id)).toMatchObject({ status: 200, body: of.stored });
  await of.change();
  expect(await of.read(id)).toMatchObject({ status: 200, body: { id, ...of.changed } });
  expect((await of.read(id, await service.key({ admin: false }))).status).toBe(403);
  expect((await of.read(id + 1000)).status).toBe(404);
  expect([200, 204]).toContain((await of.remove()).status);
  expect((await of.read(id)).status).toBe(404);
}

it("OAuth integrations: without the secret of the client", async () => {
  const body = {
    name: "crm",
    type: "custom",
    authUrl: "https://crm.example.com/authorize",
    tokenUrl: "https://crm.example.com/token",
    clientId: "svc",
    clientSecret: "a secret of the client",
    redirectUri: "https://acme.example.com/callback",
    scopes: ["read"],
  };
  const stored = await create("/api/v1/oauth-integrations", body);
  const path = `/api/v1/oauth-integrations/${stored.id}`;
  const { clientSecret, ...shown } = body;
  expect(stored).toMatchObject(shown);
  expect((await service.send("GET", path)).text).not.toContain(clientSecret);
  await expectReads({
    stored,
    change: () => service.send("PUT", path, { body: { ...shown, scopes: ["read", "write"] } }),
    changed: { name: "crm", scopes: ["read", "write"] },
    remove: () => service.send("DELETE", path),
    read: (id, key) =>
      service.send("GET", `/api/v1/oauth-integrations/${id}`, key === undefined ? {} : { key }),
  });
});

it("OIDC token configurations: with their audience, until they are deleted", async () => {
  const stored = await create("/api/v1/oidc-token-configs", {
    audienceType: "Custom",
    customAudience: "https://vault.example.com",
    name: "vault",
    targetEnvVar: "VAULT_TOKEN_FILE",
    customClaims: { team: "data" },
  });
  expect(stored).toMatchObject({ audience: "https://vault.example.com", isEnabled: true });
  await expectReads({
    stored,
    change: () =>
      service.send("PUT", `/api/v1/oidc-token-configs/${stored.id}`, {
        body: { isEnabled: false },
      }),
    changed: { name: "vault", targetEnvVar: "VAULT_TOKEN_FILE", isEnabled: false },
    remove: async () => {
      const removed = await service.send("DELETE", `/api/v1/oidc-token-configs/${stored.id}`);
      const again = await service.send("DELETE", `/api/v1/oidc-token-configs/${stored.id}`);
      expect(again.status).toBe(404);
      return removed;
    },
    read: (id, key) =>
      service.send("GET", `/api/v1/oidc-token-configs/${id}`, key === undefined ? {} : { key }),
  });
});

it("workload trusts: with their claims", async () => {
  const stored = await create("/api/v1/workload-trusts", {
    name: "pipeline",
    issuer: "https://ci.example.com",
    audience: "https://acme.example.com",
    claims: [{ name: "repository_id", value: "42" }],
  });
  await expectReads({
    stored,
    change: () =>
      service.send("PATCH", `/api/v1/workload-trusts/${stored.id}`, {
        body: { tokenSeconds: 300 },
      }),
    changed: { claims: [{ name: "repository_id", value: "42" }], tokenSeconds: 300 },
    remove: () => service.send("DELETE", `/api/v1/workload-trusts/${stored.id}`),
    read: (id, key) =>
      service.send("GET", `/api/v1/workload-trusts/${id}`, key === undefined ? {} : { key }),
  });
});

it("OAuth clients: without their secret", async () => {
  const clientSecret = "4f1c2a7e-4f1c2a7e-4f1c2a7e-4f1c2a7e";
  const stored = await create("/api/v1/oauth-clients", {
    name: "Portal",
    clientId: "portal",
    clientSecret,
    redirectUris: ["https://portal.example.com/callback"],
  });
  const { text } = await service.send("GET", `/api/v1/oauth-clients/${stored.id}`);
  expect(text).not.toContain(clientSecret);
  await expectReads({
    stored,
    change: () =>
      service.send("PATCH", `/api/v1/oauth-clients/${stored.id}`, {
        body: { name: "Customer portal" },
      }),
    changed: { clientId: "portal", name: "Customer portal" },
    remove: () => service.send("DELETE", `/api/v1/oauth-clients/${stored.id}`),
    read: (id, key) =>
      service.send("GET", `/api/v1/oauth-clients/${id}`, key === undefined ? {} : { key }),
  });
});

it("types of SCIM resources: by the name that the list has, and no others", async () => {
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  const listed = await service.send("GET", "/api/scim/v2/ResourceTypes");
  const { Resources } = listed.body as { Resources: readonly { readonly id: string }[] };
  expect(Resources.map(({ id }) => id)).toEqual(["User", "Group"]);
  for (const resource of Resources) {
    const found = await service.send("GET", `/api/scim/v2/ResourceTypes/${resource.id}`);
    expect(found).toMatchObject({ status: 200, body: resource });
  }
  const unknown = await service.send("GET", "/api/scim/v2/ResourceTypes/Device");
  expect(unknown).toMatchObject({ status: 404, body: { status: "404" } });
});
