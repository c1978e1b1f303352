// Tests writes with an Idempotency-Key: repeated and concurrent requests have one effect and one response.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { idempotencyKeyPattern, takesIdempotencyKey } from "../../api/idempotency.ts";
import { operations } from "../../api/index.ts";
import { limits } from "../../core/limits/limits.ts";
import { defineOperation } from "../../core/operation/operation.ts";
import { handle, handlePrepared } from "../../service/areas/shared/operation-handler.ts";
import { idempotencyKeyOf, purgeIdempotency } from "../../service/http/request/idempotency.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { startService } from "../support/test-service.ts";
import { sampleOf } from "./sample-requests.ts";

const groups = "/api/v1/user-groups";
const day = limits.idempotencyMs;
const start = Date.UTC(2026, 0, 5);
let clock: number;
let service: ResettableService;

beforeAll(async () => {
  clock = start;
  service = await startResettableService(undefined, { now: () => clock });
});
beforeEach(() => {
  clock = start;
});
afterEach(() => service.reset());
afterAll(() => service.close());

const make = (name: string, key: string, more: { key?: string } = {}) =>
  service.send("POST", groups, { body: { name }, headers: { "idempotency-key": key }, ...more });

const records = () => service.db.selectFrom("idempotency_records").selectAll().execute();

const groupNames = async () => {
  const { body } = await service.send("GET", groups);
  return (body as { items: { name: string }[] }).items.map(({ name }) => name);
};

describe("every operation that takes a key", () => {
  const keyed = operations.filter(takesIdempotencyKey);

  it.each(keyed.map(({ id, method }) => ({ id, method })))("$id", async ({ id, method }) => {
    const sample = await sampleOf(id, service);
    const send = () =>
      service.send(method, sample.path, {
        headers: { "idempotency-key": '"one"', ...sample.headers },
        ...(sample.body && { body: sample.body }),
      });
    const first = await send();
    expect(first.status).toBeLessThan(300);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    const after = await databaseDigest(service.db);
    const second = await send();
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await databaseDigest(service.db)).toBe(after);
  });

  it("is described with the header", async () => {
    const { body } = await service.send("GET", "/api/v1/spec");
    const { paths } = body as { paths: Record<string, Record<string, { parameters: object[] }>> };
    for (const { path, method, id } of operations) {
      const parameters = paths[path]?.[method.toLowerCase()]?.parameters ?? [];
      const has = parameters.some((one) => "in" in one && one.in === "header");
      expect(has, id).toBe(keyed.some((one) => one.id === id));
    }
  });
});

