// Reads, replays and encodes the journal of an inventory: JSON lines that record the changes that began or ended since the
// last write. The first line names the written inventory that the journal continues.
import { Type } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import {
  closedObject,
  corrupt,
  entrySchema,
  otherFormat,
  parseJson,
  runChangeSchema,
  runSchema,
} from "./format.ts";
import type { JournalRecord } from "./store.ts";

/** The format of journals. No other one is read. */
const format = 4;
const formatPattern = /^\{"journal":(\d+),/u;

const validateHeader = declaredValidator(
  closedObject({
    journal: Type.Literal(format),
    stack: Type.String(),
    lineage: Type.String(),
    serial: Type.Integer({ minimum: 0 }),
    salt: Type.String(),
    origin: Type.Optional(Type.String()),
  }),
);

const address = Type.String();

const recordSchema = Type.Union([
  closedObject({ phase: Type.Literal("pending"), address, entry: entrySchema }),
  closedObject({ phase: Type.Literal("done"), address, entry: Type.Optional(entrySchema) }),
  closedObject({ phase: Type.Literal("run"), run: runSchema }),
  closedObject({ phase: Type.Literal("run-change"), run: Type.String(), change: runChangeSchema }),
]);

const validateRecord = declaredValidator(recordSchema);

/**
 * Names the written inventory that a journal continues, and its server. The salt identifies an inventory that was never
 * written.
 */
export type JournalHeader = Pick<Inventory, "stack" | "lineage" | "serial" | "salt" | "origin">;

/** A parsed journal. */
export interface Journal {
  readonly header: JournalHeader;
  readonly records: readonly JournalRecord[];
}

/**
 * Parses a journal; undefined if it is empty. Drops what a crash cut off at its end, which was never acknowledged. Fails with
 * `corrupt`, naming `where`, for other damage and other formats.
 */
export function parseJournal(text: string, where: string): Journal | undefined {
  if (text === "") return undefined;
  const written = Number(formatPattern.exec(text)?.[1] ?? format);
  if (written !== format) throw otherFormat(where, written, format);
  const lines = text.split("\n");
  const isEnded = lines.pop() === "";
  const values = lines.map(parseJson);
  if (isEnded && values.length > 1 && values.at(-1) === undefined) values.pop();
  const broken = (line: number): Error =>
    corrupt(where, `is damaged in line ${line}`, "Restore it and the inventory from a copy.");
  const [head, ...records] = values;
  if (validateHeader(head).length > 0) throw broken(1);
  for (const [index, record] of records.entries())
    if (validateRecord(record).length > 0) throw broken(index + 2);
  return { header: head as JournalHeader, records: records as JournalRecord[] };
}

/** Encodes a journal that begins with the header of `continued`, or continues without it. */
export function* journalTexts(
  continued: JournalHeader | undefined,
  records: readonly JournalRecord[],
): Generator<string> {
  if (continued !== undefined) yield `${JSON.stringify({ journal: format, ...continued })}\n`;
  for (const record of records) yield `${JSON.stringify(record)}\n`;
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

/** Returns an inventory that was never written, with the salt of the journal that a killed first run left. */
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
  return {
    ...inventory,
    entries: Object.fromEntries(entries),
    ...(complete && { runs: complete }),
  };
}

/** Returns the runs with this one replaced, or appended. */
function withRun(runs: readonly RunRecord[] = [], run: RunRecord): readonly RunRecord[] {
  const index = runs.findIndex(({ id }) => id === run.id);
  return index === -1 ? [...runs, run] : runs.with(index, run);
}

/**
 * Returns the runs that the inventory keeps once it contains this one: the newest, without the changes of those that exceed
 * the limit. The newest run keeps its changes, so that it can always be undone.
 */
export function trimRuns(runs: readonly RunRecord[] | undefined, run: RunRecord): RunRecord[] {
  let left: number = limits.runChangesCharacters;
  return withRun(runs, run)
    .slice(-limits.runsKept)
    .toReversed()
    .map(({ changes, ...rest }, age) => {
      if (age > 0 && rest.id !== run.undoes) left -= charactersOf(changes);
      return changes === undefined || left < 0 ? rest : { ...rest, changes };
    })
    .toReversed();
}

/** Returns the length of these changes as JSON, without making one text of them all. */
function charactersOf(changes: RunRecord["changes"] = []): number {
  return changes.reduce((sum, change) => sum + JSON.stringify(change).length + 1, 0);
}
