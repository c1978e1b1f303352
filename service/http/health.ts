// Whether the server lives and whether it is ready: for whoever runs it, without a credential and outside the API.
import type { FastifyInstance } from "fastify";
import { Failure } from "../../core/errors.ts";
import { readAccount } from "../account.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** What the server knows of its own state. */
export interface Health {
  /** Set once it is to stop: it is not ready any more, though it still answers. */
  draining: boolean;
  /** Set while it stops: nothing new is begun. */
  stopping: boolean;
}

/**
 * Adds `/livez`, which says that the process answers, and `/readyz`, which is 503 while it stops or where one of its
 * stores does not answer.
 */
export function addHealth(
  app: FastifyInstance,
  { stores, health }: { stores: readonly Db[]; health: Health },
): void {
  app.get("/livez", async () => ({ status: "live" }));
  app.get("/readyz", async () => {
    if (health.draining) throw new Failure("unavailable", "the server is stopping");
    try {
      // As a write: a store that can only be read is no use.
      for (const db of stores) await inTransaction(db, readAccount);
    } catch (cause) {
      throw new Failure("unavailable", "the store does not answer", { cause, retryAfter: 1 });
    }
    return { status: "ready" };
  });
}