describe("a key", () => {
  it("stands for one request of one caller", async () => {
    expect((await make("a", "k")).status).toBe(200);
    const other = await make("b", "k");
    expect([other.status, other.body]).toMatchObject([422, { code: "key_reused" }]);
    const elsewhere = await service.send("POST", "/api/v1/user-attributes", {
      body: { name: "a", type: "string" },
      headers: { "idempotency-key": "k" },
    });
    expect(elsewhere.status).toBe(422);
    const created = await service.send("POST", "/api/v1/users", {
      body: { username: "second", email: "second@example.com", isAdmin: true },
    });
    const ownerUserId = (created.body as { id: number }).id;
    const key = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "second", ownerUserId },
    });
    const theirs = await make("theirs", "k", { key: (key.body as { token: string }).token });
    expect(theirs.status).not.toBe(422);
    expect(await groupNames()).not.toContain("b");
  });

  const madeKey = async (more: object = {}) => {
    const { body } = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "k", ...more },
    });
    return body as { readonly id: number; readonly token: string };
  };

  it("stands for a request of one credential: another one of the same user gets no response of it", async () => {
    const send = (key: string) =>
      service.send("POST", "/api/v1/api-keys", {
        body: { name: "secret" },
        headers: { "idempotency-key": "k" },
        key,
      });
    const first = await send((await madeKey()).token);
    expect([first.status, first.body]).toMatchObject([200, { token: expect.any(String) }]);
    const limited = await madeKey({ permissions: ["DeploymentRead", "PersonalKeysManage"] });
    const second = await send(limited.token);
    expect([second.status, second.text]).toEqual([403, expect.not.stringContaining("sk-")]);
    const third = await send((await madeKey()).token);
    expect(third.headers["idempotent-replayed"]).toBeUndefined();
    expect(third.body).not.toEqual(first.body);
  });

  it("gives no response to a credential whose rights have changed since", async () => {
    const { id, token: key } = await madeKey();
    const send = () =>
      service.send("POST", "/api/v1/api-keys", {
        body: { name: "secret" },
        headers: { "idempotency-key": "k" },
        key,
      });
    const first = await send();
    const change = (permissions: readonly string[] | null) =>
      service.send("PATCH", `/api/v1/api-keys/${id}`, { body: { permissions } });
    await change(["DeploymentRead", "PersonalKeysManage"]);
    const refused = await send();
    expect([refused.status, refused.body]).toMatchObject([403, { code: "forbidden" }]);
    expect(refused.text).toContain("the rights of the credential have changed");
    await change(null);
    expect((await send()).text).toBe(first.text);
  });

  it("is the same quoted and bare, and whatever the spelling of the body", async () => {
    const first = await make("a", "k");
    const second = await service.send("POST", groups, {
      raw: '{ "name" : "a" }',
      headers: { "idempotency-key": '"k"' },
    });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
  });

  it.each(["", '""', '"a', "a b", "a, b", "é", "x".repeat(256)])("is not %j", async (key) => {
    const { status, body } = await make("a", key);
    expect([status, body]).toMatchObject([400, { code: "invalid" }]);
    expect(await groupNames()).toEqual([]);
  });

  it("of a request that was refused can be used again", async () => {
    await make("taken", "first");
    expect((await make("taken", "k")).status).toBe(409);
    expect((await make("free", "k")).status).toBe(200);
    expect(await records()).toHaveLength(2);
  });

  it("expires after a day, and its record is deleted in batches", async () => {
    for (const name of ["a", "b", "c"]) await make(name, `key-${name}`);
    clock += day;
    expect((await make("a", "key-a")).headers["idempotent-replayed"]).toBe("true");
    clock += 1;
    expect((await make("a", "key-a")).status).toBe(409);
    expect((await make("d", "key-a")).status).toBe(200);
    expect(await purgeIdempotency(service.db, new Date(clock), 1)).toBe(1);
    expect(await purgeIdempotency(service.db, new Date(clock), 10)).toBe(1);
    expect(await records()).toHaveLength(1);
  });

  it("replays a prepared write without preparing it again", async () => {
    let prepared = 0;
    const own = await startService({
      handlers: [
        handlePrepared(echo, {
          prepare: async () => ++prepared,
          run: async (_, count) => ({ text: `prepared ${count}` }),
          finish: async (draft) => draft,
        }),
      ],
    });
    try {
      const send = (name: string) =>
        own.send("POST", "/api/v1/test/echo", {
          body: { name },
          headers: { "idempotency-key": "k" },
        });
      expect((await send("a")).body).toEqual({ text: "prepared 1" });
      const again = await send("a");
      expect(again.body).toEqual({ text: "prepared 1" });
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect((await send("b")).body).toMatchObject({ code: "key_reused" });
      expect(prepared).toBe(1);
    } finally {
      await own.close();
    }
  });

  it("is ignored where the surface does not know it", async () => {
    const lesser = await startService({ surface: "public" });
    try {
      const body = { name: "a", type: "string" };
      const sending = { body, headers: { "idempotency-key": "k, not a key" } };
      const path = "/api/v1/user-attributes";
      expect((await lesser.send("POST", path, sending)).status).toBe(200);
      expect((await lesser.send("POST", path, sending)).status).toBe(409);
      const { text } = await lesser.send("GET", "/api/v1/spec");
      expect(text).not.toContain("Idempotency-Key");
    } finally {
      await lesser.close();
    }
  });
});

