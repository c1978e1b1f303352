// Tests that people call the API of a controller with a login at the server, with the role of the configuration, and that
// nothing else passes for them.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saveContext } from "../../client/context-file.ts";
import { limits } from "../../core/limits/limits.ts";
import { createLoginCheck } from "../../controller/api-login.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { Secret } from "../../core/secret.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { runSvc } from "../golden/run-cli.ts";
import { embedSessions } from "../support/embed-sessions.ts";
import { loginOf } from "../support/sign-in.ts";
import { startStubServer } from "../support/stub-server.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  type RunningController,
} from "./fixture.ts";

const folder = "stacks/northwind";
const hour = 3_600_000;
const mask = "approver-token-not-to-be-seen";

let fixture: ControllerFixture;
let running: RunningController;

beforeEach(async () => {
  fixture = await openControllerFixture();
  fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
  fixture.write("robot", mask);
  running = await start(fixture.proxy.url);
});
afterEach(() => fixture.close());

const otto = { email: "otto@example.com", role: "operator" };
const users = [
  { email: "vera@example.com", role: "viewer" },
  otto,
  { email: "Anna@Example.com", role: "approver" },
];
const tokens = [{ name: "robot", role: "viewer", secret: { file: "robot" } }];

function start(server: string, people: readonly object[] = users): Promise<RunningController> {
  const listen = { port: 0, tokens, login: { server, users: people } };
  return fixture.start([{ folder, interval: "1h" }], { listen });
}

const login = (username: string, scope?: string) =>
  loginOf(fixture.service, { username, isAdmin: false }, scope);

