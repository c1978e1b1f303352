// Transactions: one per write, with retries, and database errors as failures.
import { NoResultError, sql } from "kysely";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Db } from "./schema.ts";

/**
 * Runs `work` in a transaction and rolls back if it throws. `work` must await only the store, because all other
 * writers of the account wait for it. Retries a bounded number of times if the database aborts the transaction because
 * of another one. Throws `conflict` if a concurrent writer violates a uniqueness rule, and `unknown_outcome` if the
 * response of a commit was lost.
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

/** Runs read-only `work` on a snapshot of a PostgreSQL store while others write. */
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
 * Returns the error for a commit without a response: the write may or may not have taken effect. It has no retry time,
 * because a client that treats it as "not done" could write twice.
 */
export function unknownOutcome(cause: unknown): Failure {
  return new Failure(
    "unknown_outcome",
    "the store did not confirm the write, so it may or may not have taken effect",
    {
      cause,
      remedy: "Read the object before you repeat the request without its idempotency key.",
    },
  );
}

/** PostgreSQL codes: deadlock and serialization failure. */
function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:40001|40P01)$/.test(String(error.code));
}

/** Runs a part of a transaction. If it throws, only this part is rolled back. Rethrows the error. */
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

/**
 * Runs the create or the update of an upsert. Throws `upsert_branch_changed` if a concurrent writer created or deleted
 * the object in the meantime, so that the other of the two is required.
 */
export async function upserting<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isChanged =
      isUniqueViolation(error) || error instanceof NoResultError || isFailure(error, "not_found");
    if (!isChanged) throw error;
    throw new Failure(
      "upsert_branch_changed",
      `a concurrent write created or deleted ${what}; send the request again`,
      { cause: error },
    );
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && uniqueViolationCodes.test(String(error.code));
}

/** Converts a database error that clients can act on to a failure; returns other errors unchanged. */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (uniqueViolationCodes.test(code)) {
    return new Failure("conflict", "a concurrent write created the same object; try again", {
      cause: error,
    });
  }
  if (damagedCodes.test(code)) {
    const remedy =
      "Stop the server, restore a backup with `svc admin restore`, and check the disk.";
    const message =
      "the database of this account is damaged; the operator of the server can restore a backup with `svc admin restore`";
    return new Failure("corrupt", message, { cause: error, remedy });
  }
  const isLost = "syscall" in error && error.syscall === "connect";
  if (
    isLost ||
    unavailableCodes.test(code) ||
    (code === "" && connectionLostMessages.test(error.message))
  ) {
    const message = readOnlyCodes.test(code)
      ? "the database is read-only at the moment, so nothing was written; try again"
      : "the store cannot be read or written at the moment; try again";
    return new Failure("unavailable", message, { cause: error, retryAfter: 1 });
  }
  return error;
}

/** Codes for a database file with damaged pages. PostgreSQL: data and index corruption. */
const damagedCodes = /^(?:SQLITE_(?:CORRUPT|NOTADB)|XX00[12]$)/;

/** Codes for a violated uniqueness rule. */
const uniqueViolationCodes = /^(?:SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)|23505)$/;

/**
 * Codes for a database that is temporarily unavailable. PostgreSQL: 08 connection, 25006 read only, 40 aborted because
 * of others, 53 no resources, 55P03 lock timeout, 57 stopped or cancelled, 28 and 3D a database being moved.
 */
const unavailableCodes =
  /^(?:SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)|(?:08|28|3D|40|53|57|58)...$|25006$|25P03$|55P03$|E(?:CONN(?:REFUSED|RESET)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$)/;

/** Codes for a write to a read-only database, as after a failover. */
const readOnlyCodes = /^(?:SQLITE_READONLY|25006$)/;

/** Messages of pg, without a code, for a closed connection. */
const connectionLostMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (?:has encountered a connection error|was closed)|Cannot use a pool after calling end)/;
