// Area state: encrypted contents with their latest versions, one lock per state, and a journal since the last version.
import { setImmediate as yieldTurn } from "node:timers/promises";
import {
  appendStateJournal,
  deleteState,
  findStates,
  getState,
  getStateLock,
  listStateJournal,
  listStates,
  listStateVersions,
  lockState,
  putState,
  unlockState,
} from "../../../api/state.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  handle,
  handleList,
  handleText,
  type OperationHandler,
  type Call,
  omitNullish,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { journalSealContext, stateSealContext } from "../../security/sealed-columns.ts";
import { fromJson, toTimestamp, toJson } from "../../store/codec.ts";
import { countRows, keyset } from "../../store/keyset.ts";
import { beginsWith, matches } from "../../store/sql-conditions.ts";
import type { Db, Row } from "../../store/schema.ts";
import { activeLock, requireLockId, requireLock, acquireLock } from "./locks.ts";

type State = Row<"states">;

/** The handlers of this area. */
export const state: readonly OperationHandler[] = [
  handleList(listStates, async (call) => {
    const rows = readableStates(call, call.query.prefix);
    return pageOf(call, keyset(rows, "states.id"), (row) => ({
      ...omitNullish({ lock: activeLock(row, call.now()) }),
      name: row.name,
      version: row.version,
      updatedAt: row.updated_at,
      bytes: row.bytes,
    }));
  }),
  handle(findStates, async (call) => {
    const { db, body, sealer, now } = call;
    const texts = new Set(body.texts);
    const names: string[] = [];
    const states = await readableStates(call, body.prefix).orderBy("id", "desc").execute();
    const end = now().getTime() + limits.stateSearchMs;
    for (const { id, name, version, journal_calls } of states) {
      const isRead = journal_calls === 0 && now().getTime() < end;
      // One content at a time, which may be large.
      const row = isRead ? await findVersion(db, { state_id: id, version }) : undefined;
      const content = row && fromJson(sealer.open(row.sealed_content, stateSealContext(row)));
      const isSearched = isObject(content) && content["format"] === body.format;
      if (!isSearched || mentions(content, texts)) names.push(name);
      await yieldTurn();
    }
    return { names };
  }),
  handleText(getState, async ({ db, params, query, sealer }) => {
    const found = await findState(db, params.name);
    const version = query.version ?? found?.version ?? 0;
    const row = found && (await findVersion(db, { state_id: found.id, version }));
    if (!row) throw new Failure("not_found", "there is no such state, or no such version of it");
    return sealer.open(row.sealed_content, stateSealContext(row));
  }),
  handle(putState, async (call) => {
    const { db, params, query, bodyText: text, now } = call;
    const found = await findState(db, params.name);
    requireLock(found, query.ID, now());
    const version = found?.version ?? 0;
    if (query.follows !== undefined && query.follows !== version) {
      if (found && query.follows === version - 1 && (await isLatestContent(call, found))) {
        return { name: params.name, version };
      }
      const message = `the state is at version ${version}, but this write follows version ${query.follows}`;
      throw new Failure("conflict", message, {
        remedy: "Read the state again and repeat the change on its latest version.",
      });
    }
    const at = found ?? (await insertState(call, params.name));
    await addVersion(call, at, text);
    return { name: params.name, version: version + 1 };
  }),
  handle(deleteState, async ({ db, params, query, now }) => {
    const found = await findState(db, params.name);
    requireLock(found, query.ID, now());
    if (found) await dropState(db, found, activeLock(found, now()) !== undefined);
    return { name: params.name };
  }),
  handleList(listStateVersions, async (call) => {
    const found = await findState(call.db, call.params.name);
    if (!found) throw new Failure("not_found", "there is no such state");
    const rows = call.db
      .selectFrom("state_versions")
      .select(["id", "version", "created_at", "user_id", "bytes"])
      .where("state_id", "=", found.id);
    return pageOf(call, keyset(rows, "state_versions.id"), (row) => ({
      version: row.version,
      createdAt: row.created_at,
      userId: row.user_id,
      bytes: row.bytes,
    }));
  }),
  handle(getStateLock, async ({ db, params, now }) => {
    const held = activeLock(await findState(db, params.name), now());
    if (held === undefined) throw new Failure("not_found", "this state is not locked");
    return held;
  }),
  handle(lockState, async (call) => {
    const { db, params, body, now } = call;
    const found = await findState(db, params.name);
    if (body.renew === true && !found) requireLock(found, body.ID, now());
    return acquireLock(db, found ?? (await insertState(call, params.name)), {
      request: body,
      now: now(),
    });
  }),
  handle(unlockState, async ({ db, params, body, now }) => {
    const found = await findState(db, params.name);
    requireLockId(found, (body as Partial<typeof body> | undefined)?.ID, now());
    if (found.version === 0 && found.journal_calls === 0) await dropState(db, found, false);
    else await releaseLock(db, found);
    return { name: params.name };
  }),
  handle(appendStateJournal, async (call) => {
    const { db, params, query, body, now } = call;
    const found = await findState(db, params.name);
    requireLock(found, query.ID, now());
    const text = toJson(body.lines);
    if (Buffer.byteLength(text) > limits.journalBytes) {
      const message = `the lines are longer than ${limits.journalBytes} bytes; append them in several calls`;
      throw new Failure("too_large", message);
    }
    const at = found ?? (await insertState(call, params.name));
    return { position: await appendLines(call, at, { text, position: body.position }) };
  }),
  handleList(listStateJournal, async (call) => {
    const found = await findState(call.db, call.params.name);
    const rows = call.db
      .selectFrom("state_journal")
      .selectAll()
      .where("state_id", "=", found?.id ?? 0);
    return pageOf(call, keyset(rows, "state_journal.id"), (row) => ({
      position: row.position,
      lines: fromJson(call.sealer.open(row.sealed_lines, journalSealContext(row))) as string[],
    }));
  }),
];

