// Breaking the lock that a dead run has left behind, and taking an inventory along to another place: by the Stack document alone.
import { renameSync } from "node:fs";
import { resolve } from "node:path";
import { Failure, isFailure } from "../core/errors.ts";
import { equal, type JsonValue } from "../core/json.ts";
import { commandOn } from "./command.ts";
import { besideOf, fileSeenAt, type OpenOptions, openStores } from "./inventory/open.ts";
import type { InventoryStore } from "./inventory/store.ts";
import { inventoriesOf } from "./inventory/strays.ts";
import { loadStackAlone, type LoadOptions } from "./manifest/load.ts";
import type { Inventory, InventoryPlace, Stack } from "./model.ts";
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
  const ways = {
    from: (mark?: string) => behind.at(from, mark),
    to: (mark?: string) => stores.at(to, mark),
  };
  const own = await (await ways.from()).read();
  if (isEmpty(own)) throw await nothingIn(left, from);
  // Whoever promotes would go on with what is left behind.
  const lock = await (await ways.from(marks.running)).lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  // What pipelines hold goes first: with it left behind, a stage that is held would not be any more.
  for (const mark of [marks.record, undefined]) {
    const source = await ways.from(mark);
    if (isEmpty(await source.read())) continue;
    await moved(mark === undefined ? left : besideOf(left, mark), {
      from: source,
      to: await ways.to(mark),
      inFile: from === "file",
    });
  }
  const owned = Object.keys(own.entries).length;
  const kept = from === "file" ? asideOf(left) : undefined;
  return { ok: true, diagnostics, stack: stack.name, owned, from, to, kept };
}

interface Move {
  readonly from: InventoryStore;
  readonly to: InventoryStore;
  /** Where it comes from is the stack's file. */
  readonly inFile: boolean;
}

async function moved(stack: Stack, { from, to, inFile }: Move): Promise<void> {
  await using locks = new AsyncDisposableStack();
  const here = await from.lock("move");
  locks.defer(() => here.release());
  const there = await to.lock("move");
  locks.defer(() => there.release());
  const inventory = await from.read();
  const found = await to.read();
  if (isEmpty(found)) {
    await there.write({ ...inventory, lineage: found.lineage, serial: found.serial });
  } else if (!equal(contentOf(found), contentOf(inventory))) {
    throw occupied(stack.name);
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
