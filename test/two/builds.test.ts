// Tests builders of two servers on one store: each build runs once, and a server continues the builds of a killed one.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createBuilder } from "../../service/areas/data-model/builder.ts";
import { claimBuild, endBuild, findDueBuild } from "../../service/areas/data-model/builds.ts";
import type { CompileNow, ModelCompiler } from "../../service/model/compiler.ts";
import type { CompileReport } from "../../service/model/types.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

/** A service whose builder sleeps, because no request wakes it. */
let service: TestService;
let time: number;
beforeEach(async () => {
  service = await startService();
  time = Date.parse("2026-01-01T00:00:00.000Z");
});
afterEach(() => service.close());
const now = () => new Date(time);

const report: CompileReport = {
  valid: true,
  errors: [],
  errorCount: 0,
  warnings: [],
  cubesCount: 1,
  preAggregations: [],
};

/** Returns a compiler that counts, and waits for `until` in each compilation. */
function countingCompiler(until: Promise<unknown> = Promise.resolve()) {
  const counter = { compilations: 0 };
  const compileNow: CompileNow = async () => {
    counter.compilations++;
    await until;
    return report;
  };
  const compiler: ModelCompiler = {
    compile: async () => report,
    load: async () => expect.fail("a build loads no model"),
    generate: async () => expect.fail("a build generates no model"),
    whenFree: (work) => work(compileNow),
  };
  return { compiler, counter };
}

async function queueBuild(): Promise<void> {
  const { db } = service;
  const branch = await db
    .selectFrom("branches")
    .selectAll()
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("builds")
    .values({
      branch_id: branch.id,
      tree_id: branch.tree_id,
      version: "1.0.0",
      status: "queued",
      attempts: 0,
      updated_at: now().toISOString(),
    })
    .execute();
}

const statuses = async () =>
  (
    await service.db
      .selectFrom("builds")
      .select("status")
      .where("version", "=", "1.0.0")
      .orderBy("id")
      .execute()
  ).map(({ status }) => status);

it("two builders run each build once", async () => {
  for (let number = 0; number < 5; number++) await queueBuild();
  const { compiler, counter } = countingCompiler();
  const builders = [1, 2].map(() => createBuilder({ db: service.db, compiler, now }));
  await Promise.all(builders.map((builder) => builder.runQueued()));
  expect(await statuses()).toEqual(["built", "built", "built", "built", "built"]);
  expect(counter.compilations).toBe(5);
});

it("the build of a dead builder is continued after its lease, and fails after three attempts", async () => {
  await queueBuild();
  const { compiler, counter } = countingCompiler();
  const builder = createBuilder({ db: service.db, compiler, now });
  const claim = async () => {
    const due = await findDueBuild(service.db, now());
    if (!due) throw new Error("there is no build to claim");
    return inTransaction(service.db, (tx) => claimBuild(tx, due, now()));
  };
  const dead = await claim();
  await builder.runQueued();
  expect([await statuses(), counter.compilations]).toEqual([["building"], 0]);
  time += 600_000;
  await builder.runQueued();
  expect([await statuses(), counter.compilations]).toEqual([["built"], 1]);
  // The builder was slow instead of dead; its result changes nothing.
  if (!dead) throw new Error("nothing was claimed");
  const late = { ...report, valid: false };
  await inTransaction(service.db, (tx) => endBuild(tx, dead, { result: late, now: now() }));
  expect(await statuses()).toEqual(["built"]);

  await queueBuild();
  await claim();
  // A clock that was set back does not extend the lease.
  time -= 86_400_000;
  await builder.runQueued();
  expect([await statuses(), counter.compilations]).toEqual([["built", "built"], 2]);

  await queueBuild();
  for (let attempt = 0; attempt < 3; attempt++) {
    await claim();
    time += 600_000;
  }
  await builder.runQueued();
  expect([await statuses(), counter.compilations]).toEqual([["built", "built", "failed"], 2]);
});

it("a build that the host was too busy for is queued again, and fails after three attempts", async () => {
  const busy = new Failure("unavailable", "the server is too busy");
  const attempts = [busy, busy, report, busy, busy, busy, report];
  const compiler: ModelCompiler = {
    ...countingCompiler().compiler,
    whenFree: (work) =>
      work(async () => {
        const result = attempts.shift();
        if (result instanceof Failure) throw result;
        return result ?? expect.fail("more attempts than expected");
      }),
  };
  const builder = createBuilder({ db: service.db, compiler, now });
  await queueBuild();
  await builder.runQueued();
  expect([await statuses(), attempts.length]).toEqual([["built"], 4]);
  await queueBuild();
  await builder.runQueued();
  expect([await statuses(), attempts.length]).toEqual([["built", "failed"], 1]);
  const failed = await service.db
    .selectFrom("builds")
    .select("error_text")
    .where("status", "=", "failed")
    .executeTakeFirst();
  expect(failed).toEqual({ error_text: "the server is too busy" });
});

it("a builder keeps its build while it compiles, and stops when a newer build supersedes it", async () => {
  await queueBuild();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const compiler: ModelCompiler = {
      ...countingCompiler().compiler,
      whenFree: (work) =>
        work(
          (_key, _source, signal) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener("abort", () => reject(new Failure("aborted", "stopped"))),
            ),
        ),
    };
    const running = createBuilder({ db: service.db, compiler, now }).runQueued();
    while ((await statuses())[0] !== "building") await new Promise(setImmediate);
    const leasedUntil = async () =>
      (await service.db.selectFrom("builds").select("leased_until").execute()).at(-1)?.leased_until;
    const first = await leasedUntil();
    time += limits.buildLeaseMs - 1000;
    await vi.advanceTimersByTimeAsync(limits.buildLeaseRenewMs);
    while ((await leasedUntil()) === first) await new Promise(setImmediate);
    time += limits.buildLeaseMs - 1000;
    expect(await findDueBuild(service.db, now())).toBeUndefined();
    await service.db.updateTable("builds").set({ status: "cancelled" }).execute();
    await vi.advanceTimersByTimeAsync(limits.buildLeaseRenewMs);
    await running;
    expect(await statuses()).toEqual(["cancelled"]);
  } finally {
    vi.useRealTimers();
  }
});

it("a stopping builder gives its build back", async () => {
  await queueBuild();
  const never = Promise.withResolvers<never>();
  never.promise.catch(() => undefined);
  const { compiler } = countingCompiler(never.promise);
  const builder = createBuilder({ db: service.db, compiler, now });
  builder.wake();
  while ((await statuses())[0] !== "building") await new Promise(setImmediate);
  never.reject(new Failure("aborted", "the compilation was stopped"));
  await builder.stop();
  expect(await statuses()).toEqual(["queued"]);
});