/** Selects the states with a content or a journal that the caller may read. */
function readableStates({ db, principal }: Pick<Call, "db" | "principal">, prefix = "") {
  const rows = db
    .selectFrom("states")
    .selectAll()
    .where((eb) => eb.or([eb("version", ">", 0), eb("journal_calls", ">", 0)]))
    .where(beginsWith("name", prefix));
  const { states } = principal.limits;
  return states ? rows.where((eb) => eb.or(states.map(({ name }) => matches("name", name)))) : rows;
}

/** Returns whether a JSON value has one of the texts as a string or as the name of a member. */
function mentions(content: unknown, texts: ReadonlySet<string>): boolean {
  const left = [content];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string" && texts.has(value)) return true;
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).some((name) => texts.has(name))) return true;
    for (const inner of Object.values(value)) left.push(inner);
  }
  return false;
}

async function findState(db: Db, name: string): Promise<State | undefined> {
  return db.selectFrom("states").selectAll().where("name", "=", name).executeTakeFirst();
}

async function findVersion(db: Db, { state_id, version }: { state_id: number; version: number }) {
  return db
    .selectFrom("state_versions")
    .selectAll()
    .where("state_id", "=", state_id)
    .where("version", "=", version)
    .executeTakeFirst();
}

async function insertState({ db, now }: Call, name: string): Promise<State> {
  const count = await countRows(db.selectFrom("states"));
  if (count >= limits.states) {
    throw new Failure("limit_reached", `an account can have at most ${limits.states} states`, {
      remedy: "Delete states that are no longer used.",
    });
  }
  const fresh = { name, version: 0, bytes: 0, journal_calls: 0, updated_at: toTimestamp(now()) };
  return db.insertInto("states").values(fresh).returningAll().executeTakeFirstOrThrow();
}

/** Returns true if the latest version has this content: the same write, repeated because its response was lost. */
async function isLatestContent(
  { db, sealer, bodyText: text }: Call,
  found: State,
): Promise<boolean> {
  const row = await findVersion(db, { state_id: found.id, version: found.version });
  return row !== undefined && sealer.open(row.sealed_content, stateSealContext(row)) === text;
}

async function addVersion({ db, sealer, now, principal }: Call, at: State, text: string) {
  const row = { state_id: at.id, version: at.version + 1 };
  const [bytes, created_at] = [Buffer.byteLength(text), toTimestamp(now())];
  await db
    .insertInto("state_versions")
    .values({
      ...row,
      created_at,
      bytes,
      user_id: principal.userId,
      sealed_content: sealer.seal(text, stateSealContext(row)),
    })
    .execute();
  await db
    .deleteFrom("state_versions")
    .where("state_id", "=", at.id)
    .where("version", "<=", row.version - limits.stateVersions)
    .execute();
  await db.deleteFrom("state_journal").where("state_id", "=", at.id).execute();
  await db
    .updateTable("states")
    .set({ version: row.version, bytes, updated_at: created_at, journal_calls: 0 })
    .where("id", "=", at.id)
    .execute();
}

/** Returns the position of the next call. A repeated call, which has the same text, changes nothing. */
async function appendLines(
  { db, sealer, now }: Call,
  at: State,
  { text, position }: { readonly text: string; readonly position: number },
): Promise<number> {
  const row = { state_id: at.id, position };
  if (position === at.journal_calls - 1) {
    const { sealed_lines } = await db
      .selectFrom("state_journal")
      .select("sealed_lines")
      .where("state_id", "=", at.id)
      .where("position", "=", position)
      .executeTakeFirstOrThrow();
    if (sealer.open(sealed_lines, journalSealContext(row)) === text) return at.journal_calls;
  }
  if (position !== at.journal_calls) {
    const message = `the journal continues at position ${at.journal_calls}, not at ${position}`;
    throw new Failure("conflict", message);
  }
  if (position >= limits.journalCalls) {
    throw new Failure(
      "limit_reached",
      "the journal is full; write the state, which empties the journal",
    );
  }
  const sealed_lines = sealer.seal(text, journalSealContext(row));
  await db
    .insertInto("state_journal")
    .values({ ...row, sealed_lines })
    .execute();
  await db
    .updateTable("states")
    .set({ journal_calls: position + 1, updated_at: toTimestamp(now()) })
    .where("id", "=", at.id)
    .execute();
  return position + 1;
}

/** Deletes all contents of a state. A locked state keeps its row so that the lock can be released. */
async function dropState(db: Db, { id }: State, isLocked: boolean): Promise<void> {
  await db.deleteFrom("state_versions").where("state_id", "=", id).execute();
  await db.deleteFrom("state_journal").where("state_id", "=", id).execute();
  if (!isLocked) {
    await db.deleteFrom("states").where("id", "=", id).execute();
    return;
  }
  await db
    .updateTable("states")
    .set({ version: 0, bytes: 0, journal_calls: 0 })
    .where("id", "=", id)
    .execute();
}

async function releaseLock(db: Db, { id }: State): Promise<void> {
  await db
    .updateTable("states")
    .set({ lock_id: null, lock_info: null, lock_until: null })
    .where("id", "=", id)
    .execute();
}
