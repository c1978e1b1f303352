// Tests the look-ups that creates need, with throw-away kinds against a real server that can be made to fail: nothing
// is written.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Failure } from "../core/errors.ts";
import type { Kind } from "../core/kind/kind.ts";
import { bulkKind, maker, paintWidget, singleKind } from "../test/support/widget-kinds.ts";
import {
  desiredWidget,
  startWidgetServer,
  type WidgetServer,
} from "../test/support/widget-server.ts";
import { createLifecycle } from "./lifecycle.ts";

const discovery: ApiDiscovery = {
  has: () => true,
  takesIdempotencyKey: () => false,
  takesQuery: () => false,
};

let server: WidgetServer;
beforeEach(async () => {
  server = await startWidgetServer();
});
afterEach(() => server.close());

function codesByIndex(
  failing: ReadonlyMap<number, Failure>,
): readonly (readonly [number, string])[] {
  return [...failing].map(([index, { code }]) => [index, code] as const);
}

function writes(): readonly string[] {
  return server.calls.filter((call) => !call.startsWith("GET"));
}

/** Widgets that are created in a batch where that costs less, or one by one. */
const either: Kind = {
  ...singleKind,
  bindings: {
    ...singleKind.bindings,
    create: [...singleKind.bindings.create, ...bulkKind.bindings.create],
  },
};

describe("looking up what creates need", () => {
  it("reports which creates could not succeed, without a write", async () => {
    server.makers = [];
    const subjects = [desiredWidget("x"), desiredWidget("y")];
    const failing = await server.lifecycle.failingCreates(bulkKind, subjects);
    expect(codesByIndex(failing)).toEqual([
      [0, "missing_reference"],
      [1, "missing_reference"],
    ]);
    server.makers = [{ id: 1 }];
    server.reader.invalidate();
    expect(await server.lifecycle.failingCreates(bulkKind, subjects)).toEqual(new Map());
    expect(writes()).toEqual([]);
  });

  it("reports which creates could not be completed by the update after them", async () => {
    const { bindings } = singleKind;
    const painted: Kind = {
      ...singleKind,
      bindings: {
        ...bindings,
        update: bindings.update.map((binding) =>
          binding.operation === paintWidget ? { ...binding, prerequisite: maker } : binding,
        ),
      },
    };
    server.makers = [];
    const subjects = [desiredWidget("plain"), desiredWidget("painted", { colour: "red" })];
    const failing = await server.lifecycle.failingCreates(painted, subjects);
    expect(codesByIndex(failing)).toEqual([[1, "missing_reference"]]);
    server.makers = [{ id: 1 }];
    server.reader.invalidate();
    expect(await server.lifecycle.failingCreates(painted, subjects)).toEqual(new Map());
    expect(writes()).toEqual([]);
  });

  it("lets a binding for one object replace a batch whose prerequisite is missing, as the create does", async () => {
    const subjects = [desiredWidget("x"), desiredWidget("y")];
    server.makers = [];
    expect(await server.lifecycle.failingCreates(either, subjects)).toEqual(new Map());
    expect(server.calls).toEqual(["GET /api/v1/makers"]);
    const created = await server.lifecycle.create(either, subjects);
    expect(created.every(({ ok }) => ok)).toBe(true);
  });

  it("asks no other binding after a failure that it would have too", async () => {
    server.fault = () => 401;
    const subjects = [desiredWidget("x"), desiredWidget("y")];
    const failing = await server.lifecycle.failingCreates(either, subjects);
    expect(new Set(codesByIndex(failing).map(([, code]) => code))).toEqual(
      new Set(["unauthenticated"]),
    );
  });

  it("looks up nothing more once the run stopped", async () => {
    const subjects = Array.from({ length: 100 }, (_, index) => desiredWidget(`w${index}`));
    const { signal } = new AbortController();
    server.fault = () => 401;
    const refused = await server.lifecycle.failingCreates(bulkKind, subjects, { signal });
    expect(refused.size).toBe(subjects.length);
    expect(new Set([...refused.values()].map(({ code }) => code))).toEqual(
      new Set(["unauthenticated", "aborted"]),
    );
    expect(server.calls.length).toBeLessThanOrEqual(2);
    server.calls = [];
    const another = createLifecycle({ ...server, discovery });
    const stopped = await another.failingCreates(bulkKind, subjects, {
      signal: AbortSignal.abort(),
    });
    expect(stopped.get(99)?.code).toBe("aborted");
    expect(server.calls).toEqual([]);
  });
});
