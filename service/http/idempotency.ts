// Writes that name an `Idempotency-Key`: carried out once, and answered alike however often they are sent within a day.
import { createHash } from "node:crypto";
import {
  idempotencyKeyHeader,
  idempotencyKeyMaxLength,
  takesIdempotencyKey,
} from "../../api/idempotency.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import type { Operation } from "../../core/operation.ts";
import type { Call } from "../areas/operation-handler.ts";
import type { Sealer } from "../security/seal.ts";
import { idempotencySealContext } from "../security/sealed-columns.ts";
import { toTimestamp } from "../store/codec.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** What a write came to, and whether that was now or before. */
export interface WriteResult {
  /** What the behaviour returned inside its transaction. */
  readonly draft: unknown;
  readonly replayed: boolean;
}

/** Carries out the writes of one account. */
export interface Idempotency {
  /**
   * Runs `work` in a transaction of `db` that also records what came of it under `key`; or answers what is on record.
   * A write that fails leaves no record. Fails with `key_reused` where the key stands for another request, `in_progress`
   * where that request is being carried out, `conflict` where its answer was not kept.
   */
  runOnce(
    db: Db,
    asked: { readonly key: string; readonly call: Call },
    work: (tx: Db) => Promise<unknown>,
  ): Promise<WriteResult>;
}

/** What is sealed in a record. */
interface StoredRecord {
  /** SHA-256 of the request. */
  readonly request: string;
  /** In a list of one, since some writes answer with nothing; missing where it was too large to be kept. */
  readonly draft?: readonly [draft?: unknown];
}

/**
 * The key that a request names, or undefined: there is none, or the operation takes none. It may be quoted, as the
 * standard has it, or bare. Fails with `invalid` for one that is empty, too long or not printable.
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
    `the ${idempotencyKeyHeader} must be one text of 1 to ${idempotencyKeyMaxLength} printable characters, such as "3f2a…" with a fresh UUID`,
  );
}

/** The keyed writes of one account, whose records are sealed. Two processes on one database wait for each other. */
export function makeIdempotency(seal: Sealer): Idempotency {
  /** Requests by the id of their record, from their beginning until they are durable. */
  const running = new Map<string, string>();
  return {
    async runOnce(db, { key, call }, work) {
      const id = digest([call.principal.credentialType, call.principal.userId, key]);
      const request = digest(fingerprintInput(call));
      refuseConcurrentRequest(running.get(id), request);
      running.set(id, request);
      try {
        return await inTransaction(db, (tx) => runAndRecord(tx, { id, request, call, seal }, work));
      } finally {
        running.delete(id);
      }
    },
  };
}

interface RecordInput {
  readonly id: string;
  readonly request: string;
  readonly call: Call;
  readonly seal: Sealer;
}

async function runAndRecord(
  tx: Db,
  { id, request, call, seal }: RecordInput,
  work: (tx: Db) => Promise<unknown>,
): Promise<WriteResult> {
  if (!(await claimRecord(tx, id, call.now()))) {
    return { draft: replayedDraft(await readRecord(tx, id, seal), request), replayed: true };
  }
  const draft = await work(tx);
  const whole = JSON.stringify({ request, draft: [draft] } satisfies StoredRecord);
  const fits = Buffer.byteLength(whole) <= limits.idempotencyBytes;
  const text = fits ? whole : JSON.stringify({ request } satisfies StoredRecord);
  await writeRecord(tx, { id, sealed: seal.seal(text, idempotencySealContext({ id })) });
  return { draft, replayed: false };
}

/** Takes the record's place; false where it holds one that is still good. Another transaction that has it is waited for. */
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

async function readRecord(tx: Db, id: string, seal: Sealer): Promise<StoredRecord | undefined> {
  const row = await tx
    .selectFrom("idempotency_records")
    .select("sealed_record")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw inProgressError();
  try {
    return JSON.parse(seal.open(row.sealed_record, idempotencySealContext({ id }))) as StoredRecord;
  } catch (error) {
    if (isFailure(error, "corrupt")) return undefined;
    throw error;
  }
}

function replayedDraft(kept: StoredRecord | undefined, request: string): unknown {
  if (kept !== undefined && kept.request !== request) throw keyReusedError();
  if (kept?.draft !== undefined) return kept.draft[0] ?? undefined;
  throw new Failure(
    "conflict",
    "this request was carried out before, and its answer was not kept; read what it made",
  );
}

function refuseConcurrentRequest(running: string | undefined, request: string): void {
  if (running === undefined) return;
  throw running === request ? inProgressError() : keyReusedError();
}

function inProgressError(): Failure {
  const text = `a request with this ${idempotencyKeyHeader} is being carried out; send it again to have its answer`;
  return new Failure("in_progress", text, { retryAfter: 1 });
}

function keyReusedError(): Failure {
  const text = `this ${idempotencyKeyHeader} stands for another request; name a new one for each`;
  return new Failure("key_reused", text);
}

function fingerprintInput({ operation, params, query, body }: Call): JsonObject {
  return { operation: operation.id, params, query, body } as JsonObject;
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** Records from before this moment are over. */
function expiryCutoff(now: Date): string {
  return toTimestamp(now.getTime() - limits.idempotencyMs);
}

/** Deletes records that are over, at most `most` of them; answers how many there were. Several may do it at once. */
export async function purgeIdempotency(db: Db, now: Date, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_records")
    .where("id", "in", (over) =>
      over
        .selectFrom("idempotency_records")
        .select("id")
        .where("created_at", "<", expiryCutoff(now))
        .orderBy("created_at")
        .limit(most),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
