// Tests the rules of sessions that depend on operator settings, on the clock, or on stored data.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exchangeSession, generateSession, revokeSession } from "../../api/embed.ts";
import { listEmbedTenants, listEmbedUsers, provisionEmbedUser } from "../../api/embed-tenants.ts";
import type { RequestOf } from "../../core/operation/operation.ts";
import { limits } from "../../core/limits/limits.ts";
import { readAccount } from "../../service/accounts/account.ts";
import { bootstrap } from "../../service/server/bootstrap.ts";
import { sweepAll } from "../../service/jobs/sweep.ts";
import { identify } from "../../service/security/principal.ts";
import { loadCatalogue } from "../../service/accounts/version-catalogue.ts";
import { openAccount, type TestAccount } from "./test-account.ts";

type SessionRequest = RequestOf<typeof generateSession>["body"];

let account: TestAccount;
beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const createSession = async (request: Partial<SessionRequest>): Promise<string> =>
  (await account.run(generateSession, { body: { deploymentId: 1, ...request } })).sessionId;
const sessions = () => account.db.selectFrom("embed_sessions").selectAll().execute();
const tenants = async () => (await account.list(listEmbedTenants, {})).map(({ name }) => name);

describe("what the operator allows", () => {
  it("generate-session request row creatorMode: needs the useCreatorMode flag", async () => {
    await account.changeSettings({ use_creator_mode: 0 });
    await expect(createSession({ externalId: "v", creatorMode: true })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("useCreatorMode"),
    });
    expect(await tenants()).toEqual([]);
    await expect(createSession({ externalId: "v", creatorMode: false })).resolves.toBeDefined();
  });

  it("generate-session rule 7, needs: definitions need the useCreatorMode flag", async () => {
    await account.changeSettings({ use_creator_mode: 0 });
    const base = { externalId: "v", creatorMode: true, embedTenantName: "tenant" };
    for (const definitions of [
      { groupDefinitions: [{ name: "g" }] },
      { userAttributeDefinitions: [{ name: "a", type: "string" as const }] },
    ]) {
      await expect(createSession({ ...base, ...definitions })).rejects.toMatchObject({
        code: "forbidden",
      });
    }
    expect(await tenants()).toEqual([]);
  });

  it("limits external users per account: the next one is refused, those who are there are not", async () => {
    await account.changeSettings({ external_user_limit: 2 });
    await createSession({ externalId: "one" });
    await createSession({ externalId: "two", embedTenantName: "other" });
    const refused = { code: "limit_reached" };
    await expect(createSession({ externalId: "three" })).rejects.toMatchObject(refused);
    await expect(createSession({ externalId: "two" })).rejects.toMatchObject(refused);
    await expect(
      createSession({ externalId: "x", embedTenantName: "newest" }),
    ).rejects.toMatchObject(refused);
    expect(await tenants()).toEqual(["other", "account"]);
    await createSession({ externalId: "one" });
    await createSession({ internalId: "ann" });
    await account.changeSettings({ external_user_limit: 3 });
    await createSession({ externalId: "three" });
  });

  it("limits external users per account: 10,000 unless the operator raises it", async () => {
    const beginning = { catalogue: loadCatalogue(), now: new Date(0) };
    await account.db.deleteFrom("account").execute();
    await account.db.deleteFrom("users").execute();
    await account.db.deleteFrom("deployments").execute();
    await account.db.deleteFrom("regions").execute();
    await bootstrap({ db: account.db, dialect: "postgres" }, {}, beginning);
    expect(await readAccount(account.db)).toMatchObject({ externalUserLimit: 10_000 });
    await bootstrap(
      { db: account.db, dialect: "postgres" },
      { externalUserLimit: 10_001 },
      beginning,
    );
    expect(await readAccount(account.db)).toMatchObject({ externalUserLimit: 10_001 });
  });

  it("generate-session rule 7, idempotent: defining the same twice creates nothing twice", async () => {
    const request = {
      externalId: "v",
      creatorMode: true,
      embedTenantName: "tenant",
      groupDefinitions: [{ name: "g", description: "kept" }],
      userAttributeDefinitions: [{ name: "a", type: "string" as const, displayName: "A" }],
    };
    const storedObjects = async () => [
      await account.db.selectFrom("user_groups").selectAll().execute(),
      await account.db.selectFrom("user_attributes").selectAll().execute(),
    ];
    await createSession(request);
    const first = await storedObjects();
    account.advanceClock(1);
    await createSession(request);
    expect(await storedObjects()).toEqual(first);
  });

  it("generate-session rule 7, duplicates: a name twice in one request is refused", async () => {
    const base = { externalId: "v", creatorMode: true, embedTenantName: "tenant" };
    const [group, attribute] = [{ name: "g" }, { name: "a", type: "string" as const }];
    for (const twice of [
      { groupDefinitions: [group, { ...group, description: "other" }] },
      { userAttributeDefinitions: [attribute, attribute] },
    ]) {
      await expect(createSession({ ...base, ...twice })).rejects.toMatchObject({ code: "invalid" });
    }
    expect(await tenants()).toEqual([]);
  });

  it("embedding that is switched off creates and exchanges nothing, and ends the tokens made so far", async () => {
    const sessionId = await createSession({ externalId: "v" });
    const used = await createSession({ externalId: "v" });
    const { token } = await account.run(exchangeSession, { body: { sessionId: used } });
    await account.changeSettings({ embedding_enabled: 0 });
    const blockedReason = expect.stringContaining("embedding");
    expect(await identify(account.db, account, token)).toMatchObject({ blockedReason });
    const refused = { code: "forbidden" };
    await expect(createSession({ externalId: "v" })).rejects.toMatchObject(refused);
    await expect(account.run(exchangeSession, { body: { sessionId } })).rejects.toMatchObject(
      refused,
    );
  });
});

