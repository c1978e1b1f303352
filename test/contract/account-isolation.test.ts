// Tests several accounts on one server: the host selects the account, and credentials and IDs of one account fail in
// another.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { AccountsDeclaration, OpenAccount } from "../../service/server/accounts.ts";
import { startServer } from "../../service/server/server.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { Browser, invite, postForm } from "../support/sign-in.ts";
import { onPostgres, runsInFull } from "../support/test-database.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampled } from "../support/sampling.ts";
import type { TestService } from "../support/test-service.ts";
import { sampleOf } from "./sample-requests.ts";
import type { Sample } from "./sample.ts";

const declared: AccountsDeclaration = {
  host: "svc.test",
  accounts: [
    { name: "first", domains: ["analytics.first.test"], settings: {} },
    { name: "second", domains: [], settings: { useCreatorMode: false } },
  ],
};

/** A client of one account of a service. */
interface AccountClient extends TestService {
  readonly account: OpenAccount;
}

let service: ResettableService;
let first: AccountClient;
let second: AccountClient;

beforeAll(async () => {
  service = await startResettableService(undefined, { accounts: declared });
  [first, second] = ["first", "second"].map(accountClient) as [AccountClient, AccountClient];
});
beforeEach(() => service.reset());
afterAll(() => service.close());

function accountClient(name: string): AccountClient {
  const account = service.accounts.find((one) => one.name === name);
  if (!account) throw new Error(`there is no account ${name}`);
  const adminKey = account.adminKey.reveal();
  const headers = { host: `${name}.svc.test` };
  return {
    ...service,
    account,
    adminKey,
    db: account.db,
    send: (method, path, sending = {}) =>
      service.send(method, path, {
        key: adminKey,
        ...sending,
        headers: { ...headers, ...sending.headers },
      }),
  };
}

/** Returns the embed token of a user. */
async function embedToken(side: AccountClient): Promise<string> {
  const { sessionId } = await createSession(side);
  const body = { sessionId };
  const answer = await side.send("POST", "/api/v1/embed/session/token", { key: null, body });
  return (answer.body as { token: string }).token;
}

async function createSession(side: AccountClient): Promise<{ sessionId: string }> {
  const body = { deploymentId: 1, externalId: "visitor" };
  return (await side.send("POST", "/api/v1/embed/generate-session", { body })).body as {
    sessionId: string;
  };
}

async function prepareSample(id: string): Promise<Sample> {
  const sample = await sampleOf(id, first);
  // Builds that the preparation queued would change the account later.
  await first.account.runBuilds();
  return sample;
}

/** One mechanism isolates accounts for all operations, so a sample of them is tested, and fewer on PostgreSQL. */
const tried = sampled(operations, onPostgres ? 25 : 3);
const named = tried.map((operation) => [operation.id, operation] as const);
const locked = named.filter(([, { permission }]) => permission !== "public");

