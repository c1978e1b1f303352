// Tests what the server does around handlers: transactions, errors in handlers, and a stop during a request.
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineOperation } from "../../core/operation/operation.ts";
import { Failure } from "../../core/errors.ts";
import { handle, handleThenFinish } from "../../service/areas/shared/operation-handler.ts";
import { startService, type TestService } from "../support/test-service.ts";

const common = { area: "test", effect: "write", permission: "self" } as const;
const Answer = Type.Object({ text: Type.String() }, { additionalProperties: false });

const operation = (id: string) =>
  defineOperation({
    ...common,
    id,
    method: "POST",
    path: `/api/v1/test/${id}`,
    summary: id,
    source: "specification",
    answer: Answer,
  });

let started: () => void;
let release: () => void;
let service: TestService;

beforeEach(async () => {
  const begun = new Promise<void>((resolve) => (started = resolve));
  const held = new Promise<void>((resolve) => (release = resolve));
  void begun;
  service = await startService({
    handlers: [
      handle(operation("breaks"), async ({ db }) => {
        await db.deleteFrom("deployments").execute();
        throw new TypeError("password hunter2 in select * from users");
      }),
      handle(operation("refuses"), async ({ db }) => {
        await db.deleteFrom("deployments").execute();
        throw new Failure("conflict", "no", { retryAfter: 1.2, details: { why: "test" } });
      }),
      handle(operation("unexpected"), async () => ({ text: "a", more: 1 })),
      handleThenFinish(
        operation("waits"),
        async ({ db }) => (await db.selectFrom("regions").select("name").execute()).length,
        async (count) => {
          started();
          await held;
          return { text: `${count} regions` };
        },
      ),
    ],
  });
});
afterEach(async () => {
  release();
  await service.close();
});

const call = (id: string) => service.send("POST", `/api/v1/test/${id}`);
const deploymentCount = async () =>
  (await service.db.selectFrom("deployments").select("name").execute()).length;

describe("around a behaviour", () => {
  it("a bug is reported with its request id only, and rolls the write back", async () => {
    const before = await deploymentCount();
    const answer = await call("breaks");
    expect(answer.body).toMatchObject({ statusCode: 500, code: "internal" });
    expect(answer.text).not.toMatch(/hunter2|select/);
    expect(answer.text).toContain(String(answer.headers["x-request-id"]));
    expect(await deploymentCount()).toBe(before);
  });

  it("a failure is reported unchanged, and rolls the write back", async () => {
    const before = await deploymentCount();
    const answer = await call("refuses");
    expect(answer.headers["retry-after"]).toBe("2");
    expect(answer.body).toEqual({
      error: "no",
      message: "no",
      statusCode: 409,
      code: "conflict",
      details: { why: "test" },
    });
    expect(await deploymentCount()).toBe(before);
  });

  it("an answer that is not as declared is a bug", async () => {
    expect((await call("unexpected")).status).toBe(500);
  });

  it("a stop lets what has begun finish and begins nothing new", async () => {
    const begun = new Promise<void>((resolve) => (started = resolve));
    const waiting = call("waits");
    await begun;
    const closing = service.close();
    await expect(service.send("GET", "/readyz")).rejects.toThrow();
    release();
    const answer = await waiting;
    expect([answer.status, answer.body]).toEqual([200, { text: "3 regions" }]);
    await closing;
  });
});
