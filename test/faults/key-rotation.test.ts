// Tests the rotation of the secret key: encrypted values and tokens stay valid, and a killed rotation can run again.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { rotateKey } from "../../service/maintenance/key-rotation.ts";
import { sealedColumns } from "../../service/security/sealed-columns.ts";
import { spawnSvc, svcProgram } from "../support/svc-program.ts";
import { startService, type TestService } from "../support/test-service.ts";

const variables = "/api/v1/deployments/1/env-vars";
const count = 450;
let folder: string;
let data: string;

// The first file that needs the packages bundles them.
beforeAll(() => svcProgram());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-rotate-"));
  data = join(folder, "data");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withServer<T>(work: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startService({ data });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** A keyed create by a key that a rotation does not replace. */
const createKey = (service: TestService, key: string) =>
  service.send("POST", "/api/v1/api-keys", {
    key,
    body: { name: "generated" },
    headers: { "idempotency-key": "k" },
  });

/** The values of {@link fillAccount}. */
interface Filled {
  readonly own: string;
  readonly generated: string;
  readonly token: string;
}

/** Creates more values than a batch, a recorded generated secret, and an embed token. */
const fillAccount = (): Promise<Filled> =>
  withServer(async (service) => {
    const env_variables = Array.from({ length: count }, (_, at) => ({
      name: `V_${at}`,
      value: `value ${at}`,
    }));
    await service.send("PUT", variables, { body: { env_variables } });
    const created = await service.send("POST", "/api/v1/api-keys", { body: { name: "own" } });
    const own = (created.body as { token: string }).token;
    const { text } = await createKey(service, own);
    const session = await service.send("POST", "/api/v1/embed/generate-session", {
      body: { deploymentId: 1, externalId: "visitor" },
    });
    const { sessionId } = session.body as { sessionId: string };
    const taken = await service.send("POST", "/api/v1/embed/session/token", {
      key: null,
      body: { sessionId },
    });
    return { own, generated: text, token: (taken.body as { token: string }).token };
  });

/** Expects that all values are readable, and that the repeated create returns the same answer. */
const expectAllReadable = ({ own, generated }: Filled) =>
  withServer(async (service) => {
    const { body } = await service.send("GET", `${variables}?first=1000`);
    const { items } = body as { items: { name: string; value: string }[] };
    expect(items.toReversed().map(({ value }) => value)).toEqual(
      Array.from({ length: count }, (_, at) => `value ${at}`),
    );
    const again = await createKey(service, own);
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([generated, "true"]);
  });

const statusWith = (token: string) =>
  withServer(
    async (service) => (await service.send("GET", "/api/v1/deployments", { key: token })).status,
  );

const keys = () => readFileSync(join(data, "secret.key"), "utf8").trim().split("\n");

describe("a rotation", () => {
  it("encrypts everything again, and keeps tokens valid until the next rotation", async () => {
    const filled = await fillAccount();
    const { token } = filled;
    const [first] = keys();
    expect(await rotateKey(data)).toEqual({ isNewKey: true, resealed: count + 1 });
    const [second, earlier, ...none] = keys();
    expect([earlier, none]).toEqual([first, []]);
    expect(second).not.toBe(first);
    await expectAllReadable(filled);
    expect(await statusWith(token)).toBe(200);
    expect((await rotateKey(data)).resealed).toBe(count + 1);
    expect(keys()).toHaveLength(2);
    expect(keys()).not.toContain(first);
    await expectAllReadable(filled);
    expect(await statusWith(token)).toBe(401);
  });

  it("gives the operator another key", async () => {
    const operatorKey = () => withServer(async ({ adminKey }) => adminKey);
    const first = await operatorKey();
    expect(await operatorKey()).toBe(first);
    await rotateKey(data);
    expect(await operatorKey()).not.toBe(first);
    expect(await statusWith(first)).toBe(401);
  });

  it("ends tokens immediately where that is asked for", async () => {
    const filled = await fillAccount();
    const { token } = filled;
    await rotateKey(data, { endTokens: true });
    expect(keys()).toHaveLength(1);
    await expectAllReadable(filled);
    expect(await statusWith(token)).toBe(401);
  });

  it("may be killed at any moment and run again", { timeout: 120_000 }, async () => {
    const filled = await fillAccount();
    const rotating = () =>
      spawnSvc(["admin", "rotate-key", "--data", data], {
        stdio: ["ignore", "pipe", "inherit"],
      });
    const whole = await rotating();
    const from = performance.now();
    expect(await once(whole, "exit")).toEqual([0, null]);
    const took = performance.now() - from;
    for (const part of [0.6, 0.75, 0.85, 0.95]) {
      const child = await rotating();
      const ended = once(child, "exit");
      await pause(took * part);
      child.kill("SIGKILL");
      await ended;
      expect(keys().length).toBeLessThanOrEqual(2);
      await expectAllReadable(filled);
    }
    await rotateKey(data);
    await expectAllReadable(filled);
  });

  it("is refused while a server runs, and where there is no account", async () => {
    await withServer(async () => {
      await expect(rotateKey(data)).rejects.toMatchObject({ code: "locked" });
      expect(keys()).toHaveLength(1);
    });
    await expect(rotateKey(folder)).rejects.toMatchObject({ code: "usage" });
  });

  it("knows every column that holds something sealed", async () => {
    const columns = await withServer(async ({ db }) => {
      const { rows } = await sql<{ name: string }>`
        select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' and c.name like 'sealed%' order by 1`.execute(db);
      return rows.map(({ name }) => name);
    });
    expect(columns).toEqual([...sealedColumns].toSorted());
  });
});
