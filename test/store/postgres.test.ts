// Tests a server whose database ends connections, rolls back transactions, is replaced by another one, or is not usable.
import { randomBytes } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWorkbook } from "../../api/workbooks.ts";
import { createClient } from "../../client/client.ts";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { postgresBackend } from "../../reconciler/inventory/postgres.ts";
import {
  backupDatabaseAccount,
  restoreDatabaseAccount,
} from "../../service/maintenance/database-backup.ts";
import { type ServerOptions, startServer } from "../../service/server/server.ts";
import { lockKey } from "../../service/store/postgres-dialect.ts";
import type { Db } from "../../service/store/schema.ts";
import { inSnapshot, inTransaction } from "../../service/store/transaction.ts";
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts";
import { databaseUrl } from "../support/postgres-server.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  createTestDatabase,
  queryServer,
  openTestDatabase,
  type OpenTestDatabase,
  type TestDatabase,
} from "../support/test-database.ts";

let place: TestDatabase;

beforeEach(async () => {
  place = await createTestDatabase();
});
afterEach(async () => place.drop());

/** Ends every connection of servers to the database, and returns their number. */
async function endConnections(): Promise<number> {
  const ended = await queryServer(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'svc'`,
    place,
  );
  return ended.length;
}

describe("a server whose role may have few connections", () => {
  const role = `few_${randomBytes(6).toString("hex")}`;
  let url: URL;
  const groups = "/api/v1/user-groups";

  beforeEach(async () => {
    url = new URL(place.data);
    await queryServer(`create role ${role} login password 'few' connection limit 5`);
    await queryServer(`alter database ${url.pathname.slice(1)} owner to ${role}`);
    [url.username, url.password] = [role, "few"];
  });
  afterEach(async () => {
    await place.drop();
    await queryServer(`drop role ${role}`);
  });

  /** Sends requests that read and write, and returns their different statuses and messages. */
  async function answers(service: TestService): Promise<readonly unknown[]> {
    const sent = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0
        ? service.send("GET", groups)
        : service.send("POST", groups, { body: { name: `group ${at}` } }),
    );
    const found = (await Promise.all(sent)).map(({ status, body }) =>
      JSON.stringify(status < 300 ? "done" : [status, body]),
    );
    return [...new Set(found)];
  }

  it("lets requests wait for them", async () => {
    const service = await startService({ ...place, data: url.href, schema: "few" });
    expect(await answers(service)).toEqual(['"done"']);
    await service.close();
  });

  it("has no more than it is given, also with a role that may have more", async () => {
    await queryServer(`alter role ${role} connection limit -1`);
    const service = await startService({
      ...place,
      data: url.href,
      schema: "few",
      databaseConnections: 3,
    });
    expect(await answers(service)).toEqual(['"done"']);
    const open = "select pid from pg_stat_activity where application_name = 'svc'";
    expect((await queryServer(`${open} and usename = '${role}'`)).length).toBeLessThanOrEqual(3);
    await service.close();
  });

  it("says that others have all connections", async () => {
    const service = await startService({ ...place, data: url.href, schema: "few" });
    await queryServer(`alter role ${role} connection limit 0`);
    await endConnections();
    const message = /accepts no more connections.*--database-connections/;
    // The first requests may still get a connection that was ended.
    await vi.waitFor(async () => {
      const { status, body } = await service.send("GET", groups);
      expect([status, body]).toMatchObject([503, { message: expect.stringMatching(message) }]);
    }, 30_000);
    await queryServer(`alter role ${role} connection limit 5`);
    await vi.waitFor(
      async () => expect((await service.send("GET", groups)).status).toBe(200),
      10_000,
    );
    await service.close();
  });
});

describe("a server whose connections end", () => {
  let service: TestService;
  const groups = "/api/v1/user-groups";

  beforeEach(async () => {
    service = await startService(place);
  });
  afterEach(async () => service.close());

  it("says in the middle of a write that the store is unavailable, keeps nothing of it, and keeps serving", async () => {
    const holder = new Client({ connectionString: place.data });
    await holder.connect();
    await holder.query(`select pg_advisory_lock(${lockKey("write svc")})`);
    const sent = service.send("POST", groups, { body: { name: "interrupted" } });
    const waiting = `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitFor(async () => expect(await queryServer(waiting, place)).toHaveLength(1));
    expect(await endConnections()).toBeGreaterThan(0);
    const answer = await sent;
    await holder.end();
    expect([answer.status, answer.body]).toMatchObject([503, { code: "unavailable" }]);
    expect(answer.headers["retry-after"]).toBe("1");
    expect((await service.send("GET", groups)).body).toMatchObject({ items: [] });
    expect((await service.send("POST", groups, { body: { name: "interrupted" } })).status).toBe(
      200,
    );
  });

  it("answers the next request if the connections were idle", async () => {
    await Promise.all(Array.from({ length: 10 }, () => service.send("GET", groups)));
    expect(await endConnections()).toBeGreaterThan(0);
    await vi.waitFor(async () => expect((await service.send("GET", groups)).status).toBe(200));
    expect((await service.send("POST", groups, { body: { name: "g" } })).status).toBe(200);
  });
});

