// Tests jobs on both stores: once for each key, again after a failure or a crash, on time, and ended before the store
// closes.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startJobs } from "../../service/jobs/start.ts";
import type { Job, JobRunner } from "../../service/jobs/jobs.ts";
import { sweepAll } from "../../service/jobs/sweep.ts";
import {
  createTestDatabase,
  onPostgres,
  openTestDatabase,
  type OpenTestDatabase,
  type TestDatabase,
} from "../support/test-database.ts";

let place: TestDatabase;
let store: OpenTestDatabase;
let running: JobRunner | undefined;
const failures: string[] = [];
const outcomes: string[] = [];
const work = { account: "acme", name: "work" };

beforeEach(async () => {
  failures.length = 0;
  outcomes.length = 0;
  place = await createTestDatabase();
  store = await openTestDatabase(place);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await store.close();
  await place.drop();
});

async function start(run: Job["run"], more: Partial<Job> = {}): Promise<JobRunner> {
  const job: Job = { name: "work", attempts: 3, retrySeconds: 1, leaseSeconds: 60, run, ...more };
  const watch = {
    failed: (name: string): void => void failures.push(name),
    ended: (name: string, outcome: string): void => void outcomes.push(`${name} ${outcome}`),
  };
  const accounts = new Map([["acme", store.db]]);
  const { database } = store;
  running = await startJobs(
    { database, schema: "svc_jobs", accounts },
    { jobs: [job], watch, pollMs: 500 },
  );
  return running;
}

const waits = { timeout: 60_000, interval: 50 };

describe("a job", () => {
  it("runs once, with its input", async () => {
    const seen: unknown[] = [];
    const jobs = await start(async (payload) => void seen.push(payload));
    expect(await jobs.enqueue({ ...work, payload: { a: [1, "é"] } })).toBe(true);
    await vi.waitFor(() => expect(seen).toEqual([{ a: [1, "é"] }]), waits);
    await jobs.stop();
    expect(seen).toHaveLength(1);
    expect(outcomes).toEqual(["work done"]);
  });

  it("is one with others of its key until it is done", async () => {
    const pending = Promise.withResolvers<void>();
    let done = 0;
    const jobs = await start(async () => {
      await pending.promise;
      done += 1;
    });
    const orders = ["k", "k", "other"].map((key) => jobs.enqueue({ ...work, key }));
    expect((await Promise.all(orders)).filter(Boolean)).toHaveLength(2);
    pending.resolve();
    await vi.waitFor(() => expect(done).toBe(2), waits);
    await vi.waitFor(
      async () => expect(await jobs.enqueue({ ...work, key: "k" })).toBe(true),
      waits,
    );
  });

  it("does not start before its time", async () => {
    let at = 0;
    const jobs = await start(async () => void (at = Date.now()));
    const due = Date.now() + 2000;
    await jobs.enqueue({ ...work, at: new Date(due) });
    await vi.waitFor(() => expect(at).toBeGreaterThan(0), waits);
    expect(at).toBeGreaterThanOrEqual(due - 50);
  });

  it("that fails is retried with growing delays, a limited number of times", async () => {
    const begun: number[] = [];
    const fail = async (): Promise<void> => {
      begun.push(Date.now());
      throw new Error("no");
    };
    const jobs = await start(fail, { attempts: 2 });
    await jobs.enqueue(work);
    await vi.waitFor(() => expect(begun).toHaveLength(2), waits);
    expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(900);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(begun).toHaveLength(2);
    expect(failures).toEqual(["work", "work"]);
    expect(outcomes).toEqual(["work failed", "work failed"]);
  });

  it("whose worker ended runs again when its lease expires", async () => {
    let begun = 0;
    const never = new Promise<void>(() => undefined);
    const jobs = await start(
      async () => (++begun === 1 ? Promise.race([never, expiry(3000)]) : undefined),
      {
        leaseSeconds: 1,
      },
    );
    await jobs.enqueue(work);
    await vi.waitFor(() => expect(begun).toBe(2), waits);
  });

  it.skipIf(onPostgres)("runs by its schedule although the clock was set back", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
    let done = 0;
    await start(async () => void done++, { everyMinutes: 30 });
    vi.useRealTimers();
    await vi.waitFor(() => expect(done).toBe(1), waits);
  });

  it("that runs is waited for before the server stops", async () => {
    let done = false;
    const begun = Promise.withResolvers<void>();
    const jobs = await start(async () => {
      begun.resolve();
      await new Promise((resolve) => setTimeout(resolve, 700));
      done = true;
    });
    await jobs.enqueue(work);
    await begun.promise;
    await jobs.stop();
    expect(done).toBe(true);
  });
});

async function expiry(ms: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  throw new Error("gone");
}

describe("the sweep", () => {
  it("deletes everything that has expired, and nothing else", async () => {
    const { db } = store;
    const at = "2026-01-01T00:00:00.000Z";
    await db.insertInto("regions").values({ name: "r", is_public: 1 }).execute();
    const deployment = {
      name: "d",
      region: "r",
      cloud_provider: "",
      target_platform: "",
    };
    await db
      .insertInto("deployments")
      .values({ ...deployment, is_managed: 1, creation_step: "ready", created_at: at })
      .execute();
    const user = { username: "u", is_admin: 0, is_external: 0, created_at: at };
    await db.insertInto("users").values(user).execute();
    const session = (number: number, expires_at: string) => ({
      session_hash: `h${number}`,
      user_id: 1,
      deployment_id: 1,
      creator_mode: 0,
      created_at: at,
      expires_at,
    });
    const over = Array.from({ length: 2500 }, (_, number) => session(number, at));
    await db.insertInto("embed_sessions").values(over).execute();
    await db.insertInto("embed_sessions").values(session(-1, "2026-01-03T00:00:00.000Z")).execute();
    const record = (id: string, created_at: string) => ({ id, created_at, sealed_record: "" });
    await db
      .insertInto("idempotency_records")
      .values([record("old", at), record("new", "2026-01-02T12:00:00.000Z")])
      .execute();
    await sweepAll(db, new Date("2026-01-02T13:00:00.000Z"));
    const sessions = await db.selectFrom("embed_sessions").select("session_hash").execute();
    expect(sessions).toEqual([{ session_hash: "h-1" }]);
    const records = await db.selectFrom("idempotency_records").select("id").execute();
    expect(records).toEqual([{ id: "new" }]);
  });
});
