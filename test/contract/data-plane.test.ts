// Tests the address of a deployment by host and by path: environments, health, tokens, and the description of its build.
import { request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import type { AccountsDeclaration } from "../../service/server/accounts.ts";
import { type RequestOptions, startService, type TestService } from "../support/test-service.ts";
import {
  build,
  files,
  type ModelService,
  orders,
  startModelService,
} from "./data-model-service.ts";

const deployments = "/api/v1/deployments";

describe("the environments of a deployment", () => {
  let service: ModelService;
  beforeEach(async () => {
    service = await startModelService();
  });
  afterEach(async () => service.close());

  /** Returns the answer of a health check, without a credential. */
  async function check(path: string): Promise<readonly unknown[]> {
    const response = await fetch(`${service.url}/deployments/${path}`);
    return [response.status, await response.json()];
  }
  const up = [200, { health: "HEALTH" }];
  const down = [500, { health: "DOWN" }];
  const missing = [404, expect.objectContaining({ code: "not_found" })];

  /** No request needs to be repeated until someone uploads a data model. */
  const noBuild = {
    status: 409,
    body: { code: "conflict", message: expect.stringContaining("serves no build yet; upload") },
  };

  it("are ready once a build is served: production", async () => {
    expect(await check("main/livez")).toEqual(up);
    expect(await check("main/readyz")).toEqual(up);
    const deployment = { name: "empty", region: "aws-us-east-1", creationMethod: "github" };
    const { id } = await service.done("POST", "/build/api/v1/deployments", deployment);
    expect(await check("empty/livez")).toEqual(up);
    expect(await check("empty/readyz")).toEqual(down);
    const skills = `/api/v1/deployments/${String(id)}/agent-skills`;
    expect(await service.send("GET", skills)).toMatchObject(noBuild);
  });

  it("are ready once a build is served: dev mode, and failed builds do not replace it", async () => {
    const broken = orders().replace("sql_table", "sql_tabel");
    const dev = await service.enter();
    const file = async (content: string) => {
      const path = "model/cubes/orders.yml";
      await service.done("PUT", files, { files: [{ path, content }], branchName: dev });
      return (await service.buildEnded(dev))["status"];
    };
    expect(await file(broken)).toBe("failed");
    // The fork was built before.
    expect(await check(`main/dev-mode/${dev}/readyz`)).toEqual(up);
    await service.db.deleteFrom("builds").where("status", "!=", "failed").execute();
    expect(await check(`main/dev-mode/${dev}/readyz`)).toEqual(down);
    expect(await check(`main/dev-mode/${dev}/livez`)).toEqual(up);
    const skills = () =>
      service.send("GET", `/api/v1/deployments/1/agent-skills?branchName=${dev}`);
    expect(await skills()).toMatchObject(noBuild);
    const leased_until = new Date(Date.now() + 30_000).toISOString();
    const set = (status: string) =>
      service.db.updateTable("builds").set({ status, leased_until }).execute();
    await set("building");
    expect(await skills()).toMatchObject({ status: 503, body: { code: "unavailable" } });
    await set("failed");
    expect(await file(orders())).toBe("built");
    expect(await check(`main/dev-mode/${dev}/readyz`)).toEqual(up);
  });

  it("keep the served build, however many builds fail after it", async () => {
    const { id, tree_id } = await service.db
      .selectFrom("branches")
      .select(["id", "tree_id"])
      .where("name", "=", "main")
      .executeTakeFirstOrThrow();
    const failed = { branch_id: id, tree_id, version: "1.0.0", attempts: 1, updated_at: "x" };
    const rows = Array.from({ length: limits.buildsKept }, () => ({ ...failed, status: "failed" }));
    await service.db.insertInto("builds").values(rows).execute();
    // The next build prunes the second oldest one, and fails too.
    await service.enter();
    await service.put(orders().replace("sql_table", "sql_tabel"));
    await service.commit();
    expect((await service.buildEnded("main"))["status"]).toBe("failed");
    const left = service.db.selectFrom("builds").select("id").where("branch_id", "=", id);
    expect(await left.execute()).toHaveLength(limits.buildsKept + 1);
    expect(await check("main/readyz")).toEqual(up);
  });

  it("exist for shared branches only while they are active", async () => {
    await service.done("POST", `${build}/branches`, { name: "shared/a" });
    const staging = (enabled: boolean) =>
      service.done("PUT", `${build}/branches/staging-environment`, {
        enabled,
        branchName: "shared/a",
      });
    const before = await check("main/dev-mode/shared%2Fa/readyz");
    expect(before).toEqual(missing);
    expect(await check("main/dev-mode/unknown/readyz")).toEqual(before);
    await staging(true);
    await service.buildEnded("shared/a");
    for (const name of ["shared%2Fa", "shared/a"]) {
      expect(await check(`main/dev-mode/${name}/livez`)).toEqual(up);
      expect(await check(`main/dev-mode/${name}/readyz?at=once`)).toEqual(up);
    }
    await staging(false);
    expect(await check("main/dev-mode/shared%2Fa/livez")).toEqual(missing);
    await service.enter("shared/a");
    expect(await check("main/dev-mode/shared%2Fa/livez")).toEqual(up);
  });

  it("answer the pages of other origins", async () => {
    const headers = { origin: "https://portal.example", "access-control-request-method": "POST" };
    const url = `${service.url}/deployments/main/svcjs-api/v1/load`;
    const preflight = await fetch(url, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, POST");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    const refused = await fetch(url, { method: "POST", headers });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    const plain = await fetch(url, { method: "OPTIONS" });
    expect(plain.status).toBe(405);
  });

  it.each([
    ["/svcjs-api/v1/load", "GET, HEAD, POST"],
    ["/svcjs-api/v1/meta", "GET, HEAD"],
    ["/readyz", "GET, HEAD"],
  ])("answer other methods on %s with 405 and those it has", async (path, allow) => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE"]) {
      const { statusCode, headers, body } = await request(
        `${service.url}/deployments/main${path}`,
        { method },
      );
      await body.dump();
      const allowed = String(headers["allow"]).split(", ").toSorted().join(", ");
      expect([method, statusCode, allowed]).toEqual([method, 405, allow]);
    }
  });

  it("are not found at other addresses", async () => {
    expect(await check("main/dev-mode/main/livez")).toEqual(missing);
    expect(await check("none/livez")).toEqual(missing);
    expect((await check("main/dev-mode/%ff/livez"))[0]).toBe(400);
    expect((await check("main/dev-mode/livez"))[0]).toBe(404);
  });
});

