// Breaking the lock that a dead run has left behind, and taking an inventory along to another store: by the Stack document alone.
import { existsSync, renameSync } from "node:fs";
import { Failure, isFailure } from "../core/errors.ts";
import { equal, type JsonValue } from "../core/json.ts";
import { fileInventory } from "./inventory/file.ts";
import { besideOf, isInFile, type OpenOptions, openStore, openStores } from "./inventory/open.ts";
import type { InventoryStore } from "./inventory/store.ts";
import { loadStackAlone, type LoadOptions } from "./manifest/load.ts";
import type { Inventory, Stack } from "./model.ts";
import { marks, recordStore, runningStore } from "./promote/keeper.ts";
import type { Verdict } from "./session.ts";

/** What a verb on the inventory alone takes. */
export type InventoryOptions = LoadOptions & Pick<OpenOptions, "access">;

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
  /** Where the file lies now. */
  readonly kept: string;
}

/**
 * Writes what the stack's inventory file says into the store that the Stack names, and puts the file aside. Both are locked
 * meanwhile; killed at any moment, it is run again. Fails with `refused` where the store holds another inventory already.
 */
export async function moveInventory(options: InventoryOptions): Promise<Verdict<Moved>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  if (isInFile(stack)) {
    throw new Failure("usage", "the Stack keeps its inventory in a file", {
      remedy: "write `inventory: service` or `inventory: postgres` into it first",
    });
  }
  if (!existsSync(stack.inventoryFile) && !existsSync(`${stack.inventoryFile}.journal`)) {
    throw new Failure("not_found", `there is no inventory in ${stack.inventoryFile}`);
  }
  const beside = besideOf(stack, marks.record);
  const running = besideOf(stack, marks.running);
  // Whoever promotes would go on with the file.
  const lock = await fileInventory(running.inventoryFile, running.name, stack).lock("move");
  await using locks = new AsyncDisposableStack();
  locks.defer(() => lock.release());
  // What pipelines hold goes first: with it left behind, a stage that is held would not be any more.
  if (existsSync(beside.inventoryFile)) await movedTo(beside, options);
  return { ok: true, diagnostics, ...(await movedTo(stack, options)) };
}

async function movedTo(stack: Stack, options: OpenOptions): Promise<Moved> {
  const store = await openStore(stack, options);
  try {
    return await moved(stack, store);
  } finally {
    await store.close();
  }
}

async function moved(stack: Stack, to: InventoryStore): Promise<Moved> {
  const { inventoryFile: path, name, seenAt } = stack;
  const from = fileInventory(path, name, { seenAt });
  await using locks = new AsyncDisposableStack();
  const here = await from.lock("move");
  locks.defer(() => here.release());
  const there = await to.lock("move");
  locks.defer(() => there.release());
  const inventory = await from.read();
  const { lineage, serial, ...found } = await to.read();
  if (serial > 0 || Object.keys(found.entries).length > 0) {
    if (!equal(contentOf(found), contentOf(inventory))) throw occupied(name);
  } else {
    await there.write({ ...inventory, lineage, serial });
  }
  // What the journal tells becomes part of the file that is kept.
  await here.write(inventory);
  const kept = `${path}.moved`;
  renameSync(path, kept);
  return { stack: name, owned: Object.keys(inventory.entries).length, kept };
}

function contentOf({ entries, pipelines }: Pick<Inventory, "entries" | "pipelines">): JsonValue {
  return JSON.parse(JSON.stringify({ entries, pipelines })) as JsonValue;
}

function occupied(stack: string): Failure {
  return new Failure("refused", `the store holds another inventory of the stack ${stack} already`, {
    remedy: "find out which is right; put the file aside by hand where it is not this one",
  });
}
