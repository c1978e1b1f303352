// The reader and what is observed through it, with throw-away kinds against a real server that can be made to fail.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind.ts";
import { groupMembership } from "../resources/group-membership.ts";
import { startWidgetServer, type WidgetServer } from "../test/support/widget-server.ts";
import {
  createWidget,
  getWidget,
  listMakers,
  listWidgets,
  singleKind,
} from "../test/support/widget-kinds.ts";
import { observe } from "./observe.ts";

let world: WidgetServer;
beforeEach(async () => {
  world = await startWidgetServer();
});
afterEach(() => world.close());

describe("the reader", () => {
  it("reads once, shares the response with concurrent readers, and can be invalidated", async () => {
    const ask = () => world.reader.all(listWidgets, { params: { rack: "a" } });
    await Promise.all([ask(), ask(), world.reader.all(listWidgets, { params: { rack: "b" } })]);
    await ask();
    expect(world.calls).toHaveLength(2);
    world.reader.invalidate([listMakers]);
    await ask();
    expect(world.calls).toHaveLength(2);
    world.reader.invalidate([listWidgets]);
    await ask();
    expect(world.calls).toHaveLength(3);
  });

  it("returns nothing for a missing parent or a missing object", async () => {
    expect(await world.reader.all(listWidgets, { params: { rack: "gone" } })).toEqual([]);
    expect(await world.reader.one(getWidget, { params: { rack: "a", id: 9 } })).toBeUndefined();
    world.fault = () => 404;
    await expect(world.reader.all(listMakers, {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("does not cache failures", async () => {
    world.fault = () => 403;
    await expect(world.reader.all(listMakers, {})).rejects.toBeInstanceOf(Failure);
    world.fault = () => undefined;
    expect(await world.reader.all(listMakers, {})).toEqual([{ id: 7 }]);
  });

  it("accepts only read operations, by type", () => {
    const input = { params: { rack: "a" }, body: { name: "x" } };
    // @ts-expect-error a writing operation does not fit
    const wrongly = (): unknown => world.reader.one(createWidget, input);
    expect(wrongly).toBeTypeOf("function");
  });
});

describe("observing", () => {
  const interest = new Set<string>();

  it("indexes collections by key and by ID", async () => {
    world.rows = [
      { id: 1, rack: "a", name: "x" },
      { id: 2, rack: "b", name: "x" },
    ];
    const scopes = [{ rack: "a" }, { rack: "b" }, { rack: "gone" }];
    const seen = await observe(singleKind, scopes, { reader: world.reader, interest });
    expect([...seen.byKey.keys()].toSorted()).toEqual(["a/x", "b/x"]);
    expect(seen.byId.get("2")?.spec).toEqual({ rack: "b", name: "x" });
    expect(seen.ambiguous.size).toBe(0);
  });

  it("reports the IDs of objects with one key, and ignores an object that is listed twice", async () => {
    world.rows = [
      { id: 1, rack: "a", name: "x" },
      { id: 2, rack: "a", name: "x" },
      { id: 3, rack: "a", name: "x" },
      { id: 4, rack: "a", name: "y" },
      { id: 4, rack: "a", name: "y" },
    ];
    const seen = await observe(singleKind, [{ rack: "a" }], { reader: world.reader, interest });
    expect([...seen.byKey.keys()]).toEqual(["a/y"]);
    expect([...seen.ambiguous]).toEqual([["a/x", ["1", "2", "3"]]]);
  });

  it("stops when canceled, and does not treat a failure as an empty list", async () => {
    const stopped = observe(singleKind, [{ rack: "a" }], {
      reader: world.reader,
      interest,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    world.fault = () => 403;
    const refused = observe(singleKind, [{ rack: "a" }], { reader: world.reader, interest });
    await expect(refused).rejects.toMatchObject({ code: "forbidden" });
  });

  it.each([
    ["refuses the list of users", () => Promise.reject(new Failure("forbidden", "no"))],
    ["lacks the list of users", () => Promise.reject(new Failure("not_offered", "none"))],
    ["answers 404 to the list of users", () => Promise.resolve([])],
  ])("reads the members group by group where the server %s", async (_, users) => {
    const groups = ["one", "two"].map((name, at) => ({ id: at + 1, name, userCount: 1 }));
    const member = { id: 7, username: "jane", email: "jane@corp.example", isExternal: false };
    const answers: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
      listUsers: users,
      listUserGroups: async () => groups,
      listUserGroupUsers: async () => [member],
    };
    const reader: Reader = {
      all: async ({ id }: { id: string }) => answers[id]?.(),
      one: async () => undefined,
      knownText: () => undefined,
    } as never;
    const scopes = groups.map(({ name }) => ({ group: name }));
    const seen = await observe(groupMembership, scopes, { reader, interest, isEveryScope: true });
    expect([...seen.byKey.keys()]).toEqual(["one/jane@corp.example", "two/jane@corp.example"]);
  });
});