describe("a data API token", () => {
  let service: TestService;
  let time: number;
  beforeEach(async () => {
    // The two channels have different versions on that day.
    time = Date.parse("2025-11-20T00:00:00.000Z");
    service = await startService({ now: () => time });
  });
  afterEach(async () => service.close());

  const spec = "/deployments/main/api/v1/spec";
  const get = (headers: Readonly<Record<string, string>>, path = spec) =>
    service.send("GET", path, { key: null, headers });
  async function token(deployment = 1, body: object = {}): Promise<string> {
    const created = await service.send("POST", `${deployments}/${deployment}/token`, { body });
    return (created.body as { svcApiToken: string }).svcApiToken;
  }

  it("is accepted bare, after a scheme, and in its own header", async () => {
    const valid = await token();
    for (const headers of [
      { authorization: valid },
      { authorization: `Bearer ${valid}` },
      { authorization: "other", "x-svc-authorization": valid },
    ]) {
      expect((await get(headers)).status).toBe(200);
    }
    expect((await get({})).body).toMatchObject({
      statusCode: 401,
      error: "Authorization header isn't set",
    });
  });

  it("is needed: keys and malformed credentials are refused", async () => {
    for (const authorization of [service.adminKey, "nothing", "a b c", "Bearer "]) {
      for (const value of [authorization, `Bearer ${authorization}`]) {
        const { status, body } = await get({ authorization: value });
        expect([status, body]).toEqual([401, expect.objectContaining({ code: "unauthenticated" })]);
      }
    }
  });

  it("is a credential nowhere else", async () => {
    const key = await token();
    for (const path of ["/api/v1/users/me", "/api/v1/spec", `${deployments}/1`]) {
      expect((await service.send("GET", path, { key })).status).toBe(401);
    }
  });

  it("ends with its time, and is for one deployment and one account", async () => {
    const otherDeployment = { name: "other", region: "aws-us-east-1" };
    await service.send("POST", "/build/api/v1/deployments", { body: otherDeployment });
    const authorization = await token(1, { expiresIn: 60 });
    expect((await get({ authorization }, "/deployments/other/api/v1/spec")).status).toBe(403);
    const elsewhere = await startService({ now: () => time });
    try {
      const answer = await elsewhere.send("GET", spec, { key: null, headers: { authorization } });
      expect(answer.status).toBe(401);
    } finally {
      await elsewhere.close();
    }
    time += 59_000;
    expect((await get({ authorization })).status).toBe(200);
    time += 2_000;
    expect((await get({ authorization })).status).toBe(401);
  });

  it("of a deactivated user is refused", async () => {
    const user = { username: "ann", email: "ann@example.com", isAdmin: true };
    const { body } = await service.send("POST", "/api/v1/users", { body: user });
    const { id } = body as { id: number };
    const created = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "ann", ownerUserId: id },
    });
    const { token: key } = created.body as { token: string };
    const issued = await service.send("POST", `${deployments}/1/token`, { key, body: {} });
    const { svcApiToken: authorization } = issued.body as { svcApiToken: string };
    expect((await get({ authorization })).status).toBe(200);
    await service.db.updateTable("users").set({ is_deactivated: 1 }).where("id", "=", id).execute();
    expect((await get({ authorization })).status).toBe(403);
    await service.db.deleteFrom("users").where("id", "=", id).execute();
    expect((await get({ authorization })).status).toBe(401);
  });

  it("reads the description of the build that is served, in the version of the deployment", async () => {
    const authorization = await token();
    const newest = (await get({ authorization })).body as Spec;
    expect(newest).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0", "x-svc-build": { buildJobId: "1" } },
      servers: [{ url: `${service.url}/deployments/main` }],
    });
    expect(Object.keys(newest.paths)).toEqual([
      "/livez",
      "/readyz",
      "/api/v1/spec",
      ...["load", "cubesql", "sql", "dry-run", "meta"].map((name) => `/svcjs-api/v1/${name}`),
    ]);
    const { body } = await service.send("PUT", `${deployments}/1`, {
      body: { releaseChannel: "release" },
    });
    const { svcImageVersion } = body as { svcImageVersion: string };
    const pinned = (await get({ authorization })).body as Spec;
    expect(pinned.info["x-svc-build"].version).toBe(svcImageVersion);
    expect(newest.info["x-svc-build"].version).not.toBe(svcImageVersion);
    const status = await service.send("GET", `${deployments}/1/build-status`);
    expect(status.body).toMatchObject({
      buildJobId: pinned.info["x-svc-build"].buildJobId,
      version: svcImageVersion.slice(1),
    });
  });
});

