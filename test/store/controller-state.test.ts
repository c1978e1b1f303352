// Tests what the state of a controller guarantees, in a folder and in a database: documents are whole, and no writer loses
// the change of another.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { folderStore } from "../../controller/folder-store.ts";
import { systemClock } from "../../controller/clock.ts";
import { type ChangedDocument, openReplica, type Sharing } from "../../controller/replica.ts";
import { sourcesOf, tellReplicas } from "../../controller/shared-work.ts";
import { openStateDatabase, postgresStore } from "../../controller/postgres-store.ts";
import type { StateStore } from "../../controller/state-store.ts";
import { Secret } from "../../core/secret.ts";
import type { Database } from "../../reconciler/inventory/postgres-database.ts";
import type { Failure } from "../../core/errors.ts";
import { expectFailure } from "../support/expect-failure.ts";
import { runSql } from "../support/postgres-server.ts";
import { createTestDatabase, onPostgres, type TestDatabase } from "../support/test-database.ts";

let folder: string;
let place: TestDatabase;
let opened: Database[];
let store: StateStore;

/** Opens the same state again, as another process would. */
async function open(): Promise<StateStore> {
  if (!onPostgres) return folderStore(folder);
  const database = await openStateDatabase(new Secret(place.data));
  opened.push(database);
  return postgresStore(database);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-state-"));
  place = await createTestDatabase();
  opened = [];
  store = await open();
});
afterEach(async () => {
  for (const database of opened) await database.close();
  await place.drop();
  rmSync(folder, { recursive: true });
});

describe("the state of a controller", () => {
  it("has what was written, also for another process", async () => {
    expect(await store.load("patterns")).toBeUndefined();
    await store.change("patterns", (text) => `${text}`);
    await store.change("sources/shop/history", () => '["\\u0000 ü 🎈"]');
    const other = await open();
    expect(await other.load("patterns")).toBe("undefined");
    await other.change("patterns", (text) => `${text} 2`);
    const names = ["patterns", "sources/shop/history", "sources/shop/plan"];
    expect(await store.loadAll(names)).toEqual(
      new Map([
        ["patterns", "undefined 2"],
        ["sources/shop/history", '["\\u0000 ü 🎈"]'],
      ]),
    );
    for (let times = 0; times < 2; times++) await store.remove("patterns");
    expect(await other.load("patterns")).toBeUndefined();
  });

  it("keeps every change of writers at the same time", async () => {
    const stores = await Promise.all([open(), open(), open()]);
    const count = 8;
    await Promise.all(
      stores.flatMap((one) =>
        Array.from({ length: count }, () => one.change("count", (text = "0") => `${+text + 1}`)),
      ),
    );
    expect(await store.load("count")).toBe(`${stores.length * count}`);
  });
});

describe.runIf(onPostgres)("a database of a controller", () => {
  it("is set up once by those that start at the same time", async () => {
    const other = await createTestDatabase();
    const all = Array.from({ length: 5 }, () => openStateDatabase(new Secret(other.data)));
    opened.push(...(await Promise.all(all)));
    await other.drop();
  });

  it("says why it cannot be used, without its password", async () => {
    const address = new URL(place.data);
    address.password = "the-wrong-password";
    const failure = await expectFailure(openStateDatabase(new Secret(address.href)), "forbidden");
    expect(`${failure.message} ${failure.remedy}`).not.toContain("the-wrong");
    expect(failure.message).toContain(`the state in postgres://${address.host}`);
    const wrong = openStateDatabase(new Secret("host=db password=the-wrong"));
    expect((await expectFailure(wrong, "usage")).message).toBe(
      "the address of the database of the state is not a URL",
    );
  });

  it.each(["documents", "replicas", "leases"])(
    "without its table of %s is a failure, until the next start creates it",
    async (table) => {
      const replica = await startReplica();
      await vi.waitFor(() => expect(replica.working()).toEqual(["shop"]), waiting);
      await runSql(place.data, `drop table svc_controller_${table} cascade`);
      await vi.waitFor(() => expect(replica.failures.at(-1)).toBeDefined(), waiting);
      expect(replica.failures.at(-1)?.message).toContain(`svc_controller_${table}`);
      await open();
      await vi.waitFor(() => expect(replica.failures.at(-1)).toBeUndefined(), waiting);
      await vi.waitFor(() => expect(replica.working()).toEqual(["shop"]), waiting);
    },
  );

  it("is read from the begin after a replica has lost its leases: it may be a restored one", async () => {
    const replica = await startReplica();
    await vi.waitFor(() => expect(replica.working()).toEqual(["shop"]), waiting);
    await runSql(
      place.data,
      "insert into svc_controller_documents (name, text, revision) values ('a', '', '3')",
    );
    // As the others do when it is late.
    await runSql(place.data, "delete from svc_controller_replicas");
    await vi.waitFor(() => expect(replica.documents).toContain("a"), waiting);
    await vi.waitFor(() => expect(replica.begun).toEqual(["shop", "shop"]), waiting);
  });

  it("forgets a killed replica also if its clock was set back", async () => {
    await runSql(
      place.data,
      `insert into svc_controller_replicas values ('killed', '', clock_timestamp() + interval '1 hour');
       insert into svc_controller_leases values ('sources/shop', 'killed')`,
    );
    const replica = await startReplica();
    await vi.waitFor(() => expect(replica.working()).toEqual(["shop"]), waiting);
  });
});

