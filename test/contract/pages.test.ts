// The pages of viewers: their documents, files and headers, and the sessions of signed-in users.
import { describe, expect, it } from "vitest";
import { inTransaction } from "../../service/store/transaction.ts";
import { invite, Browser } from "../support/sign-in.ts";
import { password, useSignInSessions } from "../support/sign-in-sessions.ts";
import { embedSessions } from "../support/embed-sessions.ts";

const { service, signedIn } = useSignInSessions({});
const { publishDashboard } = embedSessions(service);

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  service().send("GET", path, { key: null, headers: { accept: "text/html", ...headers } });
const policyOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  String(headers["content-security-policy"]);
const allowOrigins = (allowedOrigins: readonly string[]) =>
  service().send("PUT", "/api/v1/app-config", { body: { embedding: { allowedOrigins } } });

describe("the document of a dashboard", () => {
  it("is the same whether or not the dashboard exists", async () => {
    const { publicId } = await publishDashboard(true);
    const [known, unknown] = [publicId, "000000000000"].map((id) =>
      get(`/embed/dashboard/${id}?session=${"a".repeat(32)}`),
    );
    const [one, other] = [await known, await unknown];
    expect(one?.text.replaceAll(publicId, "ID")).toBe(other?.text.replaceAll("000000000000", "ID"));
    expect([one?.status, policyOf(one ?? { headers: {} })]).toEqual([
      200,
      policyOf(other ?? { headers: {} }),
    ]);
  });

  it("has no session, no inline script and no inline style", async () => {
    const session = "0123456789abcdef0123456789abcdef";
    const page = await get(`/embed/dashboard/000000000000?f_a.b=1&session=${session}`);
    expect(page.text).not.toContain(session);
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|style=|onload=/);
    expect(policyOf(page)).toContain("script-src 'self'; style-src 'self'");
    expect(page.headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });

  it("may be framed by any page with a session, and by none without one", async () => {
    expect(policyOf(await get("/embed/dashboard/000000000000?session=x"))).toMatch(
      /frame-ancestors \*$/,
    );
    for (const path of ["/embed/dashboard/000000000000", "/"]) {
      expect(policyOf(await get(path))).toMatch(/frame-ancestors 'self'$/);
    }
  });

  it("may be framed only by the origins that the account declares", async () => {
    const origins = ["https://app.example.com", "https://*.example.org:8443"];
    expect((await allowOrigins(origins)).status).toBe(200);
    const page = await get("/embed/dashboard/000000000000?session=x");
    expect(policyOf(page)).toMatch(
      /frame-ancestors 'self' https:\/\/app\.example\.com https:\/\/\*\.example\.org:8443$/,
    );
    for (const origin of [
      "app.example.com",
      "https://a b",
      "https://a;script-src *",
      "https://x/y",
      "*",
      "https://*",
    ]) {
      expect((await allowOrigins([origin])).status, origin).toBe(400);
    }
    expect((await allowOrigins([])).status).toBe(200);
  });
});