describe("what a session holds", () => {
  it("generate-session request row securityContext: is stored with the session", async () => {
    const securityContext = { company: 7, nested: { list: [1, null] } };
    await createSession({ externalId: "v", securityContext });
    await createSession({ externalId: "v" });
    const stored = (await sessions()).map((session) => session.security_context);
    expect(stored).toEqual([JSON.stringify(securityContext), null]);
  });

  it("SessionSettings row showDashboardChat: three states are three", async () => {
    await createSession({ externalId: "v" });
    await createSession({ externalId: "v", settings: {} });
    await createSession({ externalId: "v", settings: { showDashboardChat: false } });
    await createSession({ externalId: "v", settings: { showDashboardChat: true } });
    const stored = (await sessions()).map(({ settings }) => settings);
    expect(stored).toEqual([
      null,
      "{}",
      '{"showDashboardChat":false}',
      '{"showDashboardChat":true}',
    ]);
  });

  it("generate-session request row creatorMode: the session is one of creator mode", async () => {
    await createSession({ externalId: "v", creatorMode: true });
    await createSession({ externalId: "v" });
    expect((await sessions()).map((session) => session.creator_mode)).toEqual([1, 0]);
  });

  it("authentication 9: the identifier itself is not stored", async () => {
    const sessionId = await createSession({ externalId: "v" });
    expect(JSON.stringify(await sessions())).not.toContain(sessionId);
  });

  it("UserProfile row picture: is stored with the external user", async () => {
    const picture = "https://example.com/p.png";
    await createSession({ externalId: "v", userProfile: { picture, displayName: "V" } });
    await createSession({ externalId: "v", userProfile: { displayName: "W" } });
    const users = account.db.selectFrom("users").select(["picture", "display_name"]);
    expect(await users.where("external_id", "=", "v").execute()).toEqual([
      { picture, display_name: "W" },
    ]);
  });

  it("generate-session request row embedTenantName: an internal user's session makes no tenant of itself", async () => {
    await createSession({ internalId: "ann" });
    expect(await tenants()).toEqual([]);
    await createSession({ internalId: "ann", embedTenantName: "visited" });
    expect(await tenants()).toEqual(["visited"]);
  });

  it("keeps and shows the display name of an embed tenant", async () => {
    const base = { externalId: "v", embedTenantName: "shown" };
    await createSession({ ...base, embedTenantProfile: { displayName: "Shown Inc." } });
    await createSession({ ...base, embedTenantProfile: {} });
    await createSession(base);
    expect(await account.list(listEmbedTenants, {})).toMatchObject([
      { name: "shown", displayName: "Shown Inc.", userCount: 1 },
    ]);
  });
});

