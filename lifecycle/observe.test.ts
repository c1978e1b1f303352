// The reader and what is observed through it, with throw-away kinds against a real server that can be made to fail.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../core/errors.ts";
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
  it("asks once, shares the answer with whoever asks meanwhile, and forgets when told", async () => {
    const ask = () => world.reader.all(listWidgets, { params: { shelf: "a" } });
    await Promise.all([ask(), ask(), world.reader.all(listWidgets, { params: { shelf: "b" } })]);
    await ask();
    expect(world.calls).toHaveLength(2);
    world.reader.invalidate([listMakers]);
    await ask();
    expect(world.calls).toHaveLength(2);
    world.reader.invalidate([listWidgets]);
    await ask();
    expect(world.calls).toHaveLength(3);
  });

  it("finds nothing under a parent that is not there, and no object that is not there", async () => {
    expect(await world.reader.all(listWidgets, { params: { shelf: "gone" } })).toEqual([]);
    expect(await world.reader.one(getWidget, { params: { shelf: "a", id: 9 } })).toBeUndefined();
    world.fault = () => 404;
    await expect(world.reader.all(listMakers, {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("keeps no failure", async () => {
    world.fault = () => 403;
    await expect(world.reader.all(listMakers, {})).rejects.toBeInstanceOf(Failure);
    world.fault = () => undefined;
    expect(await world.reader.all(listMakers, {})).toEqual([{ id: 7 }]);
  });

  it("is taken by type for reading only", () => {
    const input = { params: { shelf: "a" }, body: { name: "x" } };
    // @ts-expect-error a writing operation does not fit
    const wrongly = (): unknown => world.reader.one(createWidget, input);
    expect(wrongly).toBeTypeOf("function");
  });
});

describe("observing", () => {
  const interest = new Set<string>();

  it("sees the collections by key and by id", async () => {
    world.rows = [
      { id: 1, shelf: "a", name: "x" },
      { id: 2, shelf: "b", name: "x" },
    ];
    const scopes = [{ shelf: "a" }, { shelf: "b" }, { shelf: "gone" }];
    const seen = await observe(singleKind, scopes, { reader: world.reader, interest });
    expect([...seen.byKey.keys()].toSorted()).toEqual(["a/x", "b/x"]);
    expect(seen.byId.get("2")?.spec).toEqual({ shelf: "b", name: "x" });
    expect(seen.ambiguous.size).toBe(0);
  });

  it("tells two objects of one key with their ids, and takes one that is listed twice for one", async () => {
    world.rows = [
      { id: 1, shelf: "a", name: "x" },
      { id: 2, shelf: "a", name: "x" },
      { id: 3, shelf: "a", name: "x" },
      { id: 4, shelf: "a", name: "y" },
      { id: 4, shelf: "a", name: "y" },
    ];
    const seen = await observe(singleKind, [{ shelf: "a" }], { reader: world.reader, interest });
    expect([...seen.byKey.keys()]).toEqual(["a/y"]);
    expect([...seen.ambiguous]).toEqual([["a/x", ["1", "2", "3"]]]);
  });

  it("stops when told to, and does not take a failure for an empty world", async () => {
    const stopped = observe(singleKind, [{ shelf: "a" }], {
      reader: world.reader,
      interest,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    world.fault = () => 403;
    const refused = observe(singleKind, [{ shelf: "a" }], { reader: world.reader, interest });
    await expect(refused).rejects.toMatchObject({ code: "forbidden" });
  });
});
