// Breaking the lock that a dead run has left behind, and taking an inventory along to another place: by the Stack document alone.
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure, isFailure } from "../../core/errors.ts";
import { namePattern } from "../../core/identity.ts";
import { equal, type JsonValue } from "../../core/json.ts";
import { stackCommand } from "../model/shell-command.ts";
import {
  sideStack,
  fileDisplayPath,
  type OpenOptions,
  openStores,
  type Stores,
} from "../inventory/open-stores.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { inventoryFilesOf } from "../inventory/orphaned-inventories.ts";
import { loadStackAlone, type LoadOptions } from "../manifest/load.ts";
import type { Author, Inventory, InventoryBackend, RunRecord, Stack } from "../model/index.ts";
import { authorOf } from "../operator/author.ts";
import { trimRuns, moveRun } from "../engine/run-record.ts";
import { storeSuffixes, recordStore, promotionLockStore } from "../../promotion/record-store.ts";
import type { VerbResult } from "./session.ts";

/** What a verb on the inventory alone takes. */
export type InventoryOptions = LoadOptions & Pick<OpenOptions, "connection">;

const backendText: Readonly<Record<InventoryBackend, string>> = {
  file: "in its file",
  service: "at the service",
  postgres: "in the database",
};

/** Breaks the lock that has this id. Fails with `refused` where another one is held, `not_found` where none is. */
export async function unlock(
  options: InventoryOptions & { readonly id: string },
): Promise<VerbResult<{ readonly stack: string }>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  try {
    await (await stores.stackStore()).unlock(options.id);
  } catch (error) {
    if (!isFailure(error, "not_found") && !isFailure(error, "refused")) throw error;
    // It may be one of the stack's pipelines; where it is neither, the first answer stands.
    const others = [await promotionLockStore(stores), await recordStore(stores)];
    const broken = await Promise.all(others.map((one) => breakLock(one, options.id)));
    if (!broken.includes(true)) throw error;
  }
  return { ok: true, stack: stack.name, diagnostics };
}

async function breakLock(store: InventoryStore, id: string): Promise<boolean> {
  try {
    await store.unlock(id);
    return true;
  } catch {
    return false;
  }
}

/** What {@link moveInventory} did. */
export interface MoveResult {
  readonly stack: string;
  /** Objects that the inventory tells of. */
  readonly objectCount: number;
  readonly from: InventoryBackend;
  readonly to: InventoryBackend;
  /** Where the file lies now that it was in; undefined where it was in none. */
  readonly backupFile: string | undefined;
}

/** What {@link moveInventory} asks beside. */
export interface MoveOptions extends InventoryOptions {
  /** Where the inventory is; its file unless it is given. */
  readonly from?: InventoryBackend | undefined;
  /** Where `from` is a file: its path, for one that the Stack does not name; relative to the current folder. */
  readonly file?: string | undefined;
}

/**
 * Writes the stack's inventory into the place where the Stack keeps it now, and leaves none where it was: a file is put aside. Both are
 * locked meanwhile; killed at any moment, it is run again. Fails with `refused` where the place holds another inventory already.
 */
export async function moveInventory(options: MoveOptions): Promise<VerbResult<MoveResult>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const { from = "file", file } = options;
  const left = file === undefined ? stack : { ...stack, inventoryFile: resolve(options.cwd, file) };
  await using behind = openStores(left, options);
  const to = await stores.place();
  if (from === to && left.inventoryFile === stack.inventoryFile) throw alreadyMovedError(stack, to);
  const own = await (await behind.storeAt(from)).read();
  if (isEmpty(own)) throw await notFoundError(left, from);
  const move: InventoryMove = {
    stack,
    source: left,
    from,
    to,
    targetStores: stores,
    sourceStores: behind,
  };
  await assertTargetFree(own, move);
  await executeMove(move, undefined);
  return { ok: true, diagnostics, ...moveResult(own, move) };
}

/** What {@link renameInventory} asks beside. */
export interface RenameOptions extends InventoryOptions {
  /** What the stack was called. */
  readonly renamedFrom: string;
  /** Asked before anything is written. */
  readonly approve: (what: Omit<RenameResult, "backupFile">) => Promise<boolean>;
  readonly author?: Partial<Author> | undefined;
}