describe.runIf(onPostgres)("replicas on a database", () => {
  const names = ["a", "b", "c", "d"];

  it("share the sources, hear each other, and take over what one leaves", async () => {
    const [one, two] = [await startReplica({ names }), await startReplica({ names })];
    const all = () => [...one.working(), ...two.working()].toSorted();
    await vi.waitFor(() => expect(all()).toEqual(names), waiting);
    await vi.waitFor(() => expect(two.working()).toHaveLength(2), waiting);
    expect(two.sharing()).toEqual({ replicas: 2, otherConfiguration: 0 });
    await tellReplicas({ store }, "webhook/a", ["a"]);
    for (const { documents } of [one, two])
      await vi.waitFor(() => expect(documents).toContain("wakes/webhook/a"), waiting);
    await one.stop();
    await vi.waitFor(() => expect(two.working()).toEqual(names), waiting);
  });

  it("share nothing with those of another configuration, which take over what these leave", async () => {
    const one = await startReplica({ names });
    await vi.waitFor(() => expect(one.working()).toEqual(names), waiting);
    const other = await startReplica({ names: [...names, "e"], digest: "renewed" });
    const different = { replicas: 1, otherConfiguration: 1 };
    for (const { sharing } of [one, other])
      await vi.waitFor(() => expect(sharing()).toEqual(different), waiting);
    await vi.waitFor(() => expect(other.working()).toEqual(["e"]), waiting);
    expect(one.working()).toEqual(names);
    await one.stop();
    await vi.waitFor(() => expect(other.working()).toEqual([...names, "e"]), waiting);
    expect(other.sharing()).toEqual({ replicas: 1, otherConfiguration: 0 });
  });
});

const waiting = { timeout: 20_000, interval: 50 };

/** Pauses of a twentieth of the real ones. Leases last as long as ever. */
const hastyClock = {
  monotonicMs: () => 20 * systemClock.monotonicMs(),
  wait: (ms: number, signal: AbortSignal) => systemClock.wait(ms / 20, signal),
};

/** The sources on which all replicas of a test work. */
const worked = new Set<string>();

/** Starts a replica. Fails if it works on a source that another one has not left. */
async function startReplica({ names = ["shop"], digest = "same" } = {}) {
  const [begun, documents]: [string[], string[]] = [[], []];
  const failures: (Failure | undefined)[] = [];
  const working = new Set<string>();
  let shared: Sharing | undefined;
  const replica = await openReplica(new Secret(place.data), {
    onShared: (_, sharing) => (shared = sharing),
    onFailure: (failure) => failures.push(failure),
    clock: hastyClock,
  });
  const end = (source: string): void => {
    if (working.delete(source)) worked.delete(source);
  };
  const work = {
    digest,
    wanted: () => names.map((name) => `sources/${name}`),
    begin: (lease: string) => {
      for (const source of sourcesOf([lease])) {
        expect([...worked]).not.toContain(source);
        worked.add(source);
        working.add(source);
        begun.push(source);
      }
    },
    end: async (lease: string) => sourcesOf([lease]).forEach(end),
    onChanged: async (changed: readonly ChangedDocument[]) =>
      void documents.push(...changed.map(({ name }) => name)),
  };
  const ending = new AbortController();
  const following = replica.follow(work, ending.signal);
  const stop = async (): Promise<void> => {
    if (ending.signal.aborted) return;
    ending.abort();
    await following;
    [...working].forEach(end);
    await replica.close();
  };
  onTestFinished(stop);
  return {
    begun,
    documents,
    failures,
    stop,
    working: () => [...working].toSorted(),
    sharing: () => shared,
  };
}
