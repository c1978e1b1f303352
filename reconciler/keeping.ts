// Breaking the lock that a dead run has left behind, and taking an inventory along to another place: by the Stack document alone.
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure, isFailure } from "../core/errors.ts";
import { namePattern } from "../core/identity.ts";
import { equal, type JsonValue } from "../core/json.ts";
import { commandOn } from "./command.ts";
import {
  besideOf,
  fileSeenAt,
  type OpenOptions,
  openStores,
  type Stores,
} from "./inventory/open.ts";
import type { InventoryStore } from "./inventory/store.ts";
import { inventoriesOf } from "./inventory/strays.ts";
import { loadStackAlone, type LoadOptions } from "./manifest/load.ts";
import type { Author, Inventory, InventoryPlace, RunRecord, Stack } from "./model.ts";
import { authorOf } from "./caller/author.ts";
import { keptRuns, moveRun } from "./runs/run-record.ts";
import { marks, recordStore, runningStore } from "./promote/keeper.ts";
import type { Verdict } from "./session.ts";

/** What a verb on the inventory alone takes. */
export type InventoryOptions = LoadOptions & Pick<OpenOptions, "connection">;

const places: Readonly<Record<InventoryPlace, string>> = {
  file: "in its file",
  service: "at the service",
  postgres: "in the database",
};

/** Breaks the lock that has this id. Fails with `refused` where another one is held, `not_found` where none is. */
export async function unlock(
  options: InventoryOptions & { readonly id: string },
): Promise<Verdict<{ readonly stack: string }>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  try {
    await (await stores.own()).unlock(options.id);
  } catch (error) {
    if (!isFailure(error, "not_found") && !isFailure(error, "refused")) throw error;
    // It may be one of the stack's pipelines; where it is neither, the first answer stands.
    const others = [await runningStore(stores), await recordStore(stores)];
    const broken = await Promise.all(others.map((one) => isBroken(one, options.id)));
    if (!broken.includes(true)) throw error;
  }
  return { ok: true, stack: stack.name, diagnostics };
}

async function isBroken(store: InventoryStore, id: string): Promise<boolean> {
  try {
    await store.unlock(id);
    return true;
  } catch {
    return false;
  }
}

/** What {@link moveInventory} did. */
export interface Moved {
  readonly stack: string;
  /** Objects that the inventory tells of. */
  readonly owned: number;
  readonly from: InventoryPlace;
  readonly to: InventoryPlace;
  /** Where the file lies now that it was in; undefined where it was in none. */
  readonly kept: string | undefined;
}

/** What {@link moveInventory} asks beside. */
export interface MoveOptions extends InventoryOptions {
  /** Where the inventory is; its file unless it is given. */
  readonly from?: InventoryPlace | undefined;
  /** Where `from` is a file: its path, for one that the Stack does not name; relative to the current folder. */
  readonly file?: string | undefined;
}

/**
 * Writes the stack's inventory into the place where the Stack keeps it now, and leaves none where it was: a file is put aside. Both are
 * locked meanwhile; killed at any moment, it is run again. Fails with `refused` where the place holds another inventory already.
 */
export async function moveInventory(options: MoveOptions): Promise<Verdict<Moved>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const { from = "file", file } = options;
  const left = file === undefined ? stack : { ...stack, inventoryFile: resolve(options.cwd, file) };
  await using behind = openStores(left, options);
  const to = await stores.place();
  if (from === to && left.inventoryFile === stack.inventoryFile) throw alreadyThere(stack, to);
  const own = await (await behind.at(from)).read();
  if (isEmpty(own)) throw await nothingIn(left, from);
  const way = { stack, left, from, to, stores, behind };
  await refuseOccupied(own, way);
  await carry(way, undefined);
  return { ok: true, diagnostics, ...movedOn(own, way) };
}

/** What {@link renameInventory} asks beside. */
export interface RenameOptions extends InventoryOptions {
  /** What the stack was called. */
  readonly renamedFrom: string;
  /** Asked before anything is written. */
  readonly approve: (what: Omit<Renamed, "kept">) => Promise<boolean>;
  readonly author?: Partial<Author> | undefined;
}

/** What {@link renameInventory} did. */
export interface Renamed extends Moved {
  readonly renamedFrom: string;
}

/**
 * Makes the inventory that a stack of another name has in the same place this stack's, with a note in its history, and leaves none to that
 * name. Answers no `renamed` where that was not approved. Fails with `refused` where this stack has another one already, `locked` where
 * somebody writes the other, `not_found` where there is none.
 */
export async function renameInventory(
  options: RenameOptions,
): Promise<Verdict<{ readonly renamed: Renamed | undefined }>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  const { renamedFrom } = options;
  await using stores = openStores(stack, options);
  const left = calledBefore(stack, renamedFrom);
  await using behind = openStores(left, options);
  const place = await stores.place();
  const way = { stack, left, from: place, to: place, stores, behind };
  const own = await (await behind.at(place)).read();
  if (isEmpty(own)) throw await nothingIn(left, place);
  await refuseOccupied(own, way);
  const { kept, ...what } = { ...movedOn(own, way), renamedFrom };
  if (!(await options.approve(what))) return { ok: true, diagnostics, renamed: undefined };
  const author = authorOf(
    { ...options.author, message: `renamed from the stack ${renamedFrom}` },
    { env: options.env, folder: stack.folder },
  );
  await carry(way, moveRun(author, new Date()));
  return { ok: true, diagnostics, renamed: { ...what, kept } };
}