describe("a host", () => {
  it.each([
    ["first.svc.test", "first"],
    ["FIRST.Svc.Test:8443", "first"],
    ["first.svc.test.", "first"],
    ["analytics.first.test", "first"],
    ["second.svc.test", "second"],
  ])("service host: %s belongs to the account %s", async (host, name) => {
    const side = accountClient(name);
    const answer = await service.send("GET", "/api/v1/users/me", {
      key: side.adminKey,
      headers: { host },
    });
    expect(answer.status).toBe(200);
  });

  it.each(["svc.test", "third.svc.test", "x.first.svc.test", "127.0.0.1", "first"])(
    "%s belongs to no account, for any request",
    async (host) => {
      for (const [method, path] of [
        ["GET", "/api/v1/users/me"],
        ["DELETE", "/api/v1/users/me"],
        ["GET", "/nope"],
        ["POST", "/api/v1/embed/session/token"],
      ] as const) {
        const answer = await service.send(method, path, {
          key: first.adminKey,
          headers: { host },
          ...(method === "POST" ? { body: { sessionId: "x" } } : {}),
        });
        expect(answer.body).toMatchObject({ statusCode: 404, code: "unknown_host" });
      }
    },
  );

  it("is part of the URLs of the account's deployments, with the custom domain first", async () => {
    const url = async (side: AccountClient): Promise<unknown> =>
      ((await side.send("GET", "/api/v1/deployments/1")).body as { deploymentUrl: string })
        .deploymentUrl;
    expect(await url(first)).toBe("https://main.analytics.first.test");
    expect(await url(second)).toBe("https://main.second.svc.test");
  });

  it("need not belong to an account for the endpoints of the operator", async () => {
    for (const path of ["/livez", "/readyz"]) {
      expect((await service.send("GET", path, { key: null })).status).toBe(200);
    }
  });

  it("is accepted from a trusted proxy only", async () => {
    const headers = {
      host: "proxy.test",
      "x-forwarded-host": "first.svc.test",
      "x-forwarded-proto": "https",
    };
    const options = { key: first.adminKey, headers };
    expect((await service.send("GET", "/api/v1/users/me", options)).status).toBe(404);
    const behind = await startServer({
      data: ":memory:",
      accounts: declared,
      trustedProxies: ["127.0.0.1"],
    });
    try {
      const key = behind.accounts[0]?.adminKey.reveal() ?? "";
      const answer = await fetch(`${behind.url}/api/v1/users/me`, {
        headers: { ...headers, authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(200);
    } finally {
      await behind.close();
    }
  });
});

describe("nothing crosses from one account to another:", () => {
  let alone: ResettableService;
  beforeAll(async () => {
    const accounts = { ...declared, accounts: declared.accounts.slice(1) };
    alone = await startResettableService(undefined, { accounts });
  });
  afterAll(() => alone.close());

  it.each(locked)("%s refuses the other's key and embed token", async (id, operation) => {
    const sample = await prepareSample(id);
    const token = await embedToken(first);
    const before = await databaseDigest(second.db);
    for (const key of [first.adminKey, token]) {
      const answer = await second.send(operation.method, sample.path, { key, body: sample.body });
      expect([answer.status, answer.text]).toEqual([401, expect.any(String)]);
    }
    expect(await databaseDigest(second.db)).toBe(before);
  });

  it.each(named)(
    "%s changes nothing of the other's, and sees nothing of it",
    async (id, operation) => {
      await alone.reset();
      const headers = { host: "second.svc.test" };
      const sample = await prepareSample(id);
      const before = await databaseDigest(first.db);
      const request = { body: sample.body, headers: sample.headers ?? {} };
      const beside = await second.send(operation.method, sample.path, request);
      expect(await databaseDigest(first.db)).toBe(before);
      const lone = await alone.send(operation.method, sample.path, {
        ...request,
        headers: { ...request.headers, ...headers },
      });
      expect([beside.status, withoutVolatile(beside.body)]).toEqual([
        lone.status,
        withoutVolatile(lone.body),
      ]);
    },
  );

  it("a session cannot be exchanged or revoked elsewhere", async () => {
    const { sessionId } = await createSession(first);
    const body = { sessionId };
    const stolen = await second.send("POST", "/api/v1/embed/session/token", { key: null, body });
    expect(stolen.status).toBe(401);
    await second.send("POST", "/api/v1/embed/session/revoke", { body });
    const own = await first.send("POST", "/api/v1/embed/session/token", { key: null, body });
    expect(own.status).toBe(200);
  });

  it("a cursor is refused elsewhere", async () => {
    for (const side of [first, second]) {
      for (const name of ["a", "b", "c"]) {
        await side.send("POST", "/api/v1/user-groups", { body: { name } });
      }
    }
    const page = await first.send("GET", "/api/v1/user-groups?first=1");
    const { endCursor } = (page.body as { pageInfo: { endCursor: string } }).pageInfo;
    const path = `/api/v1/user-groups?first=1&after=${endCursor}`;
    expect((await first.send("GET", path)).status).toBe(200);
    expect((await second.send("GET", path)).body).toMatchObject({ code: "invalid" });
  });

  it("what is sealed or signed for one cannot be opened or read by another", async () => {
    const [mine, other] = [first.account.requestContext, second.account.requestContext];
    const sealed = mine.sealer.seal("secret", "place");
    expect(mine.sealer.open(sealed, "place")).toBe("secret");
    expect(() => other.sealer.open(sealed, "place")).toThrow(/cannot be decrypted/);
    const token = await mine.tokens.issueEmbedToken({ userId: 1, sessionId: 1 });
    expect(await mine.tokens.readEmbedToken(token)).toMatchObject({ userId: 1 });
    expect(await other.tokens.readEmbedToken(token)).toBeUndefined();
  });

  it("what one issues for a sign-in is refused by the other, and stays valid", async () => {
    const { url } = await invite(first, { username: "anna", isAdmin: true });
    const host = "first.svc.test";
    const browser = new Browser(service.url, host);
    await browser.setPassword(url, "correct horse battery");
    const client = { client_id: "svc-cli" };
    const at = async (side: string, path: string, fields: Record<string, string>) => {
      const headers = { host: `${side}.svc.test` };
      const { body } = await postForm(`${service.url}${path}`, { ...client, ...fields }, headers);
      return body as Readonly<Record<string, string>>;
    };
    const device = await at("first", "/auth/device/code", {});
    const page = await browser.get(`/auth/device?user_code=${device["user_code"] ?? ""}`);
    expect(page.text).toMatch(/Account<\/dt>\s*<dd>analytics\.first\.test<\/dd>/);
    await browser.decide(device["user_code"] ?? "", "approve");
    const poll = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device["device_code"] ?? "",
    };
    const refused = { error: "invalid_grant" };
    expect(await at("second", "/auth/device/token", poll)).toMatchObject(refused);
    const tokens = await at("first", "/auth/device/token", poll);
    const { access_token: key = "", refresh_token = "" } = tokens;
    const refresh = { grant_type: "refresh_token", refresh_token };
    expect(await at("second", "/auth/oauth2/refresh", refresh)).toMatchObject(refused);
    await at("second", "/auth/oauth2/revoke", { token: refresh_token });
    expect((await second.send("GET", "/api/v1/users/me", { key })).status).toBe(401);
    expect((await first.send("GET", "/api/v1/users/me", { key })).status).toBe(200);
  });

  it("an idempotency key stands for one request in each of them", async () => {
    const sending = { body: { name: "keyed" }, headers: { "idempotency-key": '"the-same"' } };
    const created = await first.send("POST", "/api/v1/user-groups", sending);
    const again = await second.send("POST", "/api/v1/user-groups", sending);
    expect([created.status, again.status]).toEqual([200, 200]);
    expect(again.headers["idempotent-replayed"]).toBeUndefined();
    const list = await second.send("GET", "/api/v1/user-groups");
    expect(list.body).toMatchObject({ items: [{ name: "keyed" }] });
  });
});

/** Returns an answer without the values that differ between servers: times, ids of sessions, and secrets. */
function withoutVolatile(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body ?? null, (name, value: unknown) =>
      typeof value === "string" &&
      (/(?:At|_at|Id|token|Token|prefix|Prefix|Cursor)$/.test(name) ||
        randomName.test(value) ||
        /\?token=[\w-]+$/.test(value))
        ? "…"
        : value,
    ),
  );
}

