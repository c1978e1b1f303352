// The lifecycle with throw-away kinds against a real server that can be made to fail: creating, updating and deleting,
// and the calls for it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind, ObjectWrite } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import {
  startWidgetServer,
  type WidgetServer,
  widgetSubject,
  desiredWidget,
} from "../test/support/widget-server.ts";
import {
  widgetsPath,
  bulkKind,
  maker,
  createWidget,
  listMakers,
  paintWidget,
  singleKind,
} from "../test/support/widget-kinds.ts";
import { estimate } from "./estimate.ts";
import { createLifecycle } from "./lifecycle.ts";
import type { Result } from "./results.ts";

let server: WidgetServer;
beforeEach(async () => {
  server = await startWidgetServer();
});
afterEach(() => server.close());

const fullDiscovery: ApiDiscovery = {
  has: () => true,
  takesIdempotencyKey: () => false,
  takesQuery: () => false,
};
const discoveryWithout = (...operations: Operation[]): ApiDiscovery => ({
  has: ({ path, method }) => !operations.some((one) => one.path === path && one.method === method),
  takesIdempotencyKey: () => false,
  takesQuery: () => false,
});

function codes(results: readonly Result[]): string[] {
  return results.map((result) => (result.ok ? "ok" : result.failure.code));
}

function writes(): string[] {
  return server.calls.filter((call) => !call.startsWith("GET"));
}

