// Tests a restart of a server on both stores: accounts, secrets and credentials stay valid, and due work is done.
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startJobs } from "../../service/jobs/start.ts";
import { sweep } from "../../service/jobs/sweep.ts";
import type { OpenAccount } from "../../service/server/accounts.ts";
import { openStores } from "../../service/store/open.ts";
import { databaseDigest } from "../support/database-digest.ts";
import {
  type TestResponse,
  type RequestOptions,
  startService,
  type TestService,
} from "../support/test-service.ts";
import { createLastingDatabase, type TestDatabase } from "../support/test-database.ts";

const names = ["first", "second"] as const;
const accounts = {
  host: "svc.test",
  accounts: names.map((name) => ({ name, domains: [`${name}.example`], settings: {} })),
};
const variables = "/api/v1/deployments/1/env-vars";
const exchange = "/api/v1/embed/session/token";

let place: TestDatabase;

beforeEach(async () => {
  place = await createLastingDatabase();
});
afterEach(async () => place.drop());

/** One account of a server, called by one of its hosts. */
interface AccountClient {
  readonly account: OpenAccount;
  readonly send: (method: string, path: string, sending?: RequestOptions) => Promise<TestResponse>;
}

function accountClients(
  service: TestService,
  host: (name: string) => string,
): readonly AccountClient[] {
  return service.accounts.map((account) => ({
    account,
    send: (method, path, sending = {}) =>
      service.send(method, path, {
        key: account.adminKey.reveal(),
        ...sending,
        headers: { host: host(account.name ?? ""), ...sending.headers },
      }),
  }));
}

/** The IDs, keys and tokens of a user when the server stops. */
interface AccountSnapshot {
  readonly adminKey: string;
  readonly digest: unknown;
  readonly created: string;
  readonly key: string;
  readonly token: string;
  readonly sessionId: string;
}

const keyed = { body: { name: "generated" }, headers: { "idempotency-key": "once" } };

async function fillAccount({ account, send }: AccountClient): Promise<AccountSnapshot> {
  const env_variables = [{ name: "REGION", value: `of ${account.name}` }];
  await send("PUT", variables, { body: { env_variables } });
  const { text } = await send("POST", "/api/v1/api-keys", keyed);
  const { token: key } = JSON.parse(text) as { token: string };
  const generated = async (externalId: string): Promise<string> => {
    const body = { deploymentId: 1, externalId };
    const answer = await send("POST", "/api/v1/embed/generate-session", { body });
    return (answer.body as { sessionId: string }).sessionId;
  };
  const body = { sessionId: await generated("visitor") };
  const exchanged = await send("POST", exchange, { key: null, body });
  const { token } = exchanged.body as { token: string };
  const sessionId = await generated("later");
  return {
    adminKey: account.adminKey.reveal(),
    digest: await databaseDigest(account.db),
    created: text,
    key,
    token,
    sessionId,
  };
}

async function expectUnchanged(
  { account, send }: AccountClient,
  held: AccountSnapshot,
): Promise<void> {
  expect(account.adminKey.reveal()).toBe(held.adminKey);
  expect((await send("GET", variables)).body).toMatchObject({
    items: [{ name: "REGION", value: `of ${account.name}` }],
  });
  expect((await send("POST", "/api/v1/api-keys", keyed)).text).toBe(held.created);
  for (const key of [held.key, held.token]) {
    expect((await send("GET", "/api/v1/deployments", { key })).body).toHaveProperty("items");
  }
  const body = { sessionId: held.sessionId };
  const exchanged = await send("POST", exchange, { key: null, body });
  expect(exchanged.body).toHaveProperty("token");
}

/** Queues work while no server runs: each account has an expired session, and the job that deletes it is almost due. */
async function enqueueDueWork(): Promise<void> {
  const stores = await openStores(place.data);
  const open = names.map(async (name) => {
    const at = { folder: join(place.data, name), schema: `svc_${name}` };
    return [name, await stores.open(at)] as const;
  });
  const opened = await Promise.all(open);
  const jobs = await startJobs(
    {
      database: stores.database,
      schema: "svc_jobs",
      accounts: new Map(opened.map(([name, { db }]) => [name, db])),
    },
    { jobs: [sweep], watch: { failed: () => undefined, ended: () => undefined }, pollMs: 60_000 },
  );
  for (const [account, { db }] of opened) {
    const newest = db.selectFrom("embed_sessions").select((eb) => eb.fn.max("id").as("id"));
    const over = db.updateTable("embed_sessions").set({ expires_at: "2001-01-01T00:00:00.000Z" });
    await over.where("id", "=", newest).execute();
    await jobs.enqueue({ account, name: sweep.name, at: new Date(Date.now() + 50) });
  }
  await jobs.stop();
  for (const [, store] of opened) await store.close();
  await stores.close();
}

it("keeps all data and credentials of every account, and runs the jobs that are due", async () => {
  const started = (): Promise<TestService> => startService({ ...place, accounts });
  const before = await started();
  const held = await Promise.all(
    accountClients(before, (name) => `${name}.svc.test`).map(fillAccount),
  );
  await before.close();

  const after = await started();
  const sides = accountClients(after, (name) => `${name}.example`);
  for (const [at, { digest: was }] of held.entries()) {
    expect(await databaseDigest(sides[at]?.account.db as OpenAccount["db"])).toEqual(was);
  }
  await Promise.all(sides.map((side, at) => expectUnchanged(side, held[at] as AccountSnapshot)));
  await after.close();

  await enqueueDueWork();
  const working = await startService({ ...place, accounts, jobs: true });
  for (const { account } of accountClients(working, () => "")) {
    await vi.waitFor(
      async () => {
        const left = await account.db.selectFrom("embed_sessions").select("expires_at").execute();
        expect(left.filter(({ expires_at }) => expires_at < "2002")).toEqual([]);
        expect(left).toHaveLength(1);
      },
      { timeout: 60_000, interval: 50 },
    );
  }
  await working.close();
});
