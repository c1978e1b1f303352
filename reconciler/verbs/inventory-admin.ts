// Breaks the lock of a dead run, and moves or renames an inventory. Reads only the Stack document.
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { isName } from "../../core/kind/identity.ts";
import { equal, type JsonValue } from "../../core/json.ts";
import { stackCommand } from "../model/shell-command.ts";
import {
  companionStack,
  type OpenOptions,
  openStores,
  promotionLockStore,
  recordStore,
  type Stores,
  storeSuffixes,
} from "../inventory/open-stores.ts";
import { type Hold, holdLocks } from "../inventory/release-locks.ts";
import type { InventoryStore, UnlockOptions } from "../inventory/store.ts";
import { loadStackAlone, type LoadOptions } from "../manifest/load.ts";
import type { Author, Inventory, InventoryBackend, RunRecord, Stack } from "../model/index.ts";
import { authorOf } from "../operator/author.ts";
import { moveRun } from "../engine/run-record.ts";
import { trimRuns } from "../inventory/journal.ts";
import type { VerbResult } from "./session.ts";

/** Options of a verb on the inventory alone. */
export type InventoryOptions = LoadOptions & Pick<OpenOptions, "connection">;

const backendText: Readonly<Record<InventoryBackend, string>> = {
  file: "in a file",
  service: "at the service",
  postgres: "in the database",
};

/**
 * Breaks the lock with this id: of the stack, or of its pipelines. Fails with `locked` if its holder may
 * run and `force` is not set, `refused` if another lock is held, and `not_found` if there is none.
 */
export async function unlock(
  options: InventoryOptions & UnlockOptions & { readonly id: string },
): Promise<VerbResult<{ readonly stack: string }>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const storesToOpen = [() => stores.stackStore(), promotionLockStore, recordStore];
  let firstError: unknown;
  for (const open of storesToOpen) {
    try {
      await (await open(stores)).unlock(options.id, options);
      return { ok: true, stack: stack.name, diagnostics };
    } catch (error) {
      // Another store of the stack may have the lock with this id.
      if (!isFailure(error, "not_found") && !isFailure(error, "refused")) throw error;
      firstError ??= error;
    }
  }
  throw firstError;
}

/** Result of {@link moveInventory}. */
export interface MoveResult {
  readonly stack: string;
  /** Objects in the inventory. */
  readonly objectCount: number;
  readonly from: InventoryBackend;
  readonly to: InventoryBackend;
  /** New path of the previous inventory file, if there was one. */
  readonly backupFile: string | undefined;
}

/** Additional options of {@link moveInventory}. */
export interface MoveOptions extends InventoryOptions {
  /** Current backend of the inventory (default: file). */
  readonly from?: InventoryBackend | undefined;
  /**
   * If `from` is a file: its path, if the Stack does not name it; relative to the current folder.
   */
  readonly file?: string | undefined;
}

/**
 * Moves the inventory to the backend that the Stack names; a file is kept under another name. Locks
 * both; after an interruption, run it again. Fails with `refused` if the target already has an
 * inventory, or is a server other than the one that the stack was applied to.
 */
export async function moveInventory(options: MoveOptions): Promise<VerbResult<MoveResult>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const { from = "file", file } = options;
  const left = file === undefined ? stack : { ...stack, inventoryFile: resolve(options.cwd, file) };
  await using behind = openStores(left, options);
  const to = await stores.place();
  if (from === to && left.inventoryFile === stack.inventoryFile) {
    const isHere = !isEmpty(await (await stores.storeAt(to)).read());
    throw isHere ? alreadyMovedError(stack, to) : notFoundError(stack, to);
  }
  const inventory = await (await behind.storeAt(from)).read();
  if (isEmpty(inventory)) {
    const isMoved = !isEmpty(await (await stores.storeAt(to)).read());
    throw isMoved ? alreadyMovedError(stack, to) : notFoundError(left, from);
  }
  const move: InventoryMove = {
    stack,
    source: left,
    from,
    to,
    targetStores: stores,
    sourceStores: behind,
  };
  if (to === "service") await rejectOtherServer(inventory, move);
  await assertTargetFree(inventory, move);
  const unreleased = await executeMove(move, undefined);
  return { ok: true, diagnostics: [...diagnostics, ...unreleased], ...moveResult(inventory, move) };
}

