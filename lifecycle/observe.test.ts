// Tests the reader, and observing through it, with throw-away kinds against a real server that can be made to fail.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
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
import { createCachedReader } from "./reader.ts";

let server: WidgetServer;
beforeEach(async () => {
  server = await startWidgetServer();
});
afterEach(() => server.close());

describe("the reader", () => {
  it("reads once, shares the response with concurrent readers, and can be invalidated", async () => {
    const ask = () => server.reader.all(listWidgets, { params: { rack: "a" } });
    await Promise.all([ask(), ask(), server.reader.all(listWidgets, { params: { rack: "b" } })]);
    await ask();
    expect(server.calls).toHaveLength(2);
    server.reader.invalidate([listMakers]);
    await ask();
    expect(server.calls).toHaveLength(2);
    server.reader.invalidate([listWidgets]);
    await ask();
    expect(server.calls).toHaveLength(3);
  });

  it("returns nothing for a missing parent or a missing object", async () => {
    expect(await server.reader.all(listWidgets, { params: { rack: "gone" } })).toEqual([]);
    expect(await server.reader.one(getWidget, { params: { rack: "a", id: 9 } })).toBeUndefined();
    server.fault = () => 404;
    await expect(server.reader.all(listMakers, {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("does not cache failures", async () => {
    server.fault = () => 403;
    await expect(server.reader.all(listMakers, {})).rejects.toBeInstanceOf(Failure);
    server.fault = () => undefined;
    expect(await server.reader.all(listMakers, {})).toEqual([{ id: 7 }]);
  });

  it("accepts only read operations, by type", () => {
    const input = { params: { rack: "a" }, body: { name: "x" } };
    // @ts-expect-error a writing operation does not fit
    const wrongly = (): unknown => server.reader.one(createWidget, input);
    expect(wrongly).toBeTypeOf("function");
  });
});

describe("observing", () => {
  const interest = new Set<string>();

  it("indexes collections by key and by ID", async () => {
    server.rows = [
      { id: 1, rack: "a", name: "x" },
      { id: 2, rack: "b", name: "x" },
    ];
    const scopes = [{ rack: "a" }, { rack: "b" }, { rack: "gone" }];
    const seen = await observe(singleKind, scopes, { reader: server.reader, interest });
    expect([...seen.byKey.keys()].toSorted()).toEqual(["a/x", "b/x"]);
    expect(seen.byId.get("2")?.spec).toEqual({ rack: "b", name: "x" });
    expect(seen.ambiguous.size).toBe(0);
  });

  it("reports the IDs of objects with one key, and ignores an object that is listed twice", async () => {
    server.rows = [
      { id: 1, rack: "a", name: "x" },
      { id: 2, rack: "a", name: "x" },
      { id: 3, rack: "a", name: "x" },
      { id: 4, rack: "a", name: "y" },
      { id: 4, rack: "a", name: "y" },
    ];
    const seen = await observe(singleKind, [{ rack: "a" }], { reader: server.reader, interest });
    expect([...seen.byKey.keys()]).toEqual(["a/y"]);
    expect([...seen.ambiguous]).toEqual([["a/x", ["1", "2", "3"]]]);
  });

  it("stops when canceled, and does not treat a failure as an empty list", async () => {
    const stopped = observe(singleKind, [{ rack: "a" }], {
      reader: server.reader,
      interest,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    server.fault = () => 403;
    const refused = observe(singleKind, [{ rack: "a" }], { reader: server.reader, interest });
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
    const all = async ({ id }: { id: string }) => answers[id]?.();
    const reader: Reader = {
      all,
      allWithin: async (_pages: number, operation: { id: string }) => all(operation),
      one: async () => undefined,
      knownText: () => undefined,
    } as never;
    const scopes = groups.map(({ name }) => ({ group: name }));
    const isListedAnyway = () => true;
    const seen = await observe(groupMembership, scopes, { reader, interest, isListedAnyway });
    expect([...seen.byKey.keys()]).toEqual(["one/jane@corp.example", "two/jane@corp.example"]);
  });

  it.each([
    [1, 21, { listUsers: 1, listUserGroups: 1 }],
    [limits.pageMax, 40, { listUsers: 1, listUserGroups: 1 }],
    [limits.pageMax + 1, 40, { listUsers: 1, listUserGroups: 1, listUserGroupUsers: 40 }],
    [limits.pageMax + 1, 41, { listUsers: 1, listUserGroups: 1 }],
    [1, 20, { listUserGroups: 1, listUserGroupUsers: 20 }],
    // Groups that do not exist yet take no call.
    [1, 20, { listUserGroups: 1, listUserGroupUsers: 20 }, 1000],
    [1, 0, { listUserGroups: 1 }, 1000],
  ])("of %d users, lists the members of %d groups in as few calls as pay", async (...of) => {
    const [userCount, groupCount, expected, newCount = 0] = of;
    const groups = Array.from({ length: groupCount }, (_, id) => ({
      id: id + 1,
      name: `group-${id}`,
      userCount: 1,
    }));
    const member = { id: 1, username: "jane", email: "jane@corp.example", isExternal: false };
    const names = [...groups.map(({ name }) => name), "not-requested"];
    const users = Array.from({ length: userCount }, (_, at) =>
      at === 0 ? { ...member, groups: names } : { ...member, id: at + 1, groups: [] },
    );
    const calls: Record<string, number> = {};
    const answers: Readonly<Record<string, readonly unknown[]>> = {
      listUsers: users,
      listUserGroups: [...groups, { id: 999, name: "not-requested", userCount: 1 }],
      listUserGroupUsers: [member],
    };
    const client = {
      all: async ({ id }: { id: string }, _: unknown, { most }: { most?: () => number }) => {
        calls[id] = (calls[id] ?? 0) + 1;
        return answers[id]?.slice(0, most?.());
      },
    };
    const reader = createCachedReader(client as never);
    const scopes = groups.map(({ name }) => ({ group: name }));
    for (let at = 0; at < newCount; at++) scopes.push({ group: `new-${at}` });
    const seen = await observe(groupMembership, scopes, { reader, interest });
    expect(seen.byKey.size).toBe(groupCount);
    expect(calls).toEqual(expected);
  });
});