describe("a commit whose answer is lost", () => {
  let proxy: PostgresProxy;
  const stops: (() => Promise<void>)[] = [];
  const path = "/api/v1/deployments/1/workbooks";
  const names = async () =>
    queryServer("select name from svc.workbooks where name = 'lost'", place) as Promise<object[]>;

  beforeEach(async () => {
    proxy = await startPostgresProxy(place.data);
    stops.push(() => proxy.close());
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  async function started(options: Partial<ServerOptions> = {}): Promise<TestService> {
    const service = await startService({ ...place, data: proxy.url, ...options });
    stops.push(() => service.close());
    return service;
  }

  it("is reported as one that may have been done, without a time to repeat it", async () => {
    const service = await started();
    proxy.dropCommitResponse();
    const sending = { body: { name: "lost" }, headers: { "idempotency-key": '"the-same"' } };
    const answer = await service.send("POST", path, sending);
    expect([answer.status, answer.body]).toMatchObject([
      500,
      { message: expect.stringMatching(/may or may not/) },
    ]);
    expect(answer.headers["retry-after"]).toBeUndefined();
    expect([proxy.lostCommits, await names()]).toEqual([1, [{ name: "lost" }]]);
    // With its idempotency key, the request can be repeated and gets the original answer.
    const again = await service.send("POST", path, sending);
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, "true"]);
    expect(await names()).toHaveLength(1);
  });

  it.each(["full", "public"] as const)(
    "does not make a client write twice on the %s surface",
    async (surface) => {
      const service = await started({ surface });
      const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
      stops.push(() => client.close());
      await client.discoverApi();
      proxy.dropCommitResponse();
      const creation = client.call(createWorkbook, {
        params: { deploymentId: 1 },
        body: { name: "lost" },
      });
      if (surface === "full") expect(await creation).toMatchObject({ name: "lost" });
      else await expect(creation).rejects.toMatchObject({ code: "unknown_outcome" });
      expect([proxy.lostCommits, await names()]).toEqual([1, [{ name: "lost" }]]);
    },
  );

  it("of a snapshot that only reads may be asked again", async () => {
    const stores = await openTestDatabase({ ...place, data: proxy.url });
    stops.push(() => stores.close());
    proxy.dropCommitResponse();
    const read = inSnapshot(stores.db, (snapshot) =>
      snapshot.selectFrom("regions").select("id").execute(),
    );
    await expect(read).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect(proxy.lostCommits).toBe(1);
  });
});

