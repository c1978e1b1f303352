// Writes that name an `Idempotency-Key`: carried out once, and answered alike however often they are sent within a day.
import { createHash } from "node:crypto";
import { keyHeader, keyMaxLength, takesKey } from "../../api/idempotency.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import type { Operation } from "../../core/operation.ts";
import type { Call } from "../area.ts";
import type { Seal } from "../seal.ts";
import { idempotencyPlace } from "../sealed.ts";
import { moment } from "../store/codec.ts";
import { prepared } from "../store/prepared.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";

/** What a write came to, and whether that was now or before. */
export interface Written {
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
  once(
    db: Db,
    asked: { readonly key: string; readonly call: Call },
    work: (tx: Db) => Promise<unknown>,
  ): Promise<Written>;
}

/** What is sealed in a record. */
interface Kept {
  /** SHA-256 of the request. */
  readonly request: string;
  /** In a list of one, since some writes answer with nothing; missing where it was too large to be kept. */
  readonly draft?: readonly [draft?: unknown];
}

/**
 * The key that a request names, or undefined: there is none, or the operation takes none. It may be quoted, as the
 * standard has it, or bare. Fails with `invalid` for one that is empty, too long or not printable.
 */
export function keyOf(
  operation: Operation,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const sent = headers[keyHeader.toLowerCase()];
  if (sent === undefined || !takesKey(operation)) return undefined;
  const text = typeof sent === "string" ? sent.trim() : "";
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)?.[1];
  const key =
    quoted?.replace(/\\(.)/g, "$1") ?? (/^[\x21\x23-\x2b\x2d-\x7e]*$/.exec(text)?.[0] || "");
  if (key !== "" && key.length <= keyMaxLength) return key;
  throw new Failure(
    "invalid",
    `the ${keyHeader} must be one text of 1 to ${keyMaxLength} printable characters, such as "3f2a…" with a fresh UUID`,
  );
}

/** The keyed writes of one account, whose records are sealed. Two processes on one database wait for each other. */
export function makeIdempotency(seal: Seal): Idempotency {
  /** Requests by the id of their record, from their beginning until they are durable. */
  const running = new Map<string, string>();
  return {
    async once(db, { key, call }, work) {
      const id = digest([call.principal.by, call.principal.userId, key]);
      const request = digest(requestOf(call));
      refuseRunning(running.get(id), request);
      running.set(id, request);
      try {
        return await inTransaction(db, (tx) => record(tx, { id, request, call, seal }, work));
      } finally {
        running.delete(id);
      }
    },
  };
}

interface Recording {
  readonly id: string;
  readonly request: string;
  readonly call: Call;
  readonly seal: Seal;
}

async function record(
  tx: Db,
  { id, request, call, seal }: Recording,
  work: (tx: Db) => Promise<unknown>,
): Promise<Written> {
  if (!(await take(tx, id, call.now()))) {
    return { draft: draftOf(await keptIn(tx, id, seal), request), replayed: true };
  }
  const draft = await work(tx);
  const whole = JSON.stringify({ request, draft: [draft] } satisfies Kept);
  const fits = Buffer.byteLength(whole) <= limits.idempotencyBytes;
  const text = fits ? whole : JSON.stringify({ request } satisfies Kept);
  await writeRecord(tx, { id, sealed: seal.close(text, idempotencyPlace({ id })) });
  return { draft, replayed: false };
}

/** Takes the record's place; false where it holds one that is still good. Another transaction that has it is waited for. */
async function take(tx: Db, id: string, now: Date): Promise<boolean> {
  const row = { id, at: moment(now) };
  if ((await insertRecord(tx, row)).length > 0) return true;
  const old = { id, before: oldest(now) };
  if ((await dropRecord(tx, old)).length === 0) return false;
  return (await insertRecord(tx, row)).length > 0;
}

const insertRecord = prepared((db: Db, { id, at }: { id: string; at: string }) =>
  db
    .insertInto("idempotency_records")
    .values({ id, created_at: at, sealed_record: "" })
    .onConflict((on) => on.column("id").doNothing())
    .returning("id"),
);

const dropRecord = prepared((db: Db, { id, before }: { id: string; before: string }) =>
  db
    .deleteFrom("idempotency_records")
    .where("id", "=", id)
    .where("created_at", "<", before)
    .returning("id"),
);

const writeRecord = prepared((db: Db, { id, sealed }: { id: string; sealed: string }) =>
  db
    .updateTable("idempotency_records")
    .set({ sealed_record: sealed })
    .where("id", "=", id)
    .returning("id"),
);

async function keptIn(tx: Db, id: string, seal: Seal): Promise<Kept | undefined> {
  const row = await tx
    .selectFrom("idempotency_records")
    .select("sealed_record")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw inProgress();
  try {
    return JSON.parse(seal.open(row.sealed_record, idempotencyPlace({ id }))) as Kept;
  } catch (error) {
    if (isFailure(error, "corrupt")) return undefined;
    throw error;
  }
}

function draftOf(kept: Kept | undefined, request: string): unknown {
  if (kept !== undefined && kept.request !== request) throw reused();
  if (kept?.draft !== undefined) return kept.draft[0] ?? undefined;
  throw new Failure(
    "conflict",
    "this request was carried out before, and its answer was not kept; read what it made",
  );
}

function refuseRunning(running: string | undefined, request: string): void {
  if (running === undefined) return;
  throw running === request ? inProgress() : reused();
}

function inProgress(): Failure {
  const text = `a request with this ${keyHeader} is being carried out; send it again to have its answer`;
  return new Failure("in_progress", text, { retryAfter: 1 });
}

function reused(): Failure {
  const text = `this ${keyHeader} stands for another request; name a new one for each`;
  return new Failure("key_reused", text);
}

function requestOf({ operation, params, query, body }: Call): JsonObject {
  return { operation: operation.id, params, query, body } as JsonObject;
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** Records from before this moment are over. */
function oldest(now: Date): string {
  return moment(now.getTime() - limits.idempotencyMs);
}

/** Deletes records that are over, at most `most` of them; answers how many there were. Several may do it at once. */
export async function purgeIdempotency(db: Db, now: Date, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_records")
    .where("id", "in", (over) =>
      over
        .selectFrom("idempotency_records")
        .select("id")
        .where("created_at", "<", oldest(now))
        .orderBy("created_at")
        .limit(most),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
