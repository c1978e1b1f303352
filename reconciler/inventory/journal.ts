// The journal beside an inventory file: JSON lines that say what was begun and ended since the file was last written.
import { closeSync, fsync, openSync, rmSync, write } from "node:fs";
import { Type } from "typebox";
import { Failure, invariant } from "../../core/errors.ts";
import { validator } from "../../core/validate.ts";
import type { Entry, Inventory, RunRecord } from "../model/index.ts";
import { readIfExists, writeAtomically } from "../operator/atomic-write.ts";
import { corrupt, entriesOf, entrySchema, parseJson, runSchema } from "./format.ts";
import type { JournalRecord } from "./store.ts";

const format = 1;

const headerSchema = Type.Object(
  {
    journal: Type.Literal(format),
    stack: Type.String(),
    lineage: Type.String(),
    serial: Type.Integer({ minimum: 0 }),
    salt: Type.String(),
  },
  { additionalProperties: false },
);

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
]);

/** Which writing of which inventory a journal goes on from; the salt is here for one that was never written. */
export interface JournalHeader {
  readonly stack: string;
  readonly lineage: string;
  readonly serial: number;
  readonly salt: string;
}

/** A journal as it was read. */
export interface Journal {
  readonly header: JournalHeader;
  readonly records: readonly JournalRecord[];
}

/** Where the journal of the inventory at `path` lies. */
export function journalPath(path: string): string {
  return `${path}.journal`;
}

/** The journal beside `path`, without a last line that a crash has torn; fails with `corrupt` on any other damage. */
export function readJournal(path: string): Journal | undefined {
  const where = journalPath(path);
  const text = readIfExists(where);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  // What follows the last line end was never finished, so nobody relied on it.
  const jsonError = lines.pop();
  const values = lines.map(parseJson);
  if (values.at(-1) === undefined && values.length > 1 && jsonError === "") values.pop();
  return journalOf(values, where);
}

/** The journal whose lines spell these values; fails with `corrupt`, naming `where`, for a line that is none of a journal's. */
export function journalOf(values: readonly unknown[], where: string): Journal {
  const [head, ...rest] = values;
  const broken = (line: number): Error =>
    corrupt(where, `is damaged in line ${line}`, "Restore it and the inventory from a copy.");
  if (validator(headerSchema)(head).length > 0) throw broken(1);
  const validRecord = validator(recordSchema);
  rest.forEach((value, index) => {
    if (validRecord(value).length > 0) throw broken(index + 2);
  });
  const { journal: _, ...header } = head as JournalHeader & { journal: number };
  return { header, records: rest as readonly JournalRecord[] };
}

/** The header of a journal that goes on from `inventory`. */
export function headerOf({ stack, lineage, serial, salt }: Inventory): JournalHeader {
  return { stack, lineage, serial, salt };
}

/** The line that a journal begins with. */
export function headerLine(header: JournalHeader): object {
  return { journal: format, ...header };
}

/**
 * What `journal` tells beyond the inventory as it was written: nothing where that is newer. Fails with `corrupt`, naming
 * `where`, for the journal of another inventory.
 */
export function recordsSince(
  written: Inventory,
  journal: Journal | undefined,
  where: string,
): readonly JournalRecord[] {
  if (!journal) return [];
  const { lineage, serial } = journal.header;
  if (lineage === written.lineage && serial === written.serial) return journal.records;
  // Written since: the inventory says all that the journal does.
  if ((lineage === written.lineage || lineage === "") && serial < written.serial) return [];
  throw corrupt(
    where,
    `goes on from serial ${serial} of ${lineage || "a new inventory"}, but the inventory beside it is at serial ${written.serial} of ${written.lineage || "a new one"}`,
    "Restore the inventory that belongs to it.",
  );
}

/** An inventory that was never written; what a first run that crashed began belongs to its journal's salt. */
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

/** The inventory after what the records tell. */
export function replay(inventory: Inventory, records: readonly JournalRecord[]): Inventory {
  if (records.length === 0) return inventory;
  const entries = new Map<string, Entry>(Object.entries(inventory.entries));
  let { runs } = inventory;
  for (const record of records) {
    if (record.phase === "run") runs = withRun(runs, record.run);
    else if (record.phase === "pending")
      entries.set(record.address, { ...record.entry, pending: true });
    else if (record.entry === undefined) entries.delete(record.address);
    else entries.set(record.address, record.entry);
  }
  return { ...inventory, entries: entriesOf(entries), ...(runs && { runs }) };
}

/** The runs with this one in its place, or at the end. */
export function withRun(runs: readonly RunRecord[] = [], run: RunRecord): readonly RunRecord[] {
  const at = runs.findIndex(({ id }) => id === run.id);
  return at === -1 ? [...runs, run] : runs.with(at, run);
}

interface PendingAppend {
  readonly text: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Appends to the journal of an inventory. Calls that come while one is being synced are written together, so that many
 * objects at a time cost few syncs; each call ends when its own records are on disk.
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

  /** `mayWrite` is asked before and after every writing, and throws when the right to write is lost. */
  constructor(path: string, header: JournalHeader, mayWrite: () => void) {
    this.#path = journalPath(path);
    this.#header = header;
    this.#mayWrite = mayWrite;
  }

  /**
   * Starts a journal of its own that begins with `records`. A writer whose lock was taken over still holds the file that
   * this one replaces, so that nothing it appends can be read.
   */
  start(records: readonly JournalRecord[]): void {
    this.#stop();
    const lines = [headerLine(this.#header), ...records].map(lineOf);
    writeAtomically(this.#path, lines, this.#mayWrite);
    this.#file = openSync(this.#path, "a");
    this.#isEmpty = records.length === 0;
  }

  /** Appends records and syncs them. */
  append(records: readonly JournalRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    const text = records.map(lineOf).join("");
    return new Promise((done, failed) => {
      this.#queue.push({ text, done, failed });
      this.#running ??= this.#drain();
    });
  }

  /** Ends when nothing is being appended. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Forgets what was recorded, since the inventory that `header` names says it now. */
  reset(header: JournalHeader): void {
    this.#stop();
    this.#header = header;
    rmSync(this.#path, { force: true });
  }

  /** Closes the journal; one that records nothing is removed while the right to write is held. */
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
    // Leaves the caller's turn first, so that calls made at once share one sync.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#write(batch.map(({ text }) => text).join(""));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#running = undefined;
  }

  async #write(text: string): Promise<void> {
    // After half a line nothing more may follow: it would read as damage in the middle.
    if (this.#isBroken) throw journalUnusable(this.#path);
    this.#mayWrite();
    if (this.#file === undefined) this.start([]);
    const file = this.#file;
    invariant(file !== undefined, "the journal is open once it was started");
    this.#isEmpty = false;
    try {
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
  return new Failure("unavailable", `The journal ${path} could not be written.`, {
    details: { path },
    remedy: "Check that its disk is not full, and run it again: it goes on from what was recorded.",
  });
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
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