describe("the life of a session", () => {
  const exchange = async (sessionId: string) =>
    (await account.run(exchangeSession, { body: { sessionId } })).token;
  const caller = (token: string) => identify(account.db, account, token);
  const refused = { code: "unauthenticated" };

  it("is exchanged once, and marks the user as seen", async () => {
    const sessionId = await createSession({ externalId: "v", embedTenantName: "tenant" });
    const token = await exchange(sessionId);
    expect(await account.tokens.readEmbedToken(token)).toMatchObject({
      embedTenantName: "tenant",
    });
    const params = { embedTenantName: "tenant" };
    const [user] = await account.list(listEmbedUsers, { params });
    expect(user?.lastLogin).toBe("2026-01-01T00:00:00.000Z");
    await expect(exchange(sessionId)).rejects.toMatchObject(refused);
    await expect(exchange("0".repeat(32))).rejects.toMatchObject(refused);
    await expect(exchange("no session at all")).rejects.toMatchObject(refused);
  });

  it("service item 4: a session that is not exchanged is short-lived", async () => {
    const [early, late] = [
      await createSession({ externalId: "v" }),
      await createSession({ externalId: "v" }),
    ];
    account.advanceClock(limits.sessionSeconds - 1);
    await exchange(early);
    account.advanceClock(1);
    await expect(exchange(late)).rejects.toMatchObject(refused);
  });

  it("errors 401: a token expires after its 24 hours, and loses administrator rights after one", async () => {
    const token = await exchange(await createSession({ internalId: "ann" }));
    account.advanceClock(3599);
    expect(await caller(token)).toMatchObject({ isAdmin: true, credentialType: "embed-token" });
    account.advanceClock(1);
    expect(await caller(token)).toMatchObject({ isAdmin: false, credentialType: "embed-token" });
    account.advanceClock(86_399 - 3600);
    expect(await caller(token)).toMatchObject({ isAdmin: false, credentialType: "embed-token" });
    account.advanceClock(2);
    expect(await caller(token)).toBeUndefined();
  });

  it("client area Other, embed, sessions and tokens: is revoked with its token, and again, and when unknown, without an error", async () => {
    const sessionId = await createSession({ externalId: "v" });
    const token = await exchange(sessionId);
    expect(await caller(token)).toBeDefined();
    await account.run(revokeSession, { body: { sessionId } });
    expect(await caller(token)).toBeUndefined();
    await account.run(revokeSession, { body: { sessionId } });
    await account.run(revokeSession, { body: { sessionId: "f".repeat(32) } });
  });

  it("cannot be exchanged once it is revoked", async () => {
    const sessionId = await createSession({ externalId: "v" });
    await account.run(revokeSession, { body: { sessionId } });
    await expect(exchange(sessionId)).rejects.toMatchObject(refused);
  });

  it("leaves the store when it is over, and not before its token", async () => {
    const used = await exchange(await createSession({ externalId: "v" }));
    await createSession({ externalId: "v" });
    account.advanceClock(limits.sessionSeconds + 1);
    await sweepAll(account.db, account.now());
    expect(await sessions()).toHaveLength(1);
    expect(await caller(used)).toBeDefined();
    account.advanceClock(limits.embedTokenSeconds + 1);
    await sweepAll(account.db, account.now());
    expect(await sessions()).toHaveLength(0);
  });
});

describe("a refused request", () => {
  it("generate-session rule 8: changes nothing anywhere", async () => {
    const base = { externalId: "v", embedTenantName: "tenant", creatorMode: true };
    const string = { name: "a", type: "string" as const };
    await createSession({ ...base, userAttributeDefinitions: [string] });
    const before = await state();
    await expect(
      createSession({
        ...base,
        email: "new@example.com",
        userProfile: { displayName: "New" },
        embedTenantProfile: { displayName: "New" },
        groupDefinitions: [{ name: "new" }],
        userAttributeDefinitions: [
          { name: "b", type: "number" },
          { name: "a", type: "number" },
        ],
      }),
    ).rejects.toMatchObject({ code: "invalid", message: "cannot change type" });
    expect(await state()).toEqual(before);
  });

  it("generate-session request row internalId: an external user's name is not an internal one", async () => {
    const body = { externalId: "outsider" };
    await account.run(provisionEmbedUser, { params: { embedTenantName: "tenant" }, body });
    const before = await state();
    await expect(
      createSession({ internalId: "outsider", embedTenantName: "another" }),
    ).rejects.toMatchObject({ code: "invalid" });
    expect(await state()).toEqual(before);
  });

  async function state(): Promise<unknown> {
    const tables = ["embed_tenants", "users", "user_groups", "user_attributes"] as const;
    const rows = tables.map((table) => account.db.selectFrom(table).selectAll().execute());
    return [await Promise.all(rows), await sessions()];
  }
});
