// Liveness and readiness endpoints, without a credential and outside the API.
import { statfs } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import type { RateLimiter } from "./request/rate-limit.ts";

/** The lifecycle state of the server. */
export interface Health {
  /** Set when a stop is requested: not ready, but still serving. */
  draining: boolean;
  /** Set while stopping: rejects new requests. */
  stopping: boolean;
}

/**
 * Returns a check that throws `unavailable` while the server stops, if a store cannot be written, or while the disk of
 * the data folder is full. Callers within a second share the check of the stores. `now` is a monotonic clock, in
 * milliseconds.
 */
export function createReadiness({
  stores,
  folder,
  health,
  now,
}: {
  readonly stores: readonly Db[];
  /** Undefined for stores in memory or in a database server. */
  readonly folder: string | undefined;
  readonly health: Health;
  readonly now: () => number;
}): () => Promise<void> {
  const probe = coalesced(async () => {
    await probeAll(stores);
    if (folder !== undefined) await requireSpace(folder);
  }, now);
  return async () => {
    if (health.draining) throw new Failure("unavailable", "the server is stopping");
    try {
      await probe();
    } catch (cause) {
      const message = cause instanceof Failure ? cause.message : "the store cannot be written";
      throw new Failure("unavailable", message, { cause, retryAfter: 1 });
    }
  };
}

/**
 * Adds `/livez`, which reports that the process answers, and `/readyz`, which returns 503 if it is not ready. Both are
 * public, so each address is rate limited.
 */
export function addHealth(
  app: FastifyInstance,
  {
    limiter,
    requireReady,
  }: { readonly limiter: RateLimiter; readonly requireReady: () => Promise<void> },
): void {
  app.get("/livez", async () => ({ status: "live" }));
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    limiter.count(request, reply, 1);
  app.get("/readyz", { onRequest }, async () => {
    await requireReady();
    return { status: "ready" };
  });
}

/** Shares `work` between callers: a call during a run, or soon after it, gets the result of that run. */
function coalesced(work: () => Promise<void>, now: () => number): () => Promise<void> {
  let last: Promise<void> | undefined;
  let ended: number | undefined;
  return () => {
    const age = ended === undefined ? 0 : now() - ended;
    if (last === undefined || age >= limits.probeMs) {
      ended = undefined;
      last = work().finally(() => {
        ended = now();
      });
    }
    return last;
  };
}

/**
 * Makes a durable write, because reads also succeed on a full disk and on a database that a failover made read-only.
 */
async function probeWrite(tx: Db): Promise<void> {
  await tx
    .updateTable("account")
    .set((eb) => ({ name: eb.ref("name") }))
    .execute();
}

/** Free bytes on the disk of the data folder below which the server is not ready. */
const leastFreeBytes = 1024 * 1024;

/** Throws `unavailable` if the disk is full. A small write may still find room in a file that SQLite already has. */
async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < leastFreeBytes) {
    throw new Failure("unavailable", "the disk of the data folder is full");
  }
}

/** Throws if one of the stores cannot be written. Checks a few at a time and stops at the first failure. */
async function probeAll(stores: readonly Db[]): Promise<void> {
  const waiting = [...stores];
  const lane = async (): Promise<void> => {
    try {
      for (let db = waiting.pop(); db; db = waiting.pop()) await inTransaction(db, probeWrite);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: limits.concurrentProbes }, lane));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