/** The stack as it was under another name: with the file of that name, unless the Stack names one. */
function calledBefore(stack: Stack, name: string): Stack {
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
interface Way {
  readonly stack: Stack;
  /** The stack as it was: with another file, or another name. */
  readonly left: Stack;
  readonly from: InventoryPlace;
  readonly to: InventoryPlace;
  readonly stores: Stores;
  readonly behind: Stores;
}

/** The file stays, and only says another name. */
function isSameFile({ stack, left, from, to }: Way): boolean {
  return from === "file" && to === "file" && stack.inventoryFile === left.inventoryFile;
}

function movedOn(own: Inventory, way: Way): Moved {
  const { stack, left, from, to } = way;
  const kept = from === "file" && !isSameFile(way) ? asideOf(left) : undefined;
  return { stack: stack.name, owned: Object.keys(own.entries).length, from, to, kept };
}

async function refuseOccupied(own: Inventory, way: Way): Promise<void> {
  if (isSameFile(way)) return;
  const found = await (await way.stores.at(way.to)).read();
  if (!isEmpty(found) && !equal(contentOf(found), contentOf(own))) throw occupied(way.stack.name);
}

async function carry(way: Way, note: RunRecord | undefined): Promise<void> {
  const { stack, left, from, to, stores, behind } = way;
  // Whoever promotes would go on with what is left behind.
  const lock = await (await behind.at(from, marks.running)).lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  // What pipelines hold goes first: with it left behind, a stage that is held would not be any more.
  for (const mark of [marks.record, undefined]) {
    const [source, goal] = [await behind.at(from, mark), await stores.at(to, mark)];
    const noted = mark === undefined ? note : undefined;
    if (isSameFile(way)) {
      const name = mark === undefined ? stack.name : besideOf(stack, mark).name;
      if (!(await isReadable(goal))) await renamed(source, name, noted);
    } else if (!isEmpty(await source.read())) {
      const at = mark === undefined ? left : besideOf(left, mark);
      await moved(at, { from: source, to: goal, inFile: from === "file", note: noted });
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

async function renamed(
  from: InventoryStore,
  stack: string,
  note: RunRecord | undefined,
): Promise<void> {
  const lock = await from.lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  await lock.write({ ...withNote(await from.read(), note), stack });
}

function withNote(inventory: Inventory, note: RunRecord | undefined): Inventory {
  return note === undefined ? inventory : { ...inventory, runs: keptRuns(inventory.runs, note) };
}

interface Move {
  readonly from: InventoryStore;
  readonly to: InventoryStore;
  /** Where it comes from is the stack's file. */
  readonly inFile: boolean;
  /** For the history of what is written. */
  readonly note: RunRecord | undefined;
}

async function moved(stack: Stack, { from, to, inFile, note }: Move): Promise<void> {
  await using locks = new AsyncDisposableStack();
  const here = await from.lock("move");
  locks.defer(() => here.release());
  const there = await to.lock("move");
  locks.defer(() => there.release());
  const inventory = await from.read();
  const found = await to.read();
  if (isEmpty(found)) {
    const { stack: name, lineage, serial } = found;
    await there.write({ ...withNote(inventory, note), stack: name, lineage, serial });
  } else if (!equal(contentOf(found), contentOf(inventory))) {
    throw occupied(found.stack);
  }
  // What the journal tells becomes part of the file that is kept.
  await here.write(inFile ? inventory : emptied(inventory));
  if (inFile) renameSync(stack.inventoryFile, asideOf(stack));
}

function asideOf({ inventoryFile }: Stack): string {
  return `${inventoryFile}.moved`;
}

/** Nothing would be lost with it. */
function isEmpty({ entries, pipelines = {}, runs = [] }: Inventory): boolean {
  return [entries, pipelines, runs].every((some) => Object.keys(some).length === 0);
}

function emptied({ stack, lineage, serial, salt }: Inventory): Inventory {
  return { stack, lineage, serial, salt, origin: undefined, entries: {} };
}

function contentOf({ entries, pipelines }: Pick<Inventory, "entries" | "pipelines">): JsonValue {
  return JSON.parse(JSON.stringify({ entries, pipelines })) as JsonValue;
}

function alreadyThere({ name }: Stack, place: InventoryPlace): Failure {
  return new Failure(
    "usage",
    `the inventory of the stack ${name} is kept ${places[place]}, where the Stack looks for it`,
    {
      remedy:
        place === "file"
          ? "say where it comes from: --from service or --from postgres"
          : "write the new place into the Stack first",
    },
  );
}

async function nothingIn(stack: Stack, place: InventoryPlace): Promise<Failure> {
  const where = place === "file" ? `in ${stack.inventoryFile}` : places[place];
  const [other] = await inventoriesOf(stack);
  return new Failure("not_found", `there is no inventory of the stack ${stack.name} ${where}`, {
    remedy:
      other === undefined
        ? "say where it is: --from file, --from service, --from postgres, or --from and the path of its file"
        : `one lies in ${other}: ${commandOn(stack, "move-inventory", "--from", fileSeenAt(stack, other))}`,
  });
}

function occupied(stack: string): Failure {
  return new Failure(
    "refused",
    `where it would be moved to lies another inventory of the stack ${stack}`,
    {
      remedy: "find out which is right, and put the other aside by hand",
    },
  );
}
