// Tests unknown routes, other methods, headers, sizes and health checks.
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => service.close());

describe("the application", () => {
  it.each(["/api", "/api/v1/nope", "/api/v2/deployments", "//api/v1/deployments"])(
    "answers the unknown route %s with a JSON 404, whatever is sent",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await service.send(method, path, {
          key: null,
          ...(method === "GET" ? {} : { raw: "<a/>", headers: { "content-type": "text/xml" } }),
        });
        expect(answer.body).toMatchObject({ statusCode: 404, code: "unknown_route" });
      }
    },
  );

  it.each([...new Set(operations.map(({ path }) => path))])(
    "answers other methods on %s with 405 and those it has",
    async (path) => {
      const methods = operations
        .flatMap(({ method, path: at, alias: also }) => [
          { method, path: at },
          ...(also ? [also] : []),
        ])
        .filter((one) => one.path === path)
        .map(({ method }): string => method);
      const url = path.replace(/\{\w+\}/g, "1");
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"].filter(
        (method) => !methods.includes(method),
      );
      for (const method of others) {
        const answer = await service.send(method, url, { key: null });
        expect([method, answer.status]).toEqual([method, 405]);
        const allowed = String(answer.headers["allow"]).split(", ");
        expect(allowed.filter((one) => one !== "HEAD").toSorted()).toEqual(methods.toSorted());
      }
    },
  );

  it.each([
    ["/livez", "GET, HEAD"],
    ["/readyz", "GET, HEAD"],
    ["/auth", "GET, HEAD"],
    ["/auth/sign-in", "GET, HEAD, POST"],
    ["/auth/sign-out", "POST"],
  ])(
    "answers other methods on %s, which is no operation, with 405 and those it has",
    async (path, allow) => {
      for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"]) {
        if (allow.includes(method)) continue;
        const { status, body, headers } = await service.send(method, path, { key: null });
        const allowed = String(headers["allow"]).split(", ").toSorted().join(", ");
        expect([method, status, allowed]).toEqual([method, 405, allow]);
        expect(body).toMatchObject({
          error: `this path does not support ${method}; use ${String(headers["allow"])}`,
        });
      }
      expect((await service.send("PROPFIND", path, { key: null })).status).toBe(404);
    },
  );

  it("shows the home at the address of the account to a browser, and no operation to programs", async () => {
    const headers = { accept: "text/html,application/xhtml+xml" };
    const page = await service.send("GET", "/", { key: null, headers });
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const answer = await service.send("GET", "/", { key: null });
    expect(answer.body).toMatchObject({ statusCode: 404, code: "unknown_route" });
  });

  it("lets pages of other origins call what embedded pages need, and nothing else", async () => {
    for (const { id, method, path, crossOrigin = false } of operations) {
      const url = path.replace(/\{\w+\}/g, "1");
      const headers = { origin: "https://portal.example", "access-control-request-method": method };
      const preflight = await service.send("OPTIONS", url, { key: null, headers });
      const methods = String(preflight.headers["access-control-allow-methods"] ?? "").split(", ");
      const got = { id, allowed: methods.includes(method) };
      expect(got).toEqual({ id, allowed: crossOrigin });
      const answer = await service.send(method, url, { key: null, headers });
      const origin = answer.headers["access-control-allow-origin"];
      expect({ id, origin }).toEqual({ id, origin: crossOrigin ? "*" : undefined });
    }
    const open = operations.filter(({ crossOrigin }) => crossOrigin === true);
    expect(open.filter(({ requiresApiKey }) => requiresApiKey === true)).toEqual([]);
    expect(open.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["exchangeSession", "getEmbeddedDashboard", "getEmbedTheme"]),
    );
  });

  it("gives every answer a request ID: that of the caller if it is valid", async () => {
    const id = async (sent?: string): Promise<unknown> => {
      const headers = sent === undefined ? {} : { "x-request-id": sent };
      return (await service.send("GET", "/api/v1/regions", { headers })).headers["x-request-id"];
    };
    expect(await id()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id("run-7:a.b_c")).toBe("run-7:a.b_c");
    expect(await id("a b")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id("x".repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
    const refused = await service.send("GET", "/api/%zz", { headers: { "x-request-id": "r1" } });
    expect([refused.status, refused.headers["x-request-id"]]).toEqual([400, "r1"]);
  });

  it("sends headers that keep browsers from guessing, framing and keeping", async () => {
    for (const path of ["/api/v1/regions", "/livez", "/nope"]) {
      const { headers } = await service.send("GET", path);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      });
    }
  });

  it("reports health and readiness without a credential", async () => {
    expect((await service.send("GET", "/livez", { key: null })).body).toEqual({ status: "live" });
    expect((await service.send("GET", "/readyz", { key: null })).body).toEqual({ status: "ready" });
  });

  it("takes bodies of JSON only, up to a size", async () => {
    const path = "/api/v1/user-groups";
    const xml = { raw: "<a/>", headers: { "content-type": "text/xml" } };
    expect((await service.send("POST", path, xml)).body).toMatchObject({
      statusCode: 415,
      code: "unsupported_media_type",
    });
    const large = { raw: `{"name":"${"x".repeat(limits.flatBodyBytes)}"}` };
    expect((await service.send("POST", path, large)).body).toMatchObject({
      statusCode: 413,
      code: "too_large",
    });
    const named = {
      body: { name: "charset" },
      headers: { "content-type": "application/json; charset=utf-8" },
    };
    expect((await service.send("POST", path, named)).status).toBe(200);
  });

  it("refuses a body with too many values", async () => {
    const raw = `{"deploymentId":1,"externalId":"v","groups":[${"1,".repeat(1_500_000)}1]}`;
    const answer = await service.send("POST", "/api/v1/embed/generate-session", { raw });
    expect(answer.body).toMatchObject({
      code: "invalid",
      message: expect.stringContaining("values"),
    });
  });

  it("accepts only a short body without a credential", async () => {
    const raw = `{"sessionId":"${"x".repeat(limits.shortBodyBytes)}"}`;
    const answer = await service.send("POST", "/api/v1/embed/session/token", { key: null, raw });
    expect(answer.body).toMatchObject({
      code: "too_large",
      message: expect.stringContaining(String(limits.shortBodyBytes)),
    });
  });

  it("takes writes without a body, also with a length of 0", async () => {
    const body = { name: "to delete" };
    const { body: created } = await service.send("POST", "/api/v1/user-groups", { body });
    const answer = await service.send(
      "DELETE",
      `/api/v1/groups/${(created as { id: number }).id}`,
      {
        raw: "",
        headers: { "content-length": "0" },
      },
    );
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  it("answers HEAD as GET, without the body", async () => {
    const answer = await service.send("HEAD", "/api/v1/regions");
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  it("logs neither credentials nor bodies, and shows callers nothing internal", async () => {
    const answer = await service.send("GET", "/api/v1/users/me", { key: "sk-secret" });
    expect(answer.text).not.toContain("sk-secret");
    expect(answer.text).not.toMatch(/sqlite|select|node_modules/i);
  });
});

describe("the description", () => {
  it("is sent with an entity tag, and not again while it is the same", async () => {
    const first = await service.send("GET", "/api/v1/spec");
    const etag = String(first.headers["etag"]);
    const again = await service.send("GET", "/api/v1/spec", { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", etag]);
    const other = { "if-none-match": '"other"' };
    expect((await service.send("GET", "/api/v1/spec", { headers: other })).text).toBe(first.text);
  });
});

describe("a smaller surface", () => {
  it.each(["public", "specification"] as const)(
    "%s answers what it does not offer as the web front would, and describes exactly what it offers",
    async (surface) => {
      const small = await startService({ surface });
      try {
        const levels = surface === "public" ? ["specification", "public"] : ["specification"];
        const offered = operations.filter(({ source }) => levels.includes(source));
        const spec = await small.send("GET", "/api/v1/spec");
        const { paths } = spec.body as { paths: Record<string, Record<string, unknown>> };
        const listed = Object.values(paths).reduce(
          (sum, path) => sum + Object.keys(path).length,
          0,
        );
        expect(listed).toBe(offered.length);
        for (const operation of operations.filter((one) => !offered.includes(one))) {
          const url = `${small.url}${operation.path.replace(/\{\w+\}/g, "1")}`;
          const answer = await request(url, { method: operation.method });
          expect([operation.id, answer.statusCode]).toEqual([operation.id, 200]);
          expect(answer.headers["content-type"]).toContain("text/html");
          expect(await answer.body.text()).toMatch(/^</);
        }
      } finally {
        await small.close();
      }
    },
  );
});
