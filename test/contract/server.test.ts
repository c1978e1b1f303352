// Tests starting and stopping a server: the files in its folder, who may use it, and where it may listen.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from "../../service/server/server.ts";

let data: string;
const running: RunningServer[] = [];

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "svc-server-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  rmSync(data, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ data, ...options });
  running.push(server);
  return server;
}

async function get(server: RunningServer, path: string, key = server.adminKey.reveal()) {
  const answer = await request(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
}

describe("a server", () => {
  it("begins with an administrator, regions and a first deployment", async () => {
    const server = await start();
    expect((await get(server, "/api/v1/users/me")).body).toMatchObject({ isAdmin: true });
    expect((await get(server, "/api/v1/deployments")).body).toMatchObject({
      items: [{ id: 1, name: "main" }],
    });
    const { items } = (await get(server, "/api/v1/regions")).body as { items: unknown[] };
    expect(items.length).toBeGreaterThan(1);
  });

  it("keeps everything over a restart, the operator's key and embed tokens included", async () => {
    const first = await start();
    await request(`${first.url}/api/v1/user-groups`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${first.adminKey.reveal()}`,
        "content-type": "application/json",
      },
      body: '{"name":"kept"}',
    }).then(({ body }) => body.dump());
    const secret = readFileSync(join(data, "secret.key"), "utf8");
    await first.close();
    const second = await start();
    expect(second.adminKey.reveal()).toBe(first.adminKey.reveal());
    expect(readFileSync(join(data, "secret.key"), "utf8")).toBe(secret);
    expect((await get(second, "/api/v1/user-groups")).body).toMatchObject({
      items: [{ name: "kept" }],
    });
  });

  it("lets only its owner read its files, and stores no secret in the database", async () => {
    const server = await start();
    for (const file of ["account.db", "lock.db", "secret.key", "admin-key.json"]) {
      expect([file, statSync(join(data, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    const key = server.adminKey.reveal();
    await server.close();
    const stored = readFileSync(join(data, "account.db")).toString("latin1");
    expect(stored).not.toContain(key.slice(10));
  });

  it("makes a new operator's key where the old one is lost or deleted, and drops the old one", async () => {
    const first = await start();
    await first.close();
    rmSync(join(data, "admin-key.json"));
    const second = await start();
    expect(second.adminKey.reveal()).not.toBe(first.adminKey.reveal());
    expect((await get(second, "/api/v1/users/me", first.adminKey.reveal())).status).toBe(401);
    await second.close();
    writeFileSync(join(data, "admin-key.json"), '{"apiKey":');
    const third = await start();
    expect((await get(third, "/api/v1/users/me")).status).toBe(200);
  });

  it("is alone on its folder, until it stops", async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({ code: "locked" });
    await first.close();
    await expect(start()).resolves.toBeDefined();
  });

  it("refuses a database that is not one, or of a newer version", async () => {
    writeFileSync(join(data, "account.db"), "not a database at all, but long enough to be read");
    await expect(start()).rejects.toMatchObject({ code: "corrupt" });
    rmSync(join(data, "account.db"));
    await (await start()).close();
    const database = new Sqlite(join(data, "account.db"));
    database.exec("insert into migrations (name, timestamp) values ('9999-future', '2999')");
    database.close();
    await expect(start()).rejects.toMatchObject({ code: "corrupt" });
  });

  it("rejects an incomplete key", async () => {
    await (await start()).close();
    writeFileSync(join(data, "secret.key"), "short");
    await expect(start()).rejects.toMatchObject({ code: "corrupt" });
  });

  it.each([
    ["an empty database", "account.db", () => writeFileSync(join(data, "account.db"), "")],
    ["no database", "account.db", () => rmSync(join(data, "account.db"))],
    ["no secret key", "secret.key", () => rmSync(join(data, "secret.key"))],
  ])("rejects a used folder with %s, and changes nothing", async (_, file, damage) => {
    await (await start()).close();
    damage();
    const before = readdirSync(data).toSorted();
    await expect(start()).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(`${file} is missing or empty`),
    });
    expect(readdirSync(data).toSorted()).toEqual(before);
  });

  it.each([
    ["a table of another program", "cannot be migrated", addTable],
    ["another format", "damaged or not an SQLite file", () => overwrite(Buffer.of(0, 0, 0, 9), 44)],
    ["damaged users", "is damaged", (db: Sqlite.Database) => damageTable(db, "users")],
    ["damaged migrations", "is damaged", (db: Sqlite.Database) => damageTable(db, "migrations")],
  ])("says of a database with %s that it %s", async (_, message, damage) => {
    await (await start()).close();
    const db = new Sqlite(join(data, "account.db"));
    db.pragma("journal_mode = DELETE");
    damage(db);
    db.close();
    await expect(start()).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(message),
      remedy: expect.stringMatching(/backup/),
    });
  });

  function overwrite(bytes: Buffer, at: number): void {
    const path = join(data, "account.db");
    const content = readFileSync(path);
    bytes.copy(content, at);
    writeFileSync(path, content);
  }

  /** Leaves a table of the first migration without a record of that migration. */
  function addTable(db: Sqlite.Database): void {
    db.exec("delete from migrations");
  }

  function damageTable(db: Sqlite.Database, table: string): void {
    const pageSize = db.pragma("page_size", { simple: true }) as number;
    const find = db.prepare("select rootpage from sqlite_master where name = ?").pluck();
    overwrite(Buffer.alloc(pageSize, 0xee), ((find.get(table) as number) - 1) * pageSize);
  }

  it("rejects the secret key of another account, and the database of another one", async () => {
    await (await start()).close();
    const other = mkdtempSync(join(tmpdir(), "svc-server-"));
    try {
      await (await start({ data: other })).close();
      copyFileSync(join(other, "secret.key"), join(data, "secret.key"));
      await expect(start()).rejects.toMatchObject({ code: "refused" });
      copyFileSync(join(data, "account.db"), join(other, "account.db"));
      await expect(start({ data: other })).rejects.toMatchObject({ code: "refused" });
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it("continues a first start that was interrupted", async () => {
    writeFileSync(join(data, "initializing"), "");
    writeFileSync(join(data, "secret.key"), `${"k".repeat(43)}\n`);
    await (await start()).close();
    expect(readdirSync(data)).not.toContain("initializing");
    await expect(start()).resolves.toBeDefined();
  });

  it("creates no account where one must exist", async () => {
    await expect(start({ existing: true })).rejects.toMatchObject({ code: "refused" });
    expect(readdirSync(data)).toEqual([]);
    await (await start()).close();
    await expect(start({ existing: true })).resolves.toBeDefined();
  });

  it("creates no account beside the folders of several accounts", async () => {
    const names = ["acme-inc", "northwind"];
    const accounts = names.map((name) => ({ name, domains: [], settings: {} }));
    await (await start({ accounts: { host: "svc.test", accounts } })).close();
    await expect(start()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("acme-inc, northwind"),
      remedy: expect.stringContaining("--accounts"),
    });
    expect(readdirSync(data)).toEqual(names);
  });

  it("says what is wrong with a folder that cannot be used", async () => {
    const file = join(data, "file");
    writeFileSync(file, "");
    chmodSync(file, 0o600);
    for (const existing of [true, false]) {
      await expect(start({ data: join(file, "below"), existing })).rejects.toMatchObject({
        code: existing ? "refused" : "unavailable",
      });
    }
    await expect(start({ data: file })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("a part of its path is not a folder"),
    });
  });

  it("reports immediately a folder that the kernel does not let it create", async () => {
    await expect(start({ data: "/proc/svc-data/below" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("/proc/svc-data/below"),
    });
  });

  it.each(["127.0.0.999", "0.0.0.0", "192.168.1.1", "example.com", "::"])(
    "service only HTTPS: plain HTTP is served on loopback only, and not on %s",
    async (host) => {
      await expect(start({ host })).rejects.toMatchObject({ code: "refused" });
    },
  );

  it("reports a port that is in use, and creates no account", async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    const other = join(data, "other");
    await expect(start({ data: other, port })).rejects.toMatchObject({
      code: "unavailable",
      message: `cannot listen on 127.0.0.1 port ${port}: another process uses this address`,
      remedy: expect.stringContaining("--port"),
    });
    expect(existsSync(other)).toBe(false);
    await expect(start({ data: other })).resolves.toBeDefined();
  });

  it.each([
    { name: "Bad Name" },
    { name: "abcd" },
    { externalUserLimit: -1 },
    { externalUserLimit: 2 ** 31 },
  ])("refuses the account setting %j", async (account) => {
    await expect(start({ account })).rejects.toMatchObject({ code: "usage" });
  });

  it("keeps an account's settings that a later start does not mention", async () => {
    await (await start({ account: { useCreatorMode: false, externalUserLimit: 7 } })).close();
    const { db } = await start({ account: { name: "other-name" } });
    const account = await db.selectFrom("account").selectAll().executeTakeFirst();
    expect(account).toMatchObject({
      name: "other-name",
      use_creator_mode: 0,
      external_user_limit: 7,
    });
  });

  it("can be stopped twice", async () => {
    const server = await start();
    await Promise.all([server.close(), server.close()]);
    await server.close();
  });
});
