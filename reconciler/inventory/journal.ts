// Reads, replays and appends the journal of an inventory: JSON lines that record the changes that began or ended since
// the last write.
import { closeSync, fsync, openSync, rmSync, write } from "node:fs";
import { Type } from "typebox";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import { joinTexts, readIfExists, writeAtomically } from "../../files/atomic-files.ts";
import {
  corrupt,
  entriesOf,
  entrySchema,
  newerFormat,
  parseJson,
  runChangeSchema,
  runSchema,
} from "./format.ts";
import { recordWithCurrentNames } from "./former-names.ts";
import { joinFragments, journalLines } from "./journal-lines.ts";
import type { JournalRecord } from "./store.ts";

/** Format 3 has the members of inventories of format 11; a journal of an earlier format can have records of both. */
const format = 3;

const headerSchema = Type.Object(
  {
    journal: Type.Integer({ minimum: 1, maximum: format }),
    stack: Type.String(),
    lineage: Type.String(),
    serial: Type.Integer({ minimum: 0 }),
    salt: Type.String(),
  },
  { additionalProperties: false },
);

const validateHeader = declaredValidator(headerSchema);

const recordSchema = Type.Union([
  Type.Object(
    { phase: Type.Literal("pending"), address: Type.String(), entry: entrySchema },
    { additionalProperties: false },
  ),
  Type.Object(
    { phase: Type.Literal("done"), address: Type.String(), entry: Type.Optional(entrySchema) },
    { additionalProperties: false },
  ),
  Type.Object({ phase: Type.Literal("run"), run: runSchema }, { additionalProperties: false }),
  Type.Object(
    { phase: Type.Literal("run-change"), run: Type.String(), change: runChangeSchema },
    { additionalProperties: false },
  ),
]);

const validateRecord = declaredValidator(recordSchema);

/** Names the written inventory that a journal continues; the salt identifies an inventory that was never written. */
export interface JournalHeader {
  readonly stack: string;
  readonly lineage: string;
  readonly serial: number;
  readonly salt: string;
}

/** A parsed journal. */
export interface Journal {
  readonly header: JournalHeader;
  readonly records: readonly JournalRecord[];
}

/** Returns the path of the journal of the inventory at `path`. */
export function journalPath(path: string): string {
  return `${path}.journal`;
}

/** Reads the journal beside `path` and drops a last line that a crash cut off. Fails with `corrupt` on any other damage. */
export function readJournal(path: string): Journal | undefined {
  const where = journalPath(path);
  const text = readIfExists(where);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  // The write of the text after the last line end was never acknowledged.
  const rest = lines.pop();
  const values = lines.map(parseJson);
  if (values.at(-1) === undefined && values.length > 1 && rest === "") values.pop();
  return journalOf(values, where);
}

/** Builds a journal from its parsed lines. Fails with `corrupt`, naming `where`, for a line that is not a journal record. */
export function journalOf(values: readonly unknown[], where: string): Journal {
  const [head, ...rest] = values;
  const written = isObject(head) ? head["journal"] : undefined;
  if (typeof written === "number" && written > format)
    throw corrupt(where, ...newerFormat(written, format));
  const broken = (line: number): Error =>
    corrupt(where, `is damaged in line ${line}`, "Restore it and the inventory from a copy.");
  if (validateHeader(head).length > 0) throw broken(1);
  const records = joinFragments(rest).map(({ value, line }) => ({
    value: written === format ? value : recordWithCurrentNames(value),
    line,
  }));
  for (const { value, line } of records)
    if (validateRecord(value).length > 0) throw broken(line + 1);
  const { journal: _, ...header } = head as JournalHeader & { journal: number };
  return { header, records: records.map(({ value }) => value as JournalRecord) };
}

/** Returns the header of a journal that continues `inventory`. */
export function headerOf({ stack, lineage, serial, salt }: Inventory): JournalHeader {
  return { stack, lineage, serial, salt };
}

/** Returns the first line of a journal. */
export function headerLine(header: JournalHeader): object {
  return { journal: format, ...header };
}

/**
 * Returns the records that the written inventory does not contain yet: none if it is newer than the journal. Fails with
 * `corrupt`, naming `where`, for the journal of another inventory.
 */
export function recordsSince(
  written: Inventory,
  journal: Journal | undefined,
  where: string,
): readonly JournalRecord[] {
  if (!journal) return [];
  const { lineage, serial } = journal.header;
  if (lineage === written.lineage && serial === written.serial) return journal.records;
  // The inventory was written later and contains all records of the journal.
  if ((lineage === written.lineage || lineage === "") && serial < written.serial) return [];
  throw corrupt(
    where,
    `continues serial ${serial} of ${lineage || "a new inventory"}, but the inventory beside it is at serial ${written.serial} of ${written.lineage || "a new inventory"}`,
    "Restore the inventory that belongs to it.",
  );
}

