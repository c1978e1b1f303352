// Tests states: versions, the lock with and without a lease, the journal, and the protocol of Terraform's `http` backend.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

const path = "/api/v1/state/shop";
const secret = "hunter2-in-a-state";
let service: TestService;
let now: number;
/** What each reading of the clock adds to it. */
let pace: number;

beforeEach(async () => {
  now = Date.parse("2026-01-31T09:30:00.000Z");
  pace = 0;
  service = await startService({ now: () => (now += pace) });
});
afterEach(() => service.close());

const write = (body: object, query = "") => service.send("POST", `${path}${query}`, { body });
const lock = (ID: string, more: object = {}) =>
  service.send("LOCK", path, { body: { ID, Who: "jo@desk", ...more } });
const unlock = (ID: string) => service.send("UNLOCK", path, { body: { ID } });

describe("a state", () => {
  it("does not exist at first, and is then exactly what was written", async () => {
    expect((await service.send("GET", path)).status).toBe(404);
    const raw = '{ "big": 12345678901234567890,\n "b": 1.0, "a": "é" }';
    const headers = { "content-type": "application/json" };
    expect((await service.send("POST", path, { raw, headers })).body).toMatchObject({ version: 1 });
    const read = await service.send("GET", path);
    expect(read.text).toBe(raw);
    expect(read.headers["content-type"]).toContain("application/json");
  });

  it(`keeps the last ${limits.stateVersions} versions, which can all be read`, async () => {
    for (let serial = 1; serial <= limits.stateVersions + 2; serial++) await write({ serial });
    const list = await service.send("GET", `${path}/versions`);
    const versions = (list.body as { items: { version: number }[] }).items;
    expect(versions.map(({ version }) => version)).toEqual(
      Array.from({ length: limits.stateVersions }, (_, at) => limits.stateVersions + 2 - at),
    );
    expect((await service.send("GET", `${path}?version=3`)).body).toEqual({ serial: 3 });
    expect((await service.send("GET", `${path}?version=2`)).status).toBe(404);
  });

  it("is sealed in the store", async () => {
    await write({ password: secret });
    await service.send("POST", `${path}/journal`, { body: { position: 0, lines: [secret] } });
    const rows = [
      ...(await service.db.selectFrom("state_versions").selectAll().execute()),
      ...(await service.db.selectFrom("state_journal").selectAll().execute()),
    ];
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it("may be larger than any other body, and has a bound", async () => {
    const body = { text: "x".repeat(limits.bodyBytes) };
    expect((await write(body)).status).toBe(200);
    const over = { raw: `{"text":"${"x".repeat(limits.stateBytes)}"}` };
    expect((await service.send("POST", path, over)).status).toBe(413);
    expect((await service.send("GET", path)).text).toHaveLength(JSON.stringify(body).length);
  });

  it("is written over the version it was made from, and once however often that is sent", async () => {
    await write({ serial: 1 }, "?follows=0");
    const again = await write({ serial: 1 }, "?follows=0");
    expect([again.status, again.body]).toEqual([200, { name: "shop", version: 1 }]);
    expect((await write({ serial: "other" }, "?follows=0")).status).toBe(409);
    expect((await write({ serial: 2 }, "?follows=1")).body).toMatchObject({ version: 2 });
  });

  it("is deleted with its versions and its journal", async () => {
    await write({ serial: 1 });
    await service.send("POST", `${path}/journal`, { body: { position: 0, lines: ["a"] } });
    expect((await service.send("DELETE", path)).status).toBe(200);
    expect((await service.send("GET", path)).status).toBe(404);
    for (const table of ["states", "state_versions", "state_journal"] as const) {
      expect(await service.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  it("is found by the beginning of its name if it has content", async () => {
    await write({});
    await service.send("POST", "/api/v1/state/shop.two", { body: {} });
    await service.send("LOCK", "/api/v1/state/shop.locked", { body: { ID: "a" } });
    await service.send("POST", "/api/v1/state/other", { body: {} });
    const list = await service.send("GET", "/api/v1/state?prefix=shop");
    const names = (list.body as { items: { name: string }[] }).items.map(({ name }) => name);
    expect(names).toEqual(["shop.two", "shop"]);
  });

  it("takes HTTP Basic with a key as the password, and other operations do not", async () => {
    await write({ serial: 1 });
    const basic = (key: string) => `Basic ${Buffer.from(`any:${key}`).toString("base64")}`;
    const read = (to: string, key: string) =>
      service.send("GET", to, { key: null, headers: { authorization: basic(key) } });
    expect((await read(path, service.adminKey)).body).toEqual({ serial: 1 });
    expect((await read(path, "sk-wrong")).status).toBe(401);
    expect((await read(path, await service.key({ admin: false }))).status).toBe(403);
    expect((await read("/api/v1/users", service.adminKey)).status).toBe(401);
  });
});

describe("a search of states", () => {
  const found = async (more: object = {}, key = service.adminKey) => {
    const body = { prefix: "s", format: 1, texts: ["jo"], ...more };
    const answer = await service.send("POST", "/api/v1/states/search", { body, key });
    return answer.status === 200 ? (answer.body as { names: string[] }).names : answer.status;
  };
  const place = (name: string, raw: string) =>
    service.send("POST", `/api/v1/state/${name}`, { raw });

  it("finds strings and names of members, however they are escaped, in the latest content", async () => {
    await place("s-value", '{"format":1,"a":[{"b":"jo"}]}');
    await place("s-member", '{"format":1,"a":{"jo":null}}');
    await place("s-escaped", String.raw`{"format":1,"a":"\u006a\u006F"}`);
    await place("s-longer", '{"format":1,"a":"joe","b":1}');
    await place("s-replaced", '{"format":1,"a":"jo"}');
    await place("s-replaced", '{"format":1,"a":"joe"}');
    await place("other", '{"format":1,"a":"jo"}');
    expect(await found()).toEqual(["s-escaped", "s-member", "s-value"]);
    expect(await found({ texts: ["1", "joe"] })).toEqual(["s-replaced", "s-longer"]);
    expect(await found({ prefix: "s-v", texts: ["b", "jo"] })).toEqual(["s-value"]);
  });

  it("returns each state that it does not search: with a journal, and of another format", async () => {
    await place("s-newer", '{"format":2}');
    await place("s-none", "{}");
    await place("s-text", '{"format":"1"}');
    await place("s-searched", '{"format":1}');
    const journal = { body: { position: 0, lines: ["a"] } };
    await service.send("POST", "/api/v1/state/s-journal/journal", journal);
    await service.send("LOCK", "/api/v1/state/s-locked", { body: { ID: "a" } });
    expect(await found()).toEqual(["s-journal", "s-text", "s-none", "s-newer"]);
  });

  it("finds one of many texts, and returns unsearched what it does not reach in time", async () => {
    const texts = Array.from({ length: limits.searchedTexts }, (_, index) => `text ${index}`);
    for (const name of ["s-first", "s-second", "s-third"])
      await place(name, JSON.stringify({ format: 1, a: name === "s-second" ? texts.at(-1) : "" }));
    expect(await found({ texts })).toEqual(["s-second"]);
    pace = limits.stateSearchMs + 1;
    expect(await found({ texts })).toEqual(["s-third", "s-second", "s-first"]);
  });

  it("is refused without a right to states, and sees only those that a key may read", async () => {
    for (const name of ["s-one", "s-two"]) await place(name, '{"format":1,"a":"jo"}');
    const keyOf = async (name: string, more: object) => {
      const body = { name, permissions: ["ReadAll"], ...more };
      const { body: made } = await service.send("POST", "/api/v1/api-keys", { body });
      return (made as { token: string }).token;
    };
    expect(await found({}, await service.key({ admin: false }))).toBe(403);
    expect(await found({}, await keyOf("none", {}))).toBe(403);
    const states = [{ name: "s-one", access: "read" }];
    expect(await found({}, await keyOf("one", { states }))).toEqual(["s-one"]);
    expect(await found()).toEqual(["s-two", "s-one"]);
  });

  it("has bounds", async () => {
    const texts = Array.from({ length: limits.searchedTexts }, (_, index) =>
      `${index}`.padEnd(limits.searchedTextCharacters, "x"),
    );
    expect(await found({ texts })).toEqual([]);
    const longer = "x".repeat(limits.searchedTextCharacters + 1);
    for (const wrong of [[], [...texts, "jo"], [longer], [7], "jo"])
      expect(await found({ texts: wrong })).toBe(400);
    for (const wrong of [{ prefix: "" }, { prefix: undefined }, { format: "1" }, { more: 1 }])
      expect(await found(wrong)).toBe(400);
  });
});

describe("the lock of a state", () => {
  it("keeps all others from writing, and shows who holds it", async () => {
    expect((await lock("one")).status).toBe(200);
    const refused = await lock("two");
    expect([refused.status, refused.body]).toEqual([
      423,
      expect.objectContaining({ ID: "one", Who: "jo@desk", code: "locked" }),
    ]);
    for (const query of ["", "?ID=two"]) {
      expect((await write({ serial: 1 }, query)).status).toBe(423);
      expect((await service.send("DELETE", `${path}${query}`)).status).toBe(423);
    }
    expect((await write({ serial: 1 }, "?ID=one")).status).toBe(200);
  });

  it("is released by its id only, and a lost one is reported", async () => {
    await lock("one");
    expect((await unlock("two")).status).toBe(423);
    expect((await unlock("one")).status).toBe(200);
    expect((await unlock("one")).status).toBe(404);
    expect((await write({}, "?ID=one")).status).toBe(409);
    expect(await service.db.selectFrom("states").selectAll().execute()).toEqual([]);
  });

  it("is broken without an id only where it has no lease", async () => {
    await lock("one", { leaseSeconds: 60 });
    expect((await service.send("UNLOCK", path)).status).toBe(423);
    await unlock("one");
    await lock("two");
    expect((await service.send("UNLOCK", path)).status).toBe(200);
  });

  it("without a lease lasts until it is released", async () => {
    await lock("one");
    now += 365 * 86_400_000;
    expect((await lock("two")).status).toBe(423);
  });

  it("with a lease ends by itself, unless it is prolonged in time", async () => {
    await lock("one", { leaseSeconds: 60 });
    now += 50_000;
    const renewed = await lock("one", { leaseSeconds: 60, renew: true });
    expect(renewed.body).toMatchObject({ leaseUntil: new Date(now + 60_000).toISOString() });
    now += 59_999;
    expect((await lock("two")).status).toBe(423);
    now += 1;
    expect((await lock("two")).status).toBe(200);
    expect((await lock("one", { leaseSeconds: 60, renew: true })).status).toBe(423);
    expect((await write({}, "?ID=one")).status).toBe(423);
  });

  it("with a lease ends although the clock was set back", async () => {
    await lock("one", { leaseSeconds: 60 });
    now -= 86_400_000;
    expect((await lock("two", { leaseSeconds: 60 })).status).toBe(200);
  });

  it("with an expired lease stays valid until another client takes it, and renewing never takes it", async () => {
    await lock("one", { leaseSeconds: 60 });
    now += 600_000;
    expect((await write({ serial: 1 }, "?ID=one")).status).toBe(200);
    expect((await lock("one", { leaseSeconds: 60, renew: true })).status).toBe(200);
    await unlock("one");
    expect((await lock("one", { leaseSeconds: 60, renew: true })).status).toBe(409);
    expect((await lock("two")).status).toBe(200);
  });

  it("is acquired by one of many concurrent requests, and only its holder can write", async () => {
    await write({ serial: 0 });
    const ids = Array.from({ length: 8 }, (_, at) => `lock-${at}`);
    const attempts = await Promise.all(
      ids.map(async (id) => [id, (await lock(id)).status] as const),
    );
    const winners = attempts.filter(([, status]) => status === 200).map(([id]) => id);
    expect(winners).toHaveLength(1);
    const all = await Promise.all(ids.map((id) => write({ by: id }, `?ID=${id}`)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await service.send("GET", path)).body).toEqual({ by: winners[0] });
  });
});

describe("the journal of a state", () => {
  const append = (position: number, lines: string[], query = "") =>
    service.send("POST", `${path}/journal${query}`, { body: { position, lines } });
  const read = async () => {
    const list = await service.send("GET", `${path}/journal`);
    return (list.body as { items: { position: number; lines: string[] }[] }).items;
  };

  it("holds what was appended until the state is written, once however often it is sent", async () => {
    expect((await append(0, ["a", "b"])).body).toEqual({ position: 1 });
    expect((await append(0, ["a", "b"])).body).toEqual({ position: 1 });
    expect((await append(1, ["c"])).body).toEqual({ position: 2 });
    expect((await append(5, ["d"])).status).toBe(409);
    // Another writer at the same position is not a repetition.
    expect((await append(1, ["d"])).status).toBe(409);
    expect(await read()).toEqual([
      { position: 1, lines: ["c"] },
      { position: 0, lines: ["a", "b"] },
    ]);
    await write({ serial: 1 });
    expect(await read()).toEqual([]);
    expect((await append(0, ["e"])).status).toBe(200);
  });

  it("is for the holder of the lock, and has a bound", async () => {
    await lock("one");
    expect((await append(0, ["a"])).status).toBe(423);
    expect((await append(0, ["a"], "?ID=one")).status).toBe(200);
    const long = Array.from({ length: 3 }, () => "x".repeat(limits.journalBytes / 2));
    expect((await append(1, long, "?ID=one")).status).toBe(413);
  });
});
