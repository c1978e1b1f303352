// Tests literal requests of the API's description, the list of deployments, and the path prefixes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

interface Described {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
}

let fixture: WireFixture;
let spec: Described;
beforeAll(async () => {
  fixture = await startWireFixture();
  spec = (await fixture.call("GET", "/api/v1/spec")).json as Described;
});
afterAll(() => fixture.stop());

describe("the description", () => {
  it("service item 6: the API publishes its own OpenAPI 3.1 description", () => {
    expect(spec.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(spec.paths).length).toBeGreaterThan(5);
  });

  it("endpoint row GET spec: for any user, as JSON", async () => {
    const answer = await fixture.call("GET", "/api/v1/spec");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/json/);
  });

  it("versioning 1: prefixes carry the version, and the description is 1.0.0", () => {
    expect(spec.info.version).toBe("1.0.0");
    // Discovery has its path from another standard.
    const paths = Object.keys(spec.paths).filter((path) => !path.startsWith("/.well-known/"));
    for (const path of paths) {
      expect(path).toMatch(/^\/(?:api\/v1|build\/api\/v1|api\/scim\/v2)\//);
    }
  });

  it.each([
    ["post", "/api/v1/embed/generate-session"],
    ["get", "/api/v1/embed-tenants/{embedTenantName}/groups"],
    ["delete", "/api/v1/embed-tenants/{embedTenantName}/groups/{id}"],
    ["get", "/api/v1/embed-tenants/{embedTenantName}/user-attributes"],
    ["delete", "/api/v1/embed-tenants/{embedTenantName}/user-attributes/{id}"],
    ["get", "/api/v1/spec"],
    ["get", "/api/v1/deployments"],
  ])("versioning 2: the build that serves it describes %s %s", (method, path) => {
    expect(spec.paths[path]?.[method]).toBeDefined();
  });

  it("versioning 2: what it describes is served", async () => {
    // SCIM is off until an administrator enables it.
    const settings = { body: { scimEnabled: true } };
    const enabled = await fixture.call("PUT", "/api/v1/tenant/settings", settings);
    expect(enabled.status).toBe(200);
    // The required query parameters of a path.
    const queries: Readonly<Record<string, string>> = {
      "/api/v1/resource-policies": `?resourceType=Deployment&resourceId=${fixture.deploymentId}`,
    };
    for (const [path, methods] of Object.entries(spec.paths)) {
      if (!("get" in methods) || path.includes("{")) continue;
      const { status } = await fixture.call("GET", `${path}${queries[path] ?? ""}`);
      // Installations belong to the GitHub App that an operator configures; here there is none.
      const isConfigured = path !== "/api/v1/github/installations";
      expect([path, status]).toEqual([path, isConfigured ? 200 : 409]);
    }
    expect((await fixture.call("GET", "/api/v1/no-such-thing")).status).toBe(404);
  });
});

describe("deployments", () => {
  it("endpoint row GET deployments: lists them, summary 'Get deployments'", async () => {
    const listed = await fixture.items("/api/v1/deployments");
    const deployment = listed.find(({ id }) => id === fixture.deploymentId);
    expect(deployment).toMatchObject({ name: "analytics", deploymentUrl: expect.any(String) });
    expect(spec.paths["/api/v1/deployments"]?.["get"]).toMatchObject({
      summary: "Get deployments",
      operationId: "getDeployments",
    });
  });
});