/** Additional options of {@link renameInventory}. */
export interface RenameOptions extends InventoryOptions {
  /** Previous name of the stack. */
  readonly renamedFrom: string;
  /** Called before any write. */
  readonly approve: (what: Omit<RenameResult, "backupFile">) => Promise<boolean>;
  readonly author?: Partial<Author> | undefined;
}

/** Result of {@link renameInventory}. */
export interface RenameResult extends MoveResult {
  readonly renamedFrom: string;
}

/**
 * Gives the inventory of another stack name in the same backend to this stack, with a note in its
 * history. Returns no `renamed` if that was not approved. Fails with `refused` if this stack already
 * has an inventory, `locked` if the other is in use, `not_found` if there is none.
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
  const inventory = await (await behind.storeAt(place)).read();
  if (isEmpty(inventory)) throw oldNameNotFoundError(left, stack, place);
  await assertTargetFree(inventory, move);
  const { backupFile: kept, ...what } = { ...moveResult(inventory, move), renamedFrom };
  if (!(await options.approve(what))) return { ok: true, diagnostics, renamed: undefined };
  const author = await authorOf(options.author, { env: options.env, stack });
  const note = moveRun(author, { type: "name", from: renamedFrom }, new Date());
  const unreleased = await executeMove(move, note);
  const renamed = { ...what, backupFile: kept };
  return { ok: true, diagnostics: [...diagnostics, ...unreleased], renamed };
}

/**
 * Returns the stack under its previous name: with the file of that name, unless the Stack names one.
 */
function underOldName(stack: Stack, name: string): Stack {
  const fileOf = (one: string) => join(stack.folder, `.svc/${one}.inventory.json`);
  if (name === stack.name || !isName(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} is not another stack name`, {
      remedy: "Pass the previous name of the stack: --renamed-from NAME",
    });
  }
  const isNamed = stack.inventoryFile !== fileOf(stack.name);
  return { ...stack, name, inventoryFile: isNamed ? stack.inventoryFile : fileOf(name) };
}

/** Source and target of a move. */
interface InventoryMove {
  readonly stack: Stack;
  /** The stack with its previous file or name. */
  readonly source: Stack;
  readonly from: InventoryBackend;
  readonly to: InventoryBackend;
  readonly targetStores: Stores;
  readonly sourceStores: Stores;
}

/** Set if the file stays and only its name changes. */
function isRenameInPlace({ stack, source: left, from, to }: InventoryMove): boolean {
  return from === "file" && to === "file" && stack.inventoryFile === left.inventoryFile;
}

function moveResult(inventory: Inventory, move: InventoryMove): MoveResult {
  const { stack, source: left, from, to } = move;
  const kept = from === "file" && !isRenameInPlace(move) ? backupPathOf(left) : undefined;
  return {
    stack: stack.name,
    objectCount: Object.keys(inventory.entries).length,
    from,
    to,
    backupFile: kept,
  };
}

/** All inventories of a server are about its own objects, so no other server gets this one. */
async function rejectOtherServer(
  { origin, entries }: Inventory,
  { stack, targetStores: stores }: InventoryMove,
): Promise<void> {
  if (origin === undefined || Object.keys(entries).length === 0) return;
  const connected = await stores.serverOrigin();
  if (origin === connected) return;
  const change = stackCommand(stack, "inventory", "move", "--former-url", origin);
  throw new Failure(
    "refused",
    `stack ${stack.name} was applied to ${origin}, and you are connected to ${connected}`,
    {
      remedy: `Connect to ${origin}; if that server has the address ${connected} now, first restore \`inventory\` in the Stack, and run \`${change}\`.`,
    },
  );
}

async function assertTargetFree(inventory: Inventory, move: InventoryMove): Promise<void> {
  if (isRenameInPlace(move)) return;
  const target = await (await move.targetStores.storeAt(move.to)).read();
  if (!isEmpty(target) && !equal(contentOf(target), contentOf(inventory)))
    throw targetOccupiedError(move.stack.name);
}

/** Returns a warning for each lock that could not be released. */
async function executeMove(
  move: InventoryMove,
  note: RunRecord | undefined,
): Promise<readonly Diagnostic[]> {
  const { from, sourceStores: behind } = move;
  const { unreleased } = await holdLocks(async (hold) => {
    // A promotion would continue with records that are left behind.
    await hold((await behind.storeAt(from, storeSuffixes.running)).lock("move"));
    await moveStores(move, note, hold);
  });
  return unreleased;
}