describe("a transaction that the database undoes", () => {
  let store: OpenTestDatabase;

  beforeEach(async () => {
    store = await openTestDatabase(place);
  });
  afterEach(async () => store.close());

  const add = (tx: Db, name: string) =>
    tx.insertInto("regions").values({ name, is_public: 1 }).execute();
  const names = async () =>
    (await store.db.selectFrom("regions").select("name").orderBy("name").execute()).map(
      ({ name }) => name,
    );

  it("because of another one is run again, and leaves nothing of the first time", async () => {
    let attempts = 0;
    await inTransaction(store.db, async (tx) => {
      await add(tx, `attempt ${++attempts}`);
      if (attempts === 1)
        await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
    });
    expect([attempts, await names()]).toEqual([2, ["attempt 2"]]);
  });

  it("in a deadlock is run again once the other is through", async () => {
    await Promise.all(["a", "b"].map((name) => add(store.db, name)));
    const other = new Client({ connectionString: place.data, options: "-c deadlock_timeout=60s" });
    await other.connect();
    const touch = (name: string) =>
      `update svc.regions set is_public = is_public + 1 where name = '${name}'`;
    let attempts = 0;
    let through: Promise<unknown> | undefined;
    await inTransaction(store.db, async (tx) => {
      const mine = (name: string) => sql.raw(touch(name)).execute(tx);
      if (++attempts === 1) {
        await other.query(`begin; ${touch("b")}`);
        await mine("a");
        through = other.query(`${touch("a")}; commit`);
      }
      await mine("a");
      await mine("b");
    });
    await through;
    await other.end();
    const shown = await store.db.selectFrom("regions").select("is_public").execute();
    expect(shown).toEqual([{ is_public: 3 }, { is_public: 3 }]);
    // On a busy machine, the other transaction may still hold its locks during the second attempt.
    expect(attempts).toBeGreaterThan(1);
  });

  it("fails after the last attempt", async () => {
    let attempts = 0;
    const work = inTransaction(store.db, async (tx) => {
      attempts++;
      await sql`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx);
    });
    await expect(work).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect(attempts).toBe(5);
  });
});

describe("a database that becomes read-only, as after a failover", () => {
  const groups = "/api/v1/user-groups";
  const create = (service: TestService, name: string) =>
    service.send("POST", groups, { body: { name } });

  it("makes the server unready and refuses writes until it is writable again, while reads succeed", async () => {
    let time = 0;
    const service = await startService({ ...place, monotonicNow: () => time });
    const database = new URL(place.data).pathname.slice(1);
    const setReadOnly = async (value: "on" | "off"): Promise<void> => {
      await queryServer(`alter database ${database} set default_transaction_read_only = ${value}`);
      // The setting holds for new sessions.
      await endConnections();
      time += limits.probeMs;
    };
    const ready = () => service.send("GET", "/readyz", { key: null });
    try {
      expect((await create(service, "before")).status).toBe(200);
      await setReadOnly("on");
      expect((await ready()).status).toBe(503);
      const refused = await create(service, "meanwhile");
      expect([refused.status, refused.body]).toMatchObject([
        503,
        { code: "unavailable", error: expect.stringContaining("read-only") },
      ]);
      expect(refused.headers["retry-after"]).toBe("1");
      const read = await service.send("GET", groups);
      expect(read.body).toMatchObject({ items: [{ name: "before" }] });
      await setReadOnly("off");
      expect((await ready()).status).toBe(200);
      expect((await create(service, "after")).status).toBe(200);
    } finally {
      await service.close();
    }
  });
});

describe("an inventory in a database whose connection is lost", () => {
  it("has what was appended, written and stored meanwhile, once", async () => {
    const proxy = await startPostgresProxy(place.data);
    const backend = postgresBackend(new Secret(proxy.url), "shop");
    const id = "mine";
    const acquiredAt = new Date().toISOString();
    await backend.lock.acquire({ id, holder: "test", purpose: "apply", acquiredAt });
    proxy.dropResponse("insert into svc_inventory_journal");
    expect(await backend.append(id, { position: 0, text: "1\n2\n" })).toBe(true);
    expect(await backend.load()).toMatchObject({ journal: "1\n2\n" });
    proxy.dropResponse("set content");
    expect(await backend.replace(id, ["{}"])).toBe(true);
    expect(await backend.load()).toMatchObject({ journal: "", content: {} });
    expect(proxy.lostCommits).toBe(2);
    // Another holder's write is refused, not repeated.
    expect(await backend.append("other", { position: 0, text: "3" })).toBe(false);
    await backend.close();
    await proxy.close();
  });
});

describe("the accounts of a database", () => {
  let folder: string;
  const started = (options: object = {}) => startServer({ ...place, jobs: false, ...options });
  const accounts = {
    host: "svc.test",
    accounts: ["first", "second"].map((name) => ({ name, domains: [], settings: {} })),
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-postgres-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("keep their keys over a restart, each one of its own", async () => {
    const before = await started({ accounts });
    const keys = before.accounts.map(({ adminKey }) => adminKey.reveal());
    await before.close();
    const after = await started({ accounts });
    expect(after.accounts.map(({ adminKey }) => adminKey.reveal())).toEqual(keys);
    expect(new Set(keys).size).toBe(2);
    await after.close();
  });

  it("are refused without the accounts file, and no further account is created", async () => {
    await queryServer("drop schema if exists svc cascade", place);
    await (await started({ accounts })).close();
    await expect(started()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("svc_first, svc_second"),
      remedy: expect.stringContaining("--accounts"),
    });
    expect(await queryServer("select 1 from pg_namespace where nspname = 'svc'", place)).toEqual(
      [],
    );
    // A named schema is created, and its account is the single account of later starts.
    await (await started({ schema: "svc" })).close();
    expect((await started()).accounts).toHaveLength(1);
  });

  it("share the connections of the server, and each asks its own tables", async () => {
    const server = await started({ accounts });
    const name = (db: Db) => db.selectFrom("account").select("name").executeTakeFirstOrThrow();
    const pooled = Array.from({ length: 50 }, () => server.accounts).flat();
    const reported = await Promise.all(pooled.map(({ db }) => name(db)));
    expect(reported).toEqual(pooled.map((one) => ({ name: one.name })));
    const [count] = await queryServer(
      `select count(*)::int as open from pg_stat_activity
        where datname = current_database() and application_name = 'svc'`,
      place,
    );
    expect(count).toEqual({ open: expect.toSatisfy((open: number) => open <= 20) });
    await server.close();
  });

  it("are refused to a server with another secret key, and nothing changes", async () => {
    const first = await started();
    const key = first.adminKey.reveal();
    await first.close();
    const other = { secretKeyFile: join(folder, "other.key") };
    await expect(started(other)).rejects.toMatchObject({ code: "refused" });
    const again = await started();
    expect(again.adminKey.reveal()).toBe(key);
    await again.close();
  });

  it("are not replaced by an empty one where the key has opened one before, until a backup is restored", async () => {
    const secretKeyFile = join(folder, "own.key");
    const first = await started({ secretKeyFile });
    await first.close();
    const account = { database: place.data, schema: "svc", keyFile: secretKeyFile };
    await backupDatabaseAccount(account, join(folder, "backup"));
    await queryServer("drop schema svc cascade", place);
    const schemas = "select 1 from pg_namespace where nspname = 'svc'";
    await expect(started({ secretKeyFile })).rejects.toMatchObject({
      code: "refused",
      message: expect.stringMatching(/no account in the schema svc, but .*own\.key has opened one/),
      remedy: expect.stringMatching(/svc admin restore.*--secret-key-file/),
    });
    expect(await queryServer(schemas, place)).toEqual([]);
    await restoreDatabaseAccount(join(folder, "backup"), account);
    const restored = await started({ secretKeyFile });
    await restored.close();
  });

  it("are refused where their tables are empty, also after the key was rotated", async () => {
    const secretKeyFile = join(folder, "own.key");
    await (await started({ secretKeyFile })).close();
    const [old = ""] = readFileSync(secretKeyFile, "utf8").split("\n");
    writeFileSync(secretKeyFile, `${"A".repeat(43)}\n${old}\n`);
    await queryServer("delete from svc.account", place);
    await expect(started({ secretKeyFile })).rejects.toMatchObject({ code: "refused" });
    expect(await queryServer("select 1 from svc.account", place)).toEqual([]);
  });

  it("can be created in another schema, and with another key in a schema that was lost", async () => {
    const secretKeyFile = join(folder, "own.key");
    await (await started({ secretKeyFile })).close();
    await (await started({ secretKeyFile, schema: "svc_more" })).close();
    await queryServer("drop schema svc cascade", place);
    const next = { secretKeyFile: join(folder, "next.key"), schema: "svc" };
    await (await started(next)).close();
    expect(readdirSync(folder).toSorted()).toEqual([
      "next.key",
      "next.key.accounts",
      "own.key",
      "own.key.accounts",
    ]);
  });

  it("are served where the list beside the key cannot be written, as with a mounted key", async () => {
    const secretKeyFile = join(folder, "own.key");
    symlinkSync(join(folder, "missing", "list"), `${secretKeyFile}.accounts`);
    const server = await started({ secretKeyFile });
    expect(server.accounts).toHaveLength(1);
    await server.close();
  });

  it("get another operator's key with the next start where theirs was deleted", async () => {
    const service = await startService(place);
    const { body } = await service.send("GET", "/api/v1/api-keys");
    const [{ id } = { id: 0 }] = (body as { items: { id: number }[] }).items;
    const other = await service.key({ admin: true });
    expect((await service.send("DELETE", `/api/v1/api-keys/${id}`)).status).toBeLessThan(300);
    expect((await service.send("GET", "/api/v1/api-keys")).status).toBe(401);
    await service.close();
    const next = await startService(place);
    expect(next.adminKey).not.toBe(service.adminKey);
    expect(next.adminKey).not.toBe(other);
    expect((await next.send("GET", "/api/v1/api-keys")).status).toBe(200);
    await next.close();
  });
});

describe("a database that cannot hold every text", () => {
  it.each([
    ["LATIN1", "C", /its encoding is LATIN1/],
    ["UTF8", "C", /supports ASCII only/],
  ])("is refused: %s, %s", async (encoding, locale, why) => {
    const name = `test_${randomBytes(6).toString("hex")}`;
    const encodingOptions = `encoding '${encoding}' locale '${locale}' template template0`;
    await queryServer(`create database ${name} ${encodingOptions}`);
    try {
      const data = databaseUrl(place.data, name);
      const opened = startServer({ ...place, data });
      await expect(opened).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(why),
      });
    } finally {
      await queryServer(`drop database ${name}`);
    }
  });
});