/** What {@link renameInventory} did. */
export interface RenameResult extends MoveResult {
  readonly renamedFrom: string;
}

/**
 * Makes the inventory that a stack of another name has in the same place this stack's, with a note in its history, and leaves none to that
 * name. Answers no `renamed` where that was not approved. Fails with `refused` where this stack has another one already, `locked` where
 * somebody writes the other, `not_found` where there is none.
 */
export async function renameInventory(
  options: RenameOptions,
): Promise<VerbResult<{ readonly renamed: RenameResult | undefined }>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  const { renamedFrom } = options;
  await using stores = openStores(stack, options);
  const left = underOldName(stack, renamedFrom);
  await using behind = openStores(left, options);
  const place = await stores.place();
  const move: InventoryMove = {
    stack,
    source: left,
    from: place,
    to: place,
    targetStores: stores,
    sourceStores: behind,
  };
  const own = await (await behind.storeAt(place)).read();
  if (isEmpty(own)) throw await notFoundError(left, place);
  await assertTargetFree(own, move);
  const { backupFile: kept, ...what } = { ...moveResult(own, move), renamedFrom };
  if (!(await options.approve(what))) return { ok: true, diagnostics, renamed: undefined };
  const author = authorOf(
    { ...options.author, message: `renamed from the stack ${renamedFrom}` },
    { env: options.env, folder: stack.folder },
  );
  await executeMove(move, moveRun(author, new Date()));
  return { ok: true, diagnostics, renamed: { ...what, backupFile: kept } };
}

