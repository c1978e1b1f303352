// One write, one transaction; and what a database's own refusals mean to callers.
import { sql } from "kysely";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Db } from "./schema.ts";

/**
 * Runs `work` in a transaction that is undone when it throws. `work` awaits nothing but the store: everybody else who writes
 * to the account waits for it. It is run again, a bounded number of times, where the database undid it because of another
 * transaction. A uniqueness rule of the database that two writers ran into is a `conflict`, a commit whose answer was lost
 * an `unknown_outcome`.
 */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt < limits.writeAttempts && isSerializationFailure(error)) continue;
      throw toStoreFailure(error);
    }
  }
}

/** Runs `work` on what a PostgreSQL store holds at one moment, while others go on writing to it; `work` only reads. */
export async function inSnapshot<T>(db: Db, work: (snapshot: Db) => Promise<T>): Promise<T> {
  try {
    return await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(work);
  } catch (error) {
    throw toStoreFailure(error);
  }
}

/**
 * The failure of a write whose commit was sent and not answered: it may be there or not. It names no time after which to
 * try again, since whoever takes that for "not done" would write twice.
 */
export function unknownOutcome(cause: unknown): Failure {
  return new Failure(
    "unknown_outcome",
    "the store did not say whether the write was kept, so it may or may not have been carried out",
    {
      cause,
      remedy: "Look whether it is there before it is sent again without its idempotency key.",
    },
  );
}

/** PostgreSQL: a deadlock, or transactions that no order explains. */
function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:40001|40P01)$/.test(String(error.code));
}

/** Runs a part of a transaction that is undone alone when it throws; the error is passed on. */
export async function inSavepoint<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    throw error;
  }
}

/** A database's error as a failure where it is one that callers can act on; anything else as it is. */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (uniqueViolationCodes.test(code)) {
    return new Failure("conflict", "somebody else has just written the same; try again", {
      cause: error,
    });
  }
  const isLost = "syscall" in error && error.syscall === "connect";
  if (
    isLost ||
    unavailableCodes.test(code) ||
    (code === "" && connectionLostMessages.test(error.message))
  ) {
    return new Failure("unavailable", "the store cannot be written or read now", {
      cause: error,
      retryAfter: 1,
    });
  }
  return error;
}

/** Codes of a uniqueness rule that was broken. */
const uniqueViolationCodes = /^(?:SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)|23505)$/;

/**
 * Codes of a database that cannot be used for now. Of PostgreSQL's: 08 connections, 25006 read only, 40 undone because of
 * others, 53 no room, 55P03 waited too long for a lock, 57 stopped or cancelled, 28 and 3D a database that is being moved.
 */
const unavailableCodes =
  /^(?:SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)|(?:08|28|3D|40|53|57|58)...$|25006$|25P03$|55P03$|E(?:CONN(?:REFUSED|RESET)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$)/;

/** What pg says, without a code, of a connection that is gone. */
const connectionLostMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (?:has encountered a connection error|was closed)|Cannot use a pool after calling end)/;
