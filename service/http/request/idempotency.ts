// Idempotency keys: runs a write with an `Idempotency-Key` once and replays its response for a day.
import { createHash } from "node:crypto";
import {
  idempotencyKeyHeader,
  idempotencyKeyMaxLength,
  takesIdempotencyKey,
} from "../../../api/idempotency.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import { canonical, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Operation } from "../../../core/operation/operation.ts";
import type { Call } from "../../areas/shared/operation-handler.ts";
import type { Sealer } from "../../security/seal.ts";
import type { Principal } from "../../security/principal.ts";
import { idempotencySealContext } from "../../security/sealed-columns.ts";
import { toTimestamp } from "../../store/codec.ts";
import { deleteRows } from "../../store/in-batches.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";

/** The result of a write, and whether it is replayed. */
export interface WriteResult {
  /** The result of the handler inside its transaction. */
  readonly draft: unknown;
  readonly replayed: boolean;
}

/** Runs the keyed writes of one account. */
export interface Idempotency {
  /**
   * Runs a write in a transaction of `db` that also records its result under `key`, or returns the recorded result
   * without preparing the write again. A record belongs to the credential. A write that fails leaves no record. Throws
   * `key_reused` if the key belongs to another request, `in_progress` if that request is still running, `forbidden` if
   * the rights of the credential have changed since, and `conflict` if its result was too large to record.
   */
  runOnce(
    db: Db,
    request: { readonly key: string; readonly call: Call },
    steps: WriteSteps,
  ): Promise<WriteResult>;
}

/** The steps of a write. */
export interface WriteSteps {
  /** Runs before the transaction; undefined if there is nothing to prepare. */
  readonly prepare: (() => Promise<unknown>) | undefined;
  readonly work: (tx: Db, prepared: unknown) => Promise<unknown>;
}

/** The encrypted content of a record. */
interface StoredRecord {
  /** SHA-256 of the request. */
  readonly request: string;
  /** SHA-256 of the rights of the caller. */
  readonly rights: string;
  /** A list with one element, because some writes return nothing. Absent if the result was too large. */
  readonly draft?: readonly [draft?: unknown];
}

/**
 * Returns the key of a request; undefined if there is none or the operation accepts none. Accepts the quoted form of
 * the standard and the bare form. Throws `invalid` for a key that is empty, too long or not printable.
 */
export function idempotencyKeyOf(
  operation: Operation,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const sent = headers[idempotencyKeyHeader.toLowerCase()];
  if (sent === undefined || !takesIdempotencyKey(operation)) return undefined;
  const text = typeof sent === "string" ? sent.trim() : "";
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)?.[1];
  const key =
    quoted?.replace(/\\(.)/g, "$1") ?? (/^[\x21\x23-\x2b\x2d-\x7e]*$/.exec(text)?.[0] || "");
  if (key !== "" && key.length <= idempotencyKeyMaxLength) return key;
  throw new Failure(
    "invalid",
    `the ${idempotencyKeyHeader} must be one text of 1 to ${idempotencyKeyMaxLength} printable characters, such as "3f2a…"; use a new UUID`,
  );
}

/** Creates the idempotency of one account. Records are encrypted. Processes on one database wait for each other. */
export function makeIdempotency(sealer: Sealer): Idempotency {
  /** Running requests by record id, from their start until they are durable. */
  const running = new Map<string, string>();
  return {
    async runOnce(db, { key, call }, { prepare, work }) {
      const { credentialType, credentialId } = call.principal;
      const id = digest([credentialType, credentialId, key]);
      const identity = {
        request: digest(fingerprintInput(call)),
        rights: rightsOf(call.principal),
      };
      const { request } = identity;
      refuseConcurrentRequest(running.get(id), request);
      running.set(id, request);
      try {
        // Does not prepare again: the first request may have consumed its input, such as an exchanged code.
        if (prepare && (await isRecorded(db, id, call.now()))) {
          return {
            draft: replayedDraft(await readRecord(db, id, sealer), identity),
            replayed: true,
          };
        }
        const prepared = await prepare?.();
        return await inTransaction(db, (tx) =>
          runAndRecord(tx, { id, ...identity, call, sealer }, (inside) => work(inside, prepared)),
        );
      } finally {
        running.delete(id);
      }
    },
  };
}

type RecordIdentity = Omit<StoredRecord, "draft">;

interface RecordInput extends RecordIdentity {
  readonly id: string;
  readonly call: Call;
  readonly sealer: Sealer;
}