/** The stack as it was under another name: with the file of that name, unless the Stack names one. */
function underOldName(stack: Stack, name: string): Stack {
  const fileOf = (one: string) => join(stack.folder, `.svc/${one}.inventory.json`);
  if (name === stack.name || !new RegExp(namePattern, "u").test(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} is no other name of a stack`, {
      remedy: "say what the stack was called before: --renamed-from NAME",
    });
  }
  const isNamed = stack.inventoryFile !== fileOf(stack.name);
  return { ...stack, name, inventoryFile: isNamed ? stack.inventoryFile : fileOf(name) };
}

/** From where an inventory is, and as whose, to where it is to be. */
interface InventoryMove {
  readonly stack: Stack;
  /** The stack as it was: with another file, or another name. */
  readonly source: Stack;
  readonly from: InventoryBackend;
  readonly to: InventoryBackend;
  readonly targetStores: Stores;
  readonly sourceStores: Stores;
}

/** The file stays, and only says another name. */
function isRenameInPlace({ stack, source: left, from, to }: InventoryMove): boolean {
  return from === "file" && to === "file" && stack.inventoryFile === left.inventoryFile;
}

function moveResult(own: Inventory, way: InventoryMove): MoveResult {
  const { stack, source: left, from, to } = way;
  const kept = from === "file" && !isRenameInPlace(way) ? backupPathOf(left) : undefined;
  return {
    stack: stack.name,
    objectCount: Object.keys(own.entries).length,
    from,
    to,
    backupFile: kept,
  };
}

async function assertTargetFree(own: Inventory, way: InventoryMove): Promise<void> {
  if (isRenameInPlace(way)) return;
  const found = await (await way.targetStores.storeAt(way.to)).read();
  if (!isEmpty(found) && !equal(contentOf(found), contentOf(own)))
    throw targetOccupiedError(way.stack.name);
}

async function executeMove(way: InventoryMove, note: RunRecord | undefined): Promise<void> {
  const { stack, source: left, from, to, targetStores: stores, sourceStores: behind } = way;
  // Whoever promotes would go on with what is left behind.
  const lock = await (await behind.storeAt(from, storeSuffixes.running)).lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  // What pipelines hold goes first: with it left behind, a stage that is held would not be any more.
  for (const mark of [storeSuffixes.record, undefined]) {
    const [source, goal] = [await behind.storeAt(from, mark), await stores.storeAt(to, mark)];
    const noted = mark === undefined ? note : undefined;
    if (isRenameInPlace(way)) {
      const name = mark === undefined ? stack.name : sideStack(stack, mark).name;
      if (!(await isReadable(goal))) await renameStoredInventory(source, name, noted);
    } else if (!isEmpty(await source.read())) {
      const at = mark === undefined ? left : sideStack(left, mark);
      await moveStoredInventory(at, {
        from: source,
        to: goal,
        fromFile: from === "file",
        runRecord: noted,
      });
    }
  }
}

/** False for one that still says the other name. */
async function isReadable(store: InventoryStore): Promise<boolean> {
  try {
    await store.read();
    return true;
  } catch (error) {
    if (isFailure(error, "corrupt")) return false;
    throw error;
  }
}

async function renameStoredInventory(
  from: InventoryStore,
  stack: string,
  note: RunRecord | undefined,
): Promise<void> {
  const lock = await from.lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  await lock.write({ ...withRunRecord(await from.read(), note), stack });
}

function withRunRecord(inventory: Inventory, note: RunRecord | undefined): Inventory {
  return note === undefined ? inventory : { ...inventory, runs: trimRuns(inventory.runs, note) };
}

interface StoreMove {
  readonly from: InventoryStore;
  readonly to: InventoryStore;
  /** Where it comes from is the stack's file. */
  readonly fromFile: boolean;
  /** For the history of what is written. */
  readonly runRecord: RunRecord | undefined;
}

async function moveStoredInventory(
  stack: Stack,
  { from, to, fromFile: inFile, runRecord: note }: StoreMove,
): Promise<void> {
  await using locks = new AsyncDisposableStack();
  const here = await from.lock("move");
  locks.defer(() => here.release());
  const there = await to.lock("move");
  locks.defer(() => there.release());
  const inventory = await from.read();
  const found = await to.read();
  if (isEmpty(found)) {
    const { stack: name, lineage, serial } = found;
    await there.write({ ...withRunRecord(inventory, note), stack: name, lineage, serial });
  } else if (!equal(contentOf(found), contentOf(inventory))) {
    throw targetOccupiedError(found.stack);
  }
  // What the journal tells becomes part of the file that is kept.
  await here.write(inFile ? inventory : emptyInventory(inventory));
  if (inFile) renameSync(stack.inventoryFile, backupPathOf(stack));
}

function backupPathOf({ inventoryFile }: Stack): string {
  return `${inventoryFile}.moved`;
}

/** Nothing would be lost with it. */
function isEmpty({ entries, pipelines = {}, runs = [] }: Inventory): boolean {
  return [entries, pipelines, runs].every((some) => Object.keys(some).length === 0);
}

function emptyInventory({ stack, lineage, serial, salt }: Inventory): Inventory {
  return { stack, lineage, serial, salt, origin: undefined, entries: {} };
}

function contentOf({ entries, pipelines }: Pick<Inventory, "entries" | "pipelines">): JsonValue {
  return JSON.parse(JSON.stringify({ entries, pipelines })) as JsonValue;
}

function alreadyMovedError({ name }: Stack, place: InventoryBackend): Failure {
  return new Failure(
    "usage",
    `the inventory of the stack ${name} is kept ${backendText[place]}, where the Stack looks for it`,
    {
      remedy:
        place === "file"
          ? "say where it comes from: --from service or --from postgres"
          : "write the new place into the Stack first",
    },
  );
}

async function notFoundError(stack: Stack, place: InventoryBackend): Promise<Failure> {
  const where = place === "file" ? `in ${stack.inventoryFile}` : backendText[place];
  const [other] = await inventoryFilesOf(stack);
  return new Failure("not_found", `there is not an inventory of the stack ${stack.name} ${where}`, {
    remedy:
      other === undefined
        ? "say where it is: --from file, --from service, --from postgres, or --from and the path of its file"
        : `one lies in ${other}: ${stackCommand(stack, "move-inventory", "--from", fileDisplayPath(stack, other))}`,
  });
}

function targetOccupiedError(stack: string): Failure {
  return new Failure(
    "refused",
    `where it would be moved to lies another inventory of the stack ${stack}`,
    {
      remedy: "find out which is right, and put the other aside by hand",
    },
  );
}
