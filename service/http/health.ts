// Whether the server lives and whether it is ready: for whoever runs it, without a credential and outside the API.
import type { FastifyInstance } from "fastify";
import { Failure } from "../../core/errors.ts";
import { readAccount } from "../account.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** What the server knows of its own state. */
export interface Health {
  /** Set while it stops: nothing new is begun. */
  stopping: boolean;
}

/** Adds `/livez`, which says that the process answers, and `/readyz`, which is 503 while stopping or without its store. */
export function addHealth(app: FastifyInstance, { db }: { db: Db }): void {
  app.get("/livez", async () => ({ status: "live" }));
  app.get("/readyz", async () => {
    try {
      // As a write: a store that can only be read is no use.
      await inTransaction(db, readAccount);
    } catch (cause) {
      throw new Failure("unavailable", "the store does not answer", { cause, retryAfter: 1 });
    }
    return { status: "ready" };
  });
}