async function moveStores(
  move: InventoryMove,
  note: RunRecord | undefined,
  hold: Hold,
): Promise<void> {
  const { stack, source: left, from, to, targetStores: stores, sourceStores: behind } = move;
  // Pipeline records move first: if they were lost, a held stage would be released.
  for (const suffix of [storeSuffixes.record, undefined]) {
    const [source, goal] = [await behind.storeAt(from, suffix), await stores.storeAt(to, suffix)];
    const noted = suffix === undefined ? note : undefined;
    if (isRenameInPlace(move)) {
      const name = suffix === undefined ? stack.name : companionStack(stack, suffix).name;
      if (!(await isReadable(goal)))
        await renameStoredInventory(source, name, { note: noted, hold });
    } else if (!isEmpty(await source.read())) {
      const companion = suffix === undefined ? left : companionStack(left, suffix);
      await moveStoredInventory(companion, {
        from: source,
        to: goal,
        fromFile: from === "file",
        runRecord: noted,
        hold,
      });
    }
  }
}

/** False for a record that still has the other name. */
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
  { note, hold }: { readonly note: RunRecord | undefined; readonly hold: Hold },
): Promise<void> {
  const lock = await hold(from.lock("move"));
  await lock.write({ ...withRunRecord(lock.inventory, note), stack });
}

function withRunRecord(inventory: Inventory, note: RunRecord | undefined): Inventory {
  return note === undefined ? inventory : { ...inventory, runs: trimRuns(inventory.runs, note) };
}

interface StoreMove {
  readonly from: InventoryStore;
  readonly to: InventoryStore;
  /** True if the source is the stack's file. */
  readonly fromFile: boolean;
  /** Entry for the history. */
  readonly runRecord: RunRecord | undefined;
  /** Holds the locks of both until the whole move ends. */
  readonly hold: Hold;
}

async function moveStoredInventory(
  stack: Stack,
  { from, to, fromFile, runRecord: note, hold }: StoreMove,
): Promise<void> {
  const sourceLock = await hold(from.lock("move"));
  const targetLock = await hold(to.lock("move"));
  const { inventory } = sourceLock;
  const { inventory: target } = targetLock;
  if (isEmpty(target)) {
    const { stack: name, lineage, serial } = target;
    await targetLock.write({ ...withRunRecord(inventory, note), stack: name, lineage, serial });
  } else if (!equal(contentOf(target), contentOf(inventory))) {
    throw targetOccupiedError(target.stack);
  }
  // The journal becomes part of the kept file.
  await sourceLock.write(fromFile ? inventory : emptyInventory(inventory));
  if (fromFile) renameSync(stack.inventoryFile, backupPathOf(stack));
}

function backupPathOf({ inventoryFile }: Stack): string {
  return `${inventoryFile}.moved`;
}

/** True if nothing would be lost. */
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
    `the inventory of stack ${name} is already stored ${backendText[place]}, as the Stack says`,
    {
      remedy:
        "To move it, first set another `inventory` in the Stack, then run " +
        `\`svc inventory move --from ${place}\`. To give one object to another stack, use ` +
        "`svc inventory move ADDRESS --to STACK`.",
    },
  );
}

function notFoundError(stack: Stack, place: InventoryBackend): Failure {
  const where = place === "file" ? `in ${stack.inventoryFile}` : backendText[place];
  const places = Object.keys(backendText).filter((other) => other !== place);
  return new Failure("not_found", `stack ${stack.name} has no inventory ${where}`, {
    remedy: `If it was applied, pass the location of its inventory: ${places.map((other) => `--from ${other}`).join(", ")}, or --from with the path of its file.`,
  });
}

/** `--from` does not help here: a rename stays in one backend. */
function oldNameNotFoundError(old: Stack, stack: Stack, place: InventoryBackend): Failure {
  const where = place === "file" ? `in ${old.inventoryFile}` : backendText[place];
  const move = stackCommand(stack, "inventory", "move", "--from", "PLACE");
  return new Failure("not_found", `stack ${old.name} has no inventory ${where}`, {
    remedy: `Pass the name that the stack ${stack.name} had before; if its inventory is elsewhere, name the Stack ${old.name} again and move it first: ${move}`,
  });
}

function targetOccupiedError(stack: string): Failure {
  return new Failure("refused", `the target already has another inventory of stack ${stack}`, {
    remedy: "Find out which one is right, and move the other away by hand.",
  });
}