async function runAndRecord(
  tx: Db,
  { id, request, rights, call, sealer }: RecordInput,
  work: (tx: Db) => Promise<unknown>,
): Promise<WriteResult> {
  if (!(await claimRecord(tx, id, call.now()))) {
    const known = await readRecord(tx, id, sealer);
    return { draft: replayedDraft(known, { request, rights }), replayed: true };
  }
  const draft = await work(tx);
  const whole = JSON.stringify({ request, rights, draft: [draft] } satisfies StoredRecord);
  const fits = Buffer.byteLength(whole) <= limits.idempotencyBytes;
  const text = fits ? whole : JSON.stringify({ request, rights } satisfies StoredRecord);
  await writeRecord(tx, { id, sealed: sealer.seal(text, idempotencySealContext({ id })) });
  return { draft, replayed: false };
}

/** Returns whether a valid record exists. */
async function isRecorded(db: Db, id: string, now: Date): Promise<boolean> {
  const found = await db
    .selectFrom("idempotency_records")
    .select("id")
    .where("id", "=", id)
    .where("created_at", ">=", expiryCutoff(now))
    .executeTakeFirst();
  return found !== undefined;
}

/** Inserts the record; returns false if a valid one exists. Waits for a concurrent transaction with the same record. */
async function claimRecord(tx: Db, id: string, now: Date): Promise<boolean> {
  const row = { id, at: toTimestamp(now) };
  if ((await insertRecord(tx, row)).length > 0) return true;
  const old = { id, before: expiryCutoff(now) };
  if ((await dropRecord(tx, old)).length === 0) return false;
  return (await insertRecord(tx, row)).length > 0;
}

const insertRecord = preparedQuery((db: Db, { id, at }: { id: string; at: string }) =>
  db
    .insertInto("idempotency_records")
    .values({ id, created_at: at, sealed_record: "" })
    .onConflict((on) => on.column("id").doNothing())
    .returning("id"),
);

const dropRecord = preparedQuery((db: Db, { id, before }: { id: string; before: string }) =>
  db
    .deleteFrom("idempotency_records")
    .where("id", "=", id)
    .where("created_at", "<", before)
    .returning("id"),
);

const writeRecord = preparedQuery((db: Db, { id, sealed }: { id: string; sealed: string }) =>
  db
    .updateTable("idempotency_records")
    .set({ sealed_record: sealed })
    .where("id", "=", id)
    .returning("id"),
);

async function readRecord(tx: Db, id: string, sealer: Sealer): Promise<StoredRecord | undefined> {
  const row = await tx
    .selectFrom("idempotency_records")
    .select("sealed_record")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw inProgressError();
  try {
    return JSON.parse(
      sealer.open(row.sealed_record, idempotencySealContext({ id })),
    ) as StoredRecord;
  } catch (error) {
    if (isFailure(error, "corrupt")) return undefined;
    throw error;
  }
}

function replayedDraft(
  kept: StoredRecord | undefined,
  { request, rights }: RecordIdentity,
): unknown {
  if (kept !== undefined && kept.request !== request) throw keyReusedError();
  // The handler, which checks some rights by itself, does not run again.
  if (kept !== undefined && kept.rights !== rights) {
    throw new Failure(
      "forbidden",
      "this request succeeded before, but the rights of the credential have changed since; read the object instead",
    );
  }
  if (kept?.draft !== undefined) return kept.draft[0] ?? undefined;
  throw new Failure(
    "conflict",
    "this request succeeded before, but its response was too large to keep; read the object instead",
  );
}

function refuseConcurrentRequest(running: string | undefined, request: string): void {
  if (running === undefined) return;
  throw running === request ? inProgressError() : keyReusedError();
}

function inProgressError(): Failure {
  const text = `a request with this ${idempotencyKeyHeader} is still running; repeat it later to get its response`;
  return new Failure("in_progress", text, { retryAfter: 1 });
}

function keyReusedError(): Failure {
  const text = `this ${idempotencyKeyHeader} was used for another request; use a new key for each request`;
  return new Failure("key_reused", text);
}

/** Returns a digest of the rights of a caller, in which the order of lists does not matter. */
function rightsOf({ isAdmin, grants, limits: own }: Principal): string {
  const lists = [grants, own.actions, own.deployments, own.states];
  return digest([
    isAdmin,
    ...lists.map((list) => list?.map((one) => JSON.stringify(one)).toSorted() ?? null),
  ]);
}

function fingerprintInput({ operation, params, query, body }: Call): JsonObject {
  return { operation: operation.id, params, query, body } as JsonObject;
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** Records older than this are expired. */
function expiryCutoff(now: Date): string {
  return toTimestamp(now.getTime() - limits.idempotencyMs);
}

/** Deletes at most `most` expired records and returns their number. Safe to run concurrently. */
export async function purgeIdempotency(db: Db, now: Date, most: number): Promise<number> {
  const over = db
    .selectFrom("idempotency_records")
    .select("id")
    .where("created_at", "<", expiryCutoff(now))
    .orderBy("created_at")
    .limit(most);
  return deleteRows(db, "idempotency_records", over);
}