describe("a record", () => {
  it("contains no secret, and nothing else of the request and the answer", async () => {
    const { body } = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "confidential" },
      headers: { "idempotency-key": "confidential-key" },
    });
    const [record] = await records();
    const { token } = body as { token: string };
    expect(token).toMatch(/^sk-/);
    for (const word of [token, "confidential", "confidential-key"]) {
      expect(JSON.stringify(record)).not.toContain(word);
    }
    expect(record?.sealed_record).toMatch(/^s1\./);
  });

  it("of an answer that is too large says that the write was done", async () => {
    const body = {
      name: "large",
      deploymentId: 1,
      description: "x".repeat(limits.idempotencyBytes),
    };
    const large = await startService({
      handlers: [
        handle(echo, async ({ db, body: sent }) => {
          await db.updateTable("account").set({ name: "written" }).execute();
          return { text: (sent as typeof body).description };
        }),
      ],
    });
    try {
      const send = () =>
        large.send("POST", "/api/v1/test/echo", { body, headers: { "idempotency-key": "k" } });
      expect((await send()).status).toBe(200);
      const again = await send();
      expect([again.status, again.body]).toMatchObject([409, { code: "conflict" }]);
      expect(again.text).toContain("succeeded before");
    } finally {
      await large.close();
    }
  });
});

const echo = defineOperation({
  id: "echo",
  area: "test",
  method: "POST",
  path: "/api/v1/test/echo",
  summary: "Echo",
  source: "specification",
  effect: "write",
  permission: "self",
  body: Type.Object({}),
  answer: Type.Object({ text: Type.String() }),
});

describe("identical concurrent requests", () => {
  it("create one object: each gets its response, or is asked to retry", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => make("one", "k")));
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    expect(
      accepted.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length,
    ).toBe(1);
    for (const { status, body, headers } of answers.filter((one) => !accepted.includes(one))) {
      expect([status, body]).toMatchObject([409, { code: "in_progress" }]);
      expect(headers["retry-after"]).toBe("1");
    }
    expect((await make("one", "k")).text).toBe(accepted[0]?.text);
    expect(await groupNames()).toEqual(["one"]);
  });

  it("do not wait: the second is rejected while the first is running", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => (begun = resolve));
    const data = mkdtempSync(join(tmpdir(), "svc-idempotency-"));
    // Uses a file, because in memory even authentication waits for a running write.
    const slow = await startService({
      data,
      handlers: [
        handle(echo, async () => {
          begun();
          await held;
          return { text: "done" };
        }),
      ],
    });
    try {
      const send = (name: string) =>
        slow.send("POST", "/api/v1/test/echo", {
          body: { name },
          headers: { "idempotency-key": "k" },
        });
      const first = send("a");
      await started;
      expect((await send("a")).body).toMatchObject({ code: "in_progress" });
      expect((await send("b")).body).toMatchObject({ code: "key_reused" });
      release();
      expect((await first).status).toBe(200);
      expect((await send("a")).headers["idempotent-replayed"]).toBe("true");
    } finally {
      release();
      await slow.close();
      rmSync(data, { recursive: true });
    }
  });
});

it.each([
  '"3f2a"',
  "3f2a-1",
  '"a b"',
  String.raw`"a\"b"`,
  "a b",
  "a,b",
  '"',
  '""',
  "",
  "é",
  '"\t"',
])("the description and the service agree on the key %s", (key) => {
  const operation = operations.find(takesIdempotencyKey) ?? expect.fail("none takes a key");
  const accept = () => idempotencyKeyOf(operation, { "idempotency-key": key });
  if (new RegExp(idempotencyKeyPattern, "u").test(key)) expect(accept()).toBeDefined();
  else expect(accept).toThrow("printable characters");
});