interface Spec {
  readonly info: {
    readonly "x-svc-build": { readonly version: string; readonly buildJobId: string };
  };
  readonly paths: object;
}

describe("the host of a deployment", () => {
  const declared: AccountsDeclaration = {
    host: "svc.test",
    accounts: ["first", "second"].map((name) => ({ name, domains: [], settings: {} })),
  };
  let service: TestService;
  let time: number;
  beforeEach(async () => {
    time = 0;
    service = await startService({ accounts: declared, monotonicNow: () => time });
  });
  afterEach(async () => service.close());

  const at = (host: string, path: string, sending: RequestOptions = {}) =>
    service.send("GET", path, { key: null, headers: { host }, ...sending });
  const change = (name: string, body: object) =>
    service.send("PUT", `${deployments}/1`, {
      key: service.accounts.find((one) => one.name === name)?.adminKey.reveal() ?? "",
      headers: { host: `${name}.svc.test` },
      body,
    });
  const up = { status: 200, body: { health: "HEALTH" } };

  it("is below the host of its account, and has its environments but nothing of the API", async () => {
    expect(await at("main.first.svc.test", "/livez")).toMatchObject(up);
    expect(await at("MAIN.First.svc.test:8080", "/readyz")).toMatchObject(up);
    expect(await at("first.svc.test", "/deployments/main/readyz")).toMatchObject(up);
    expect((await at("main.first.svc.test", "/dev-mode/x/livez")).status).toBe(404);
    const key = service.accounts[0]?.adminKey.reveal() ?? "";
    const headers = { host: "main.first.svc.test" };
    for (const path of ["/api/v1/users/me", deployments, "/build/api/v1/deployments/1/branches"]) {
      const { body } = await service.send("GET", path, { key, headers });
      expect(body).toMatchObject({ code: "unknown_route" });
    }
    expect((await service.send("GET", "/api/v1/spec", { key, headers })).status).toBe(401);
    expect((await at("none.first.svc.test", "/livez")).body).toMatchObject({
      code: "unknown_host",
    });
  });

  it("is replaced by a custom domain, until that is cleared", async () => {
    expect((await at("bi.example.com", "/livez")).status).toBe(200);
    expect((await at("bi.example.com", "/api/v1/users/me")).body).toMatchObject({
      code: "unknown_host",
    });
    const changed = await change("second", { customDomain: "bi.example.com" });
    expect(changed.body).toMatchObject({ deploymentUrl: "https://bi.example.com" });
    time += 10_000;
    expect(await at("bi.example.com", "/readyz")).toMatchObject(up);
    expect((await at("bi.example.com", "/api/v1/users/me")).body).toMatchObject({
      code: "unknown_route",
    });
    await change("second", { customDomain: "" });
    expect((await at("bi.example.com", "/readyz")).body).toMatchObject({ code: "unknown_host" });
  });

  it("cannot be the host of an account, or of another deployment", async () => {
    for (const customDomain of ["first.svc.test", "x.second.svc.test"]) {
      expect((await change("second", { customDomain })).status).toBe(409);
    }
    const key = service.accounts[1]?.adminKey.reveal() ?? "";
    await service.send("POST", "/build/api/v1/deployments", {
      key,
      headers: { host: "second.svc.test" },
      body: { name: "other", region: "aws-us-east-1" },
    });
    expect((await change("second", { customDomain: "bi.example.com" })).status).toBe(200);
    expect((await change("second", { customDomain: "bi.example.com" })).status).toBe(200);
    const taken = await service.send("PUT", `${deployments}/2`, {
      key,
      headers: { host: "second.svc.test" },
      body: { customDomain: "bi.example.com" },
    });
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining("deployment main")]);
  });

  it("is its custom domain where one account answers on every host, which keeps its own host", async () => {
    const single = await startService();
    try {
      const headers = { host: "svc.example.com" };
      const set = (customDomain: string) =>
        single.send("PUT", `${deployments}/1`, { headers, body: { customDomain } });
      expect((await set("svc.example.com")).status).toBe(409);
      expect((await set("bi.example.com")).status).toBe(200);
      const custom = { headers: { host: "bi.example.com" } };
      expect(await single.send("GET", "/readyz", { key: null, ...custom })).toMatchObject(up);
      expect((await single.send("GET", deployments, custom)).status).toBe(404);
      expect((await single.send("GET", deployments, { headers })).status).toBe(200);
      expect((await single.send("GET", deployments)).status).toBe(200);
    } finally {
      await single.close();
    }
  });
});
