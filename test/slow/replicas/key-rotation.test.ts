// Tests rotating the shared key of the servers of a database: every account, killed at any moment, and with running servers.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  rotateDatabaseKey,
  type DatabaseRotationResult,
} from "../../../service/maintenance/database-key-rotation.ts";
import { type RunningServer, startServer } from "../../../service/server/server.ts";
import { sealedColumns } from "../../../service/security/sealed-columns.ts";
import { spawnSvc, svcProgram } from "../../support/svc-program.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { createTestDatabase, queryServer, type TestDatabase } from "../../support/test-database.ts";

const variables = "/api/v1/deployments/1/env-vars";
const count = 250;
let place: TestDatabase;
let folder: string;
let keyFile: string;

// The first file that needs the packages bundles them.
beforeAll(() => svcProgram());

beforeEach(async () => {
  place = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "svc-rotate-"));
  keyFile = join(folder, "secret.key");
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await place.drop();
});

const startWithKey = (secretKeyFile = keyFile): Promise<TestService> =>
  startService({ data: place.data, secretKeyFile });
const keys = (): string[] => readFileSync(keyFile, "utf8").trim().split("\n");

/** Rotates the key once the database has detected that the earlier servers are gone. */
async function rotateKey(endTokens = false): Promise<DatabaseRotationResult> {
  await waitForDisconnect();
  return rotateDatabaseKey({ database: place.data, keyFile }, { endTokens });
}

async function waitForDisconnect(): Promise<void> {
  for (let left = 1; left > 0;) {
    const rows = await queryServer(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'svc'",
      place,
    );
    left = rows.length;
  }
}