describe("files of pages", () => {
  it("contain the script of hosts under a name that stays, which pages of any origin may load", async () => {
    const script = await get("/embed/svc-embed.js");
    expect([script.status, script.text.includes("var svcEmbed=")]).toEqual([200, true]);
    const small = await get("/embed/svc-embed.js", { "accept-encoding": "br" });
    for (const { headers } of [script, small]) {
      expect(headers).toMatchObject({
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=300",
        "access-control-allow-origin": "*",
      });
    }
    expect(small.headers["content-encoding"]).toBe("br");
  });

  it("are kept by browsers for a year, in the encoding that they accept", async () => {
    const [, script = ""] = /module" src="(\/assets\/[^"]+\.js)"/.exec((await get("/")).text) ?? [];
    const plain = await get(script);
    const small = await get(script, { "accept-encoding": "gzip, br" });
    expect(plain.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
    });
    expect(small.headers["content-encoding"]).toBe("br");
    expect(Number(small.headers["content-length"])).toBeLessThan(
      Number(plain.headers["content-length"]) / 2,
    );
  });

  it("have no path outside their folder", async () => {
    for (const name of [
      "nothing.js",
      "..%2fmanifest.json",
      "%2e%2e%2fmanifest.json",
      "viewer.js.br",
    ]) {
      expect((await service().send("GET", `/assets/${name}`, { key: null })).status).toBe(404);
    }
  });
});

it("answers an unknown address with a page to browsers, and with JSON to programs and below the API", async () => {
  const page = await get("/nothing/here");
  expect([page.status, page.text]).toEqual([
    404,
    expect.stringContaining("There is no page at this address"),
  ]);
  const unreadable = await get("/embed/dashboard/%E0%A4%A?session=x");
  expect([unreadable.status, unreadable.text]).toEqual([
    404,
    expect.stringContaining("There is no page at this address"),
  ]);
  expect((await get("/api/v1/%E0%A4%A")).body).toMatchObject({ code: "invalid" });
  expect((await get("/api/v1/nothing")).body).toMatchObject({ code: "unknown_route" });
  const program = await service().send("GET", "/nothing/here", { key: null });
  expect(program.body).toMatchObject({ code: "unknown_route" });
  expect((await service().send("GET", "/", { key: null })).body).toMatchObject({
    code: "unknown_route",
  });
});

describe("the session of a signed-in viewer", () => {
  const open = (browser: Browser, publicId: string) =>
    browser.postJson("/auth/page-session", { publicId });

  it("shows a dashboard that is not embedded, and ends with the sign-in", async () => {
    const { publicId } = await publishDashboard(false);
    const { url } = await invite(service(), { username: "viewer", isAdmin: true });
    const browser = new Browser(service().url);
    expect((await open(browser, publicId)).status).toBe(401);
    await browser.setPassword(url, password);
    const opened = await open(browser, publicId);
    expect(opened.status).toBe(200);
    const { token } = opened.body as { token: string };
    expect(opened.body).not.toHaveProperty("dashboard");
    const withDashboard = await browser.postJson("/auth/page-session", {
      publicId,
      dashboard: true,
    });
    expect(withDashboard.body).toMatchObject({ dashboard: { publicId } });
    const read = () => service().send("GET", `/api/v1/embed/dashboard/${publicId}`, { key: token });
    expect((await read()).status).toBe(200);
    await browser.post("/auth/sign-out", {});
    expect((await read()).status).toBe(401);
  });

  it("is refused for a dashboard that the user may not view, as for an unknown one", async () => {
    const { publicId } = await publishDashboard(true);
    const { browser, user } = await signedIn("outsider", false);
    // Every role of the API may view dashboards.
    await inTransaction(service().db, (tx) =>
      tx.updateTable("users").set({ default_roles: "[]" }).where("id", "=", user.id).execute(),
    );
    const refused = await open(browser, publicId);
    const unknown = await open(browser, "000000000000");
    expect([refused.status, unknown.status]).toEqual([404, 404]);
    expect((await browser.get("/auth/home")).body).toMatchObject({ dashboards: [] });
    const { browser: allowed, user: insider } = await signedIn("insider");
    await inTransaction(service().db, (tx) =>
      tx
        .updateTable("users")
        .set({ display_name: "Ines Sider" })
        .where("id", "=", insider.id)
        .execute(),
    );
    expect((await allowed.get("/auth/home")).body).toMatchObject({
      user: { username: "insider", displayName: "Ines Sider" },
      dashboards: expect.arrayContaining([expect.objectContaining({ publicId, title: "Sales" })]),
    });
  });

  it("is refused to pages of other sites", async () => {
    const { browser } = await signedIn("framed");
    const sent = await browser.postJson("/auth/page-session", {}, "https://evil.example");
    expect(sent.status).toBe(403);
  });
});

it("continues after a sign-in at a dashboard of this server only", async () => {
  const next = async (path: string) => {
    const { text } = await get(`/auth/sign-in?next=${encodeURIComponent(path)}`);
    return /name="next" value="([^"]*)"/.exec(text)?.[1];
  };
  expect(await next("/embed/dashboard/abc123?tab_a=b")).toBe("/embed/dashboard/abc123?tab_a=b");
  for (const path of [
    "//evil.example",
    "/embed/dashboard/../../x",
    "https://evil.example/",
    "/embed/dashboard/a\\evil",
  ]) {
    expect(await next(path)).toBe("/");
  }
});