describe("creating", () => {
  it("creates each object, and updates the created objects with the remaining fields", async () => {
    const reported: number[] = [];
    const results = await server.lifecycle.create(
      singleKind,
      [
        desiredWidget("x", { colour: "red" }),
        desiredWidget("y", { size: 2 }),
        desiredWidget("z", { colour: "blue", size: 3 }),
      ],
      { onResult: (index) => reported.push(index) },
    );
    expect(codes(results)).toEqual(["ok", "ok", "ok"]);
    expect(reported[0]).toBe(1);
    expect(new Set(reported)).toEqual(new Set([0, 1, 2]));
    expect(server.rows).toMatchObject([
      { name: "x", colour: "red" },
      { name: "y", size: 2 },
      { name: "z", size: 3, colour: "blue" },
    ]);
    expect(server.calls).toHaveLength(3 + 1 + 2);
  });

  it("batches calls as the binding declares, and reads a prerequisite once per run", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const subjects = [
      ...names.map((name) => desiredWidget(name)),
      widgetSubject({ rack: "b", name: "other" }),
    ];
    expect(
      codes(await server.lifecycle.create(bulkKind, subjects)).every((code) => code === "ok"),
    ).toBe(true);
    await server.lifecycle.create(bulkKind, [desiredWidget("later")]);
    expect(server.rows).toHaveLength(22);
    expect(writes()).toHaveLength(3 + 1 + 1);
    expect(server.calls.filter((call) => call === "GET /api/v1/makers")).toHaveLength(1);
  });

  it("reports one invalid object of a batch without failing the others", async () => {
    const subjects = ["a", "b", "bad", "c", "d", "e", "f", "g"].map((name) => desiredWidget(name));
    const results = await server.lifecycle.create(bulkKind, subjects);
    expect(codes(results)).toEqual(["ok", "ok", "invalid", "ok", "ok", "ok", "ok", "ok"]);
    expect(server.rows.map(({ name }) => name).toSorted()).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
      "f",
      "g",
    ]);
  });

  it("reports a missing prerequisite, and reads it again later", async () => {
    server.makers = [];
    const [result] = await server.lifecycle.create(bulkKind, [desiredWidget("x")]);
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "missing_reference", message: maker.missingMessage },
    });
    server.makers = [{ id: 1 }];
    expect(codes(await server.lifecycle.create(bulkKind, [desiredWidget("x")]))).toEqual(["ok"]);
  });

  it("reads a prerequisite again if what it named was replaced, and calls once more", async () => {
    await server.lifecycle.create(bulkKind, [desiredWidget("x")]);
    server.makers = [{ id: 8 }];
    expect(codes(await server.lifecycle.create(bulkKind, [desiredWidget("y")]))).toEqual(["ok"]);
    expect(server.calls.filter((call) => call === "GET /api/v1/makers")).toHaveLength(2);
  });

  it("returns a conflict to the caller", async () => {
    await server.lifecycle.create(singleKind, [desiredWidget("x")]);
    expect(
      codes(await server.lifecycle.create(singleKind, [desiredWidget("x"), desiredWidget("y")])),
    ).toEqual(["conflict", "ok"]);
  });

  it("looks up a create whose response was lost, and never repeats it", async () => {
    server.fault = (method) => (method === "POST" ? "drop-after" : undefined);
    const created = await server.lifecycle.create(singleKind, [
      desiredWidget("x"),
      desiredWidget("y", { colour: "red" }),
    ]);
    expect(codes(created)).toEqual(["ok", "ok"]);
    expect(server.rows).toMatchObject([{ name: "x" }, { name: "y", colour: "red" }]);
    server.fault = (method) => (method === "POST" ? "drop" : undefined);
    expect(codes(await server.lifecycle.create(singleKind, [desiredWidget("z")]))).toEqual([
      "unknown_outcome",
    ]);
    expect(server.rows).toHaveLength(2);
  });

  it("reports a conflict where the server may have refused a create whose response was lost", async () => {
    const refusing: Kind = {
      ...singleKind,
      bindings: {
        ...singleKind.bindings,
        create: singleKind.bindings.create.map((one) => ({ ...one, refusesExisting: true })),
      },
    };
    await server.lifecycle.create(refusing, [desiredWidget("theirs")]);
    server.fault = (method) => (method === "POST" ? "drop-after" : undefined);
    const [result] = await server.lifecycle.create(refusing, [desiredWidget("theirs")]);
    expect(result).toMatchObject({
      created: false,
      isOwnerUncertain: true,
      failure: {
        code: "conflict",
        message:
          "The response of the create did not arrive or was not readable. The object exists now, and may belong to another client.",
      },
    });
  });

  it("reports an unknown outcome when the lookup fails too", async () => {
    server.fault = (method) => (method === "POST" ? "drop-after" : 403);
    expect(codes(await server.lifecycle.create(singleKind, [desiredWidget("x")]))).toEqual([
      "unknown_outcome",
    ]);
  });

  it("fails before any write when the server does not support one", async () => {
    const without = createLifecycle({
      client: server.client,
      discovery: discoveryWithout(paintWidget),
      reader: server.reader,
    });
    const results = await without.create(singleKind, [
      desiredWidget("x", { colour: "red" }),
      desiredWidget("y"),
    ]);
    expect(codes(results)).toEqual(["not_offered", "ok"]);
    const none = createLifecycle({
      client: server.client,
      discovery: discoveryWithout(createWidget),
      reader: server.reader,
    });
    const [result] = await none.create(singleKind, [desiredWidget("z")]);
    expect(result).toMatchObject({
      failure: { message: `cannot create Widget: this server does not offer POST ${widgetsPath}` },
    });
    expect(server.rows.map(({ name }) => name)).toEqual(["y"]);
  });

  it("stops between calls, and makes no more calls once the credential is rejected", async () => {
    const stopping = new AbortController();
    const subjects = Array.from({ length: 40 }, (_, index) => desiredWidget(`w${index}`));
    const results = await server.lifecycle.create(singleKind, subjects, {
      signal: stopping.signal,
      onResult: () => stopping.abort(),
    });
    const done = codes(results).filter((code) => code === "ok").length;
    expect(done).toBe(server.rows.length);
    expect(done).toBeLessThanOrEqual(2 * server.client.concurrency);
    expect(new Set(codes(results))).toEqual(new Set(["ok", "aborted"]));

    server.calls = [];
    server.fault = () => 401;
    const another = createLifecycle({
      client: server.client,
      discovery: fullDiscovery,
      reader: server.reader,
    });
    const locked = await another.create(singleKind, subjects);
    expect(new Set(codes(locked))).toEqual(new Set(["unauthenticated", "aborted"]));
    expect(server.calls.length).toBeLessThanOrEqual(server.client.concurrency);
    server.calls = [];
    expect(codes(await another.create(bulkKind, subjects))).toEqual(subjects.map(() => "aborted"));
    expect(server.calls).toEqual([]);
  });

  it("lets an internal error through", async () => {
    const broken: Kind = {
      ...singleKind,
      bindings: {
        ...singleKind.bindings,
        create: singleKind.bindings.create.map((binding) => ({
          ...binding,
          input: () => {
            throw new TypeError("a bug");
          },
        })),
      },
    };
    await expect(
      server.lifecycle.create(broken, [desiredWidget("x"), desiredWidget("y")]),
    ).rejects.toThrow("a bug");
    expect(server.calls).toEqual([]);
  });
});

