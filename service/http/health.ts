// Whether the server lives and whether it is ready: for whoever runs it, without a credential and outside the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { readAccount } from "../accounts/account.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** What the server knows of its own state. */
export interface Health {
  /** Set once it is to stop: it is not ready any more, though it still answers. */
  draining: boolean;
  /** Set while it stops: nothing new is begun. */
  stopping: boolean;
}

/** What health is told of. */
export interface HealthOptions {
  readonly stores: readonly Db[];
  readonly health: Health;
  /** Undefined where nothing is counted. */
  readonly limiter: RateLimiter | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Adds `/livez`, which says that the process answers, and `/readyz`, which is 503 while it stops or where one of its
 * stores does not answer. Anybody may ask, so the stores are looked at once for all who ask within a second, and each
 * address is counted.
 */
export function addHealth(
  app: FastifyInstance,
  { stores, health, limiter, now }: HealthOptions,
): void {
  const probe = coalesced(() => probeAll(stores), now);
  app.get("/livez", async () => ({ status: "live" }));
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    limiter?.count(request, reply);
  app.get("/readyz", { onRequest }, async () => {
    if (health.draining) throw new Failure("unavailable", "the server is stopping");
    try {
      await probe();
    } catch (cause) {
      throw new Failure("unavailable", "the store does not answer", { cause, retryAfter: 1 });
    }
    return { status: "ready" };
  });
}

/** `work` for many: who asks while it is under way, or soon after, is told what came of it. */
function coalesced(work: () => Promise<void>, now: () => number): () => Promise<void> {
  let last: Promise<void> | undefined;
  let ended: number | undefined;
  return () => {
    const age = ended === undefined ? 0 : now() - ended;
    // A clock that was put back makes no outcome last.
    if (last === undefined || age < 0 || age >= limits.probeMs) {
      ended = undefined;
      last = work().finally(() => {
        ended = now();
      });
    }
    return last;
  };
}

/** Fails where one of the stores does not take a write: one that can only be read is no use. A few at a time, and none after a failure. */
async function probeAll(stores: readonly Db[]): Promise<void> {
  const waiting = [...stores];
  const lane = async (): Promise<void> => {
    try {
      for (let db = waiting.pop(); db; db = waiting.pop()) await inTransaction(db, readAccount);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: limits.probesAtOnce }, lane));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