async function call(token: string, path: string, body?: object) {
  const response = await fetch(`${running.url()}/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { error, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const { message, code } = (error ?? {}) as Record<string, string>;
  return { status: response.status, headers: response.headers, message, code, body: rest };
}

/** Returns how often the server was asked for a user. */
function checks(): number {
  return fixture.proxy.requests.filter(({ path }) => path === "/api/v1/users/me").length;
}

describe("a login at the server", () => {
  it("has the role of its address, which is whom decisions name", async () => {
    const vera = await login("vera");
    const operator = await login("otto");
    const anna = await login("anna");
    const listed = await call(vera.token, "sources");
    expect(listed).toMatchObject({
      status: 200,
      body: { token: { name: "vera@example.com", role: "viewer" } },
    });
    fixture.stack(folder, [groupDocument("north")]);
    const plan = (await running.advanceAndWait(hour)).held?.plan ?? "";
    expect(await call(vera.token, "sources/northwind/reconcile", {})).toMatchObject({
      status: 403,
      message: "vera@example.com is a viewer; reconcile needs the role operator",
    });
    expect((await call(operator.token, "sources/northwind/approve", { plan })).status).toBe(403);
    expect((await call(operator.token, "sources/northwind/reconcile", {})).status).toBe(202);
    const next = running.nextReconciliation();
    expect((await call(anna.token, "sources/northwind/approve", { plan })).status).toBe(200);
    await running.advanceClock(limits.hookPauseMs);
    expect(await next).toMatchObject({ result: "applied", approved: { by: "Anna@Example.com" } });
    expect(running.events).toContainEqual(
      expect.objectContaining({ event: "action", action: "approve", by: "Anna@Example.com" }),
    );
    const all = JSON.stringify(running.events);
    for (const { token } of [vera, operator, anna]) expect(all).not.toContain(token);
  });

  it("is refused for others, keys, sessions, and logins that are limited", async () => {
    const stranger = await login("mallory");
    expect(await call(stranger.token, "sources")).toMatchObject({
      status: 403,
      message: expect.stringMatching(
        /^mallory@example.com \(ID \d+\) of .* is not among listen.login.users$/u,
      ),
    });
    const limited = await login("vera", "DeploymentRead");
    expect(await call(limited.token, "sources")).toMatchObject({
      status: 403,
      message: expect.stringContaining("limited to a part"),
    });
    // Of a user with the address of an approver.
    const { service } = fixture;
    const body = { username: "anna", email: "anna@example.com", isAdmin: true };
    const { id } = (await service.send("POST", "/api/v1/users", { body })).body as { id: number };
    const key = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "of anna", ownerUserId: id, deploymentIds: null },
    });
    const embedded = await embedSessions(() => service).tokenOf({
      internalId: "anna",
      externalId: undefined,
    });
    for (const [token, type] of [
      [(key.body as { token: string }).token, "api-key"],
      [embedded, "embed-token"],
    ] as const) {
      expect(await call(token, "sources")).toMatchObject({
        status: 403,
        message: `this is no login of a person; type of the token: ${type}`,
      });
    }
  });

  it("is that of the user with the ID of the configuration, not of another with the address", async () => {
    const [anna, other] = [await login("anna"), await login("other")];
    // As an identity provider can.
    await inTransaction(fixture.service.db, (tx) =>
      tx
        .updateTable("users")
        .set({ email: "anna@example.com" })
        .where("id", "=", other.id)
        .execute(),
    );
    await running.stop();
    const named = { email: "anna@example.com", id: anna.id, role: "approver" };
    running = await start(fixture.proxy.url, [named]);
    expect((await call(anna.token, "sources")).status).toBe(200);
    expect(await call(other.token, "sources")).toMatchObject({
      status: 403,
      message: expect.stringContaining(`anna@example.com (ID ${other.id}) of`),
    });
  });

  it("ends within a minute of its revocation, and asks the server once until then", async () => {
    const { token, id } = await login("otto");
    const before = checks();
    const answers = await Promise.all([1, 2, 3].map(() => call(token, "sources")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(checks() - before).toBe(1);
    await fixture.service.send("PUT", `/api/v1/users/${id}`, { body: { isDeactivated: true } });
    expect((await call(token, "sources")).status).toBe(200);
    await running.advanceClock(limits.controllerLoginMs);
    const refused = await call(token, "sources");
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer realm="${fixture.proxy.url}"`,
    ]);
    await call(token, "sources");
    expect(checks() - before).toBe(2);
  });

  it("cannot be checked while the server hangs or fails, which is not remembered", async () => {
    const { token } = await login("otto");
    for (const fault of ["hang", "give-up", "html"] as const) {
      fixture.proxy.armAnyCall(1, fault);
      const started = performance.now();
      expect(await call(token, "sources")).toMatchObject({
        status: 503,
        code: "unavailable",
        message: expect.stringContaining("cannot be checked"),
      });
      expect(performance.now() - started).toBeLessThan(limits.controllerAnswerMs + 4000);
    }
    expect((await call(mask, "sources")).status).toBe(200);
    expect((await call(token, "sources")).status).toBe(200);
  });

  it("is checked while someone tries many tokens, which reach the server sixty times a minute", async () => {
    const { token } = await login("otto");
    expect((await call(token, "sources")).status).toBe(200);
    const before = checks();
    const statuses: number[] = [];
    for (let number = 0; number < limits.hooks + 5; number++)
      statuses.push((await call(`wrong-${number}`, "sources")).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.hooks - 1);
    const late = await call("wrong-again", "sources");
    expect([late.status, late.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(checks() - before).toBe(limits.hooks - 1);
    // A new period: the user is asked for again, beside the limit.
    await running.advanceClock(limits.controllerLoginMs - 1);
    expect((await call(token, "sources")).status).toBe(200);
    expect((await call(mask, "sources")).status).toBe(200);
  });

  it("is checked anew while others try tokens, each address for itself and all within a bound", async () => {
    const before = checks();
    const from = async (address: number, token: string) => {
      const sent = request(`${running.url()}/api/sources`, {
        localAddress: `127.0.1.${address}`,
        headers: { authorization: `Bearer ${token}` },
      }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    for (let number = 0; number <= limits.hooks; number++) await from(1, `wrong-${number}`);
    const { token } = await login("otto");
    expect([await from(1, token), await from(2, token)]).toEqual([429, 200]);
    const numbers = [...Array(limits.controllerUnknownTokens / limits.hooks).keys()];
    for (let number = 0; number < limits.hooks; number++)
      await Promise.all(numbers.map((client) => from(3 + client, `other-${client}-${number}`)));
    expect(checks() - before).toBe(limits.controllerUnknownTokens);
    expect([await from(250, "new"), await from(1, token)]).toEqual([429, 200]);
  });

  it("is remembered of a bounded number of tokens", async () => {
    const { token } = await login("otto");
    const { text } = await fixture.service.send("GET", "/api/v1/users/me", { key: token });
    const { url, seen } = await startStubServer((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(text);
    });
    let now = 0;
    const checkFrom = createLoginCheck(
      { server: url, clientId: undefined, users: [{ ...otto, id: undefined, role: "viewer" }] },
      () => now,
    );
    const check = (sent: string) => checkFrom(sent, "127.0.0.1");
    await check("first");
    for (let number = 1; number <= limits.controllerLoginsKept; number++) {
      if (number % limits.hooks === 0) now += limits.controllerLoginMs;
      await check(`other-${number}`);
    }
    const last = `other-${limits.controllerLoginsKept}`;
    now += limits.controllerLoginMs;
    for (let number = 0; number < limits.hooks; number++) await check(`another-${number}`);
    await check(last);
    const before = seen.length;
    await check(last);
    await expect(check("first")).rejects.toThrow("too many unknown tokens");
    expect(seen.length).toBe(before);
  });

  it("is sent by a command with --login only, and renewed after its end", async () => {
    const { service, home } = fixture;
    await running.stop();
    running = await start(service.url);
    const env = { SVC_CONFIG_FILE: join(home, "svc", "config.toml") };
    const svc = (...args: string[]) =>
      runSvc(["controller", ...args, "--url", running.url()], { env });
    expect((await svc("list", "--login")).err).toContain("there is no login");
    const { token, refreshToken } = await login("otto");
    const work = {
      name: "work",
      url: service.url,
      apiKey: new Secret(token),
      refreshToken: new Secret(refreshToken),
    };
    await saveContext(env.SVC_CONFIG_FILE, work, { isActive: true });
    const unset = await svc("list");
    expect([unset.code, unset.err]).toEqual([77, expect.stringContaining("pass --login")]);
    await inTransaction(service.db, (tx) =>
      tx
        .updateTable("oauth_records")
        .set({ expires_at: "2020-01-01T00:00:00.000Z" })
        .where("model", "=", "AccessToken")
        .execute(),
    );
    const end = ["--reason", "r", "--expires", "1h"];
    const done = await svc("suspend", "northwind", ...end, "--login", "--json");
    expect(JSON.parse(done.out)).toMatchObject({ by: "otto@example.com" });
    const vera = await login("vera");
    const other = { name: "other", url: service.url, apiKey: new Secret(vera.token) };
    const refreshed = { ...other, refreshToken: new Secret(vera.refreshToken) };
    await saveContext(env.SVC_CONFIG_FILE, refreshed, { isActive: false });
    const refused = await svc("resume", "northwind", "--login", "--context", "other");
    expect(refused.err).toContain("vera@example.com is a viewer");
    expect((await svc("list", "--context", "other")).err).toContain("--context is for --login");
    const unknown = await svc("list", "--login", "--context", "none");
    expect(unknown.err).toContain(`there is no context "none"`);
  });

  it("is sent to no controller that names another server, or none", async () => {
    const { service, home } = fixture;
    const env = { SVC_CONFIG_FILE: join(home, "svc", "config.toml") };
    const [apiKey, refreshToken] = [new Secret("access"), new Secret("refresh")];
    const work = { name: "work", url: service.url, apiKey, refreshToken };
    await saveContext(env.SVC_CONFIG_FILE, work, { isActive: true });
    const cases = [
      { status: 401, realm: "", message: "takes no logins" },
      {
        status: 401,
        realm: `Bearer realm="${fixture.proxy.url}"`,
        message: `takes logins of ${fixture.proxy.url}; work is of ${service.url}`,
      },
      // A proxy whose controller is down.
      { status: 502, realm: "", message: "the controller answered with the status 502" },
    ];
    for (const { status, realm, message } of cases) {
      const { url, seen } = await startStubServer((_, response) => {
        response.writeHead(status, { "www-authenticate": realm }).end("{}");
      });
      const { code, err } = await runSvc(["controller", "list", "--url", url, "--login"], { env });
      expect([code, err]).toEqual([1, expect.stringContaining(message)]);
      expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    }
  });

  it("refuses a server without https, and users twice or without an address", () => {
    const read = (at: object) => () =>
      readControllerConfig(fixture.config([{ folder }], { listen: { port: 0, login: at } }));
    const [vera] = users;
    expect(read({ server: "http://acme.example.com", users })).toThrow(/use https/u);
    expect(read({ server: "https://acme.example.com/x", users })).toThrow(/origin/u);
    const twice = [vera, { email: "VERA@example.com", role: "viewer" }];
    const server = "https://acme.example.com";
    expect(read({ server, users: twice })).toThrow(/another user has the address vera@/u);
    expect(read({ server, users: [{ email: "vera", role: "viewer" }] })).toThrow(
      /no email address/u,
    );
    expect(read({ server, users })().listen?.login?.server).toBe(server);
  });
});