describe("updating and deleting", () => {
  beforeEach(async () => {
    await server.lifecycle.create(singleKind, [
      desiredWidget("x", { size: 1 }),
      desiredWidget("y"),
    ]);
    server.calls = [];
  });

  const changed = (name: string, spec: JsonObject, fields: string[]): ObjectWrite => ({
    ...widgetSubject(
      { rack: "a", name, ...spec },
      server.rows.find((row) => row.name === name),
    ),
    changed: new Set(fields),
  });

  it("uses exactly the required bindings", async () => {
    const results = await server.lifecycle.update(singleKind, [
      changed("x", { size: null, colour: "red" }, ["size", "colour"]),
      changed("y", { colour: "blue" }, ["colour"]),
      changed("y", {}, []),
    ]);
    expect(codes(results)).toEqual(["ok", "ok", "ok"]);
    expect(server.rows).toMatchObject([{ size: null, colour: "red" }, { colour: "blue" }]);
    expect(server.calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(1);
    expect(server.calls).toHaveLength(3);
  });

  it("skips the further writes of an object whose first write failed", async () => {
    server.fault = (method) => (method === "PATCH" ? 403 : undefined);
    const results = await server.lifecycle.update(singleKind, [
      changed("x", { size: 9, colour: "red" }, ["size", "colour"]),
      changed("y", { colour: "blue" }, ["colour"]),
    ]);
    expect(codes(results)).toEqual(["forbidden", "ok"]);
    expect(results[0]).toMatchObject({ partial: false });
    expect(server.rows[0]).not.toHaveProperty("colour");
  });

  it("reports which objects were partly written: an earlier call succeeded", async () => {
    server.fault = (method) => (method === "PUT" ? 403 : undefined);
    const results = await server.lifecycle.update(singleKind, [
      changed("x", { size: 9, colour: "red" }, ["size", "colour"]),
      changed("y", { colour: "blue" }, ["colour"]),
    ]);
    expect(results).toMatchObject([
      { failure: { code: "forbidden" }, created: false, partial: true },
      { failure: { code: "forbidden" }, created: false, partial: false },
    ]);
  });

  it("reports the fields that the server cannot change", async () => {
    const without = createLifecycle({
      client: server.client,
      discovery: discoveryWithout(paintWidget),
      reader: server.reader,
    });
    const [result] = await without.update(singleKind, [
      changed("x", { colour: "red" }, ["colour"]),
    ]);
    expect(result).toMatchObject({
      failure: {
        code: "not_offered",
        message: `this server cannot set colour of Widget: it does not offer PUT ${widgetsPath}/{id}/colour`,
      },
    });
  });

  it("treats objects that no longer exist as deleted", async () => {
    const subjects = server.rows.map((row) => widgetSubject({ rack: "a", name: row.name }, row));
    server.rows = server.rows.slice(1);
    expect(codes(await server.lifecycle.delete(singleKind, subjects))).toEqual(["ok", "ok"]);
    expect(server.rows).toEqual([]);
  });

  it("returns not_found of an update to the caller", async () => {
    const subjects = [changed("x", { size: 3 }, ["size"])];
    server.rows = [];
    expect(codes(await server.lifecycle.update(singleKind, subjects))).toEqual(["not_found"]);
  });
});

describe("an estimate", () => {
  it("equals the number of calls of the execution", async () => {
    const create = [
      desiredWidget("x", { colour: "red" }),
      desiredWidget("y"),
      widgetSubject({ rack: "b", name: "z", colour: "blue" }),
    ];
    const many = Array.from({ length: 20 }, (_, index) => desiredWidget(`w${index}`));
    const tasks = [
      { kind: singleKind, verb: "create", writes: create },
      { kind: bulkKind, verb: "create", writes: many },
    ] as const;
    const cost = estimate(fullDiscovery, tasks);
    expect(server.calls).toEqual([]);
    for (const task of tasks) await server.lifecycle.create(task.kind, task.writes);
    expect(cost).toEqual({ readCalls: 2 + 1, writeCalls: 3 + 2 + 3 });
    expect(writes()).toHaveLength(cost.writeCalls);
    expect(server.calls.length - writes().length).toBe(cost.readCalls);
  });

  it("counts no calls for unsupported writes", () => {
    const tasks = [{ kind: bulkKind, verb: "create", writes: [desiredWidget("x")] }] as const;
    expect(estimate(discoveryWithout(listMakers), tasks)).toEqual({ readCalls: 0, writeCalls: 0 });
  });
});