/** Returns an inventory that was never written, with the salt of the journal that a crashed first run left. */
export function emptyInventory(
  journal: Journal | undefined,
  stack: string | undefined,
  salt: string,
): Inventory {
  return {
    stack: journal?.header.stack ?? stack ?? "",
    lineage: "",
    serial: 0,
    origin: undefined,
    salt: journal?.header.salt ?? salt,
    entries: {},
  };
}

/** Returns the inventory with the records applied. */
export function replay(inventory: Inventory, records: readonly JournalRecord[]): Inventory {
  if (records.length === 0) return inventory;
  const entries = new Map<string, Entry>(Object.entries(inventory.entries));
  let { runs } = inventory;
  const runChanges = new Map<string, RunChange[]>();
  for (const record of records) {
    if (record.phase === "run") {
      runs = withRun(runs, record.run);
      runChanges.set(record.run.id, [...(record.run.changes ?? [])]);
    } else if (record.phase === "run-change") runChanges.get(record.run)?.push(record.change);
    else if (record.phase === "pending")
      entries.set(record.address, { ...record.entry, pending: true });
    else if (record.entry === undefined) entries.delete(record.address);
    else entries.set(record.address, record.entry);
  }
  const complete = runs?.map((run) => {
    const changes = runChanges.get(run.id);
    return changes === undefined ? run : { ...run, changes };
  });
  return { ...inventory, entries: entriesOf(entries), ...(complete && { runs: complete }) };
}

/** Returns the runs with this one replaced, or appended. */
export function withRun(runs: readonly RunRecord[] = [], run: RunRecord): readonly RunRecord[] {
  const at = runs.findIndex(({ id }) => id === run.id);
  return at === -1 ? [...runs, run] : runs.with(at, run);
}

interface PendingAppend {
  readonly records: readonly JournalRecord[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Appends to the journal file of an inventory. Calls made during a sync are written together, so that many objects cost
 * few syncs. Each call resolves when its own records are on disk.
 */
export class JournalWriter {
  readonly #path: string;
  readonly #mayWrite: () => void;
  #header: JournalHeader;
  #file: number | undefined;
  #isEmpty = true;
  #queue: PendingAppend[] = [];
  #running: Promise<void> | undefined;
  #isBroken = false;

  /** Calls `mayWrite` before and after each write; it throws when the lock is lost. */
  constructor(path: string, header: JournalHeader, mayWrite: () => void) {
    this.#path = journalPath(path);
    this.#header = header;
    this.#mayWrite = mayWrite;
  }

  /**
   * Replaces the journal file with one that begins with `records`. A writer that lost its lock still has the old file
   * open, so no reader sees its lines.
   */
  start(records: readonly JournalRecord[]): void {
    this.#stop();
    const lines = linesOf([headerLine(this.#header), ...records]);
    writeAtomically(this.#path, lines, { beforeRename: this.#mayWrite });
    this.#file = openSync(this.#path, "a");
    this.#isEmpty = records.length === 0;
  }

  /** Appends records and syncs them. */
  append(records: readonly JournalRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    return new Promise((done, failed) => {
      this.#queue.push({ records, done, failed });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when no append is in progress. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Removes the journal file: the inventory that `header` names contains its records. */
  reset(header: JournalHeader): void {
    this.#stop();
    this.#header = header;
    rmSync(this.#path, { force: true });
  }

  /** Closes the journal file, and removes an empty one while the lock is held. */
  end(isHeld: boolean): void {
    const remove = isHeld && this.#isEmpty && this.#file !== undefined;
    this.#stop();
    if (remove) rmSync(this.#path, { force: true });
  }

  #stop(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#isEmpty = true;
  }

  async #drain(): Promise<void> {
    // Waits for a microtask, so that calls of the same turn share one sync.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#write(batch.flatMap(({ records }) => records));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#running = undefined;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    // A line after half a line would read as damage.
    if (this.#isBroken) throw journalUnusable(this.#path);
    this.#mayWrite();
    if (this.#file === undefined) this.start([]);
    const file = this.#file;
    invariant(file !== undefined, "the journal is open once it was started");
    this.#isEmpty = false;
    try {
      for (const text of joinTexts(linesOf(records)))
        await appendAll(file, Buffer.from(text, "utf8"));
      await synced(file);
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
    this.#mayWrite();
  }
}

function journalUnusable(path: string): Failure {
  return new Failure("unavailable", `the journal ${path} could not be written`, {
    details: { path },
    remedy:
      "Check that its disk is not full and run the command again: it continues from the records.",
  });
}

function* linesOf(records: Iterable<object>): Generator<string> {
  for (const line of journalLines(records)) yield `${line}\n`;
}

async function appendAll(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await new Promise<number>((done, failed) => {
      write(file, bytes, at, bytes.length - at, null, (error, count) =>
        error ? failed(error) : done(count),
      );
    });
  }
}

function synced(file: number): Promise<void> {
  return new Promise((done, failed) => {
    fsync(file, (error) => (error ? failed(error) : done()));
  });
}