async function withServer<T>(work: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startWithKey();
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

const texts = Array.from({ length: count }, (_, at) => `value ${at}`);
const keyed = { body: { name: "generated" }, headers: { "idempotency-key": "k" } };

/** Creates more values than a batch, a recorded generated secret, and an embed token. */
const fillAccount = () =>
  withServer(async (service) => {
    const env_variables = texts.map((value, at) => ({ name: `V_${at}`, value }));
    await service.send("PUT", variables, { body: { env_variables } });
    const { text } = await service.send("POST", "/api/v1/user-groups", keyed);
    const { body } = await service.send("POST", "/api/v1/embed/generate-session", {
      body: { deploymentId: 1, externalId: "visitor" },
    });
    const { sessionId } = body as { sessionId: string };
    const taken = await service.send("POST", "/api/v1/embed/session/token", {
      key: null,
      body: { sessionId },
    });
    const { token } = taken.body as { token: string };
    return { generated: text, token, adminKey: service.adminKey };
  });

async function valuesOf(service: TestService): Promise<readonly string[]> {
  const { body } = await service.send("GET", `${variables}?first=1000`);
  return (body as { items: { value: string }[] }).items.toReversed().map(({ value }) => value);
}

describe("a rotation", () => {
  it("encrypts everything again, replaces the operator's key, and keeps tokens valid until the next rotation", async () => {
    const { token, adminKey } = await fillAccount();
    const [first] = keys();
    expect(await rotateKey()).toMatchObject({
      isNewKey: true,
      resealed: count + 1,
      schemas: ["svc"],
      skippedSchemas: [],
    });
    expect(keys()[1]).toBe(first);
    await withServer(async (service) => {
      expect(await valuesOf(service)).toEqual(texts);
      expect(service.adminKey).not.toBe(adminKey);
      const path = "/api/v1/user-groups";
      expect((await service.send("GET", path, { key: adminKey })).status).toBe(401);
      expect((await service.send("GET", "/api/v1/deployments", { key: token })).status).toBe(200);
      const prefix = sql<{ prefix: string }>`select distinct substr(sealed_value, 1, 12) as prefix
        from deployment_variables`;
      expect((await prefix.execute(service.db)).rows).toHaveLength(1);
    });
    expect(await rotateKey(true)).toMatchObject({ isNewKey: true });
    expect(keys()).toHaveLength(1);
    await withServer(async (service) => {
      expect(await valuesOf(service)).toEqual(texts);
      expect((await service.send("GET", "/api/v1/deployments", { key: token })).status).toBe(401);
    });
  });

  it("re-encrypts every account under the key, each with a key of its own, and leaves those under another", async () => {
    const accounts = {
      host: "svc.test",
      accounts: ["first", "second-one"].map((name) => ({ name, domains: [], settings: {} })),
    };
    const serving = (): Promise<RunningServer> =>
      startServer({ data: place.data, secretKeyFile: keyFile, accounts, jobs: false });
    const before = await serving();
    const known = before.accounts.map(({ adminKey }) => adminKey.reveal());
    await before.close();
    const other = { data: place.data, schema: "svc_other", secretKeyFile: join(folder, "other") };
    const beside = await startService(other);
    await beside.close();
    expect(await rotateKey(true)).toMatchObject({
      isNewKey: true,
      schemas: ["svc_first", "svc_second_one"],
      skippedSchemas: expect.arrayContaining(["svc_other"]) as string[],
    });
    const after = await serving();
    const newKeys = after.accounts.map(({ adminKey }) => adminKey.reveal());
    expect(new Set([...known, ...newKeys]).size).toBe(4);
    await after.close();
    const still = await startService(other);
    expect(still.adminKey).toBe(beside.adminKey);
    await still.close();
  });

  it("may be killed at any moment and run again", { timeout: 60_000 }, async () => {
    await fillAccount();
    await waitForDisconnect();
    const rotating = () =>
      spawnSvc(["admin", "rotate-key", "--secret-key-file", keyFile], {
        env: { ...process.env, SVC_DATABASE_URL: place.data },
        stdio: ["ignore", "ignore", "inherit"],
      });
    const whole = await rotating();
    const from = performance.now();
    expect(await once(whole, "exit")).toEqual([0, null]);
    const took = performance.now() - from;
    for (const part of [0.75, 0.9]) {
      const child = await rotating();
      const ended = once(child, "exit");
      await pause(took * part);
      child.kill("SIGKILL");
      await ended;
      expect(keys().length).toBeLessThanOrEqual(2);
      await withServer(async (service) => expect(await valuesOf(service)).toEqual(texts));
      await waitForDisconnect();
    }
    await rotateKey(true);
    await withServer(async (service) => expect(await valuesOf(service)).toEqual(texts));
  });

  it("is finished where it was stopped after the new key was written, before it makes another", async () => {
    await fillAccount();
    const [old = ""] = keys();
    writeFileSync(keyFile, `${"A".repeat(43)}\n${old}\n`);
    expect(await rotateKey()).toMatchObject({ isNewKey: false, resealed: count + 1 });
    expect(keys()).toEqual(["A".repeat(43), old]);
    await withServer(async (service) => expect(await valuesOf(service)).toEqual(texts));
  });

  it("is refused while a server is connected, and without a key that opens anything", async () => {
    await fillAccount();
    const before = keys();
    await withServer(async () => {
      const rotating = rotateDatabaseKey({ database: place.data, keyFile });
      await expect(rotating).rejects.toMatchObject({ code: "locked" });
    });
    await waitForDisconnect();
    const stranger = join(folder, "stranger");
    const rotating = (file: string) => rotateDatabaseKey({ database: place.data, keyFile: file });
    await expect(rotating(stranger)).rejects.toMatchObject({ code: "usage" });
    writeFileSync(stranger, `${"A".repeat(43)}\n`);
    await expect(rotating(stranger)).rejects.toMatchObject({ code: "usage" });
    expect(readFileSync(stranger, "utf8")).toBe(`${"A".repeat(43)}\n`);
    expect(keys()).toEqual(before);
  });

  it("knows every column that holds something sealed", async () => {
    const columns = await withServer(async ({ db }) => {
      const { rows } = await sql<{ name: string }>`
        select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'svc' and column_name like 'sealed%' order by 1`.execute(db);
      return rows.map(({ name }) => name);
    });
    expect(columns).toEqual([...sealedColumns].toSorted());
  });
});

describe("a server that knows the old key only", () => {
  it("writes nothing once another has started with the new one, and is refused when it starts again", async () => {
    const old = await startWithKey();
    const oldFile = join(folder, "old.key");
    writeFileSync(oldFile, readFileSync(keyFile));
    const group = (name: string) => ({ body: { name } });
    expect((await old.send("POST", "/api/v1/user-groups", group("before"))).status).toBe(200);
    writeFileSync(keyFile, `${"A".repeat(43)}\n${keys()[0]}\n`);
    const next = await startWithKey();
    // The operator's key has changed, even for the server that did not create it.
    const damaged = await old.send("POST", "/api/v1/user-groups", {
      ...group("interrupted"),
      key: next.adminKey,
    });
    expect([damaged.status, damaged.body]).toMatchObject([503, { code: "unavailable" }]);
    expect((await old.send("GET", "/readyz", { key: null })).status).toBe(503);
    expect((await next.send("POST", "/api/v1/user-groups", group("after"))).status).toBe(200);
    const { body } = await next.send("GET", "/api/v1/user-groups");
    const names = (body as { items: { name: string }[] }).items.map(({ name }) => name);
    expect(names.toSorted()).toEqual(["after", "before"]);
    await Promise.all([old.close(), next.close()]);
    await expect(startWithKey(oldFile)).rejects.toMatchObject({ code: "refused" });
  });
});