/** A UUID, or the name of a dev-mode branch. */
const randomName = /^(?:dev-\d+-[0-9a-f]{10}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

describe.runIf(runsInFull)("the accounts of a server", () => {
  let data: string;

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), "svc-accounts-"));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  it("have settings, a folder and keys of their own, kept over a restart", async () => {
    const before = await startServer({ data, accounts: declared });
    const keys = before.accounts.map(({ adminKey }) => adminKey.reveal());
    expect(new Set(keys).size).toBe(2);
    expect(before.accounts.map(({ folder }) => folder)).toEqual([
      join(data, "first"),
      join(data, "second"),
    ]);
    const flags = before.accounts.map(async ({ db }) =>
      db.selectFrom("account").select(["name", "use_creator_mode"]).executeTakeFirst(),
    );
    expect(await Promise.all(flags)).toEqual([
      { name: "first", use_creator_mode: 1 },
      { name: "second", use_creator_mode: 0 },
    ]);
    await before.close();
    const after = await startServer({ data, accounts: declared });
    expect(after.accounts.map(({ adminKey }) => adminKey.reveal())).toEqual(keys);
    await after.close();
  });

  it("do not start if one of them cannot, and all failures are listed", async () => {
    await (await startServer({ data, accounts: declared })).close();
    const keyFiles = ["first", "second"].map((name) => join(data, name, "secret.key"));
    const keys = keyFiles.map((path) => readFileSync(path, "utf8"));
    for (const path of keyFiles) writeFileSync(path, "incomplete");
    const failing = startServer({ data, accounts: declared });
    await expect(failing).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(/^2 accounts cannot be opened: first: .+; second: /),
    });
    for (const [index, path] of keyFiles.entries()) writeFileSync(path, keys[index] ?? "");
    await (await startServer({ data, accounts: declared })).close();
  });

  it("are not combined with the single account of an earlier start", async () => {
    await (await startServer({ data })).close();
    await expect(startServer({ data, accounts: declared })).rejects.toMatchObject({
      code: "refused",
    });
  });
});
