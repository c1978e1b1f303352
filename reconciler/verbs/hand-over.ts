// Hands one owned object over from a stack to another, in their inventories alone.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { isName } from "../../core/kind/identity.ts";
import { equal } from "../../core/json.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import { moveRun } from "../engine/run-record.ts";
import { trimRuns } from "../inventory/journal.ts";
import { type Hold, holdLocks } from "../inventory/release-locks.ts";
import { openStores, type Stores } from "../inventory/open-stores.ts";
import type { InventoryLock, InventoryStore } from "../inventory/store.ts";
import { loadStackAlone } from "../manifest/load.ts";
import type {
  Author,
  Entry,
  Inventory,
  InventoryBackend,
  MoveRecord,
  Stack,
} from "../model/index.ts";
import { authorOf } from "../operator/author.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import type { VerbResult } from "./session.ts";

/** Options of {@link handOver}. */
export interface HandOverOptions extends InventoryOptions {
  /** Address of the object in both stacks. */
  readonly address: string;
  /** The folder or file of the other Stack, or the name of a stack whose inventory is in the same store. */
  readonly to: string;
  readonly author?: Partial<Author> | undefined;
}

/** Result of {@link handOver}. */
export interface HandOverResult {
  readonly address: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Moves the inventory entry of an object to another stack, with its last-applied state and its protection. Nothing is
 * written on the server. Run it again after an interruption: until then the object belongs to exactly one of the two.
 * Fails with `not_found` if the stack does not own the object, and `refused` if a third stack owns it or the other stack
 * has another object at the address.
 */
export async function handOver(options: HandOverOptions): Promise<VerbResult<HandOverResult>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const target = await openTarget(stack, options);
  if ("invalid" in target) return { ok: false, diagnostics: target.invalid };
  await using targetStores = target.stores;
  const place = await stores.place();
  assertOneStore(stack, target, {
    from: place,
    to: target.isNamed ? place : await targetStores.place(),
  });
  const from = await stores.stackStore();
  const to = await (target.isNamed ? targetStores.storeAt(place) : targetStores.stackStore());
  const author = await authorOf(options.author, { env: options.env, stack });
  const move = { address: options.address, from, to, author, target, place };
  const { unreleased } = await holdLocks((hold) => moveEntry(move, hold));
  return {
    ok: true,
    diagnostics: [...diagnostics, ...unreleased],
    address: options.address,
    from: stack.name,
    to: target.stack.name,
  };
}

interface Target {
  readonly stack: Stack;
  readonly stores: Stores;
  /** True if only its name is known, so that its inventory must exist. */
  readonly isNamed: boolean;
}

/** Opens the stack at a path or, if the path does not exist, the one of this name in the same store. */
async function openTarget(
  stack: Stack,
  options: HandOverOptions,
): Promise<Target | { readonly invalid: readonly Diagnostic[] }> {
  const { to, cwd } = options;
  if (existsSync(resolve(cwd, to))) {
    const read = await loadStackAlone({ ...options, paths: [to] });
    if (read.stack === undefined) return { invalid: read.diagnostics };
    return { stack: read.stack, stores: openStores(read.stack, options), isNamed: false };
  }
  if (!isName(to)) {
    throw new Failure("usage", `${JSON.stringify(to)} is neither a path nor a stack name`, {
      remedy: "Pass the folder of the other Stack: --to FOLDER",
    });
  }
  const inventoryFile = join(dirname(stack.inventoryFile), `${to}.inventory.json`);
  const named = { ...stack, name: to, inventoryFile };
  return { stack: named, stores: openStores(named, options), isNamed: true };
}

/** How to move an object to a stack whose inventory is in another store. */
const differentStoresRemedy =
  "Declare a Removed document in the first stack and apply it, then run `svc adopt` in the other.";

/** Between two stores, nothing could decide who owns the object after an interruption. */
function assertOneStore(
  stack: Stack,
  { stack: other }: Target,
  { from, to }: { readonly from: InventoryBackend; readonly to: InventoryBackend },
): void {
  if (other.name === stack.name) {
    throw new Failure("usage", `${stack.name} is the stack that owns the object`, {
      remedy: "Pass another stack: --to STACK",
    });
  }
  const folderOf = (owner: Stack) => dirname(owner.inventoryFile);
  if (from === to && (from !== "file" || folderOf(stack) === folderOf(other))) return;
  const message = `the inventories of stacks ${stack.name} and ${other.name} are in different stores`;
  throw new Failure("refused", `${message}; nothing was moved`, {
    remedy: differentStoresRemedy,
  });
}

interface EntryMove {
  readonly address: string;
  readonly from: InventoryStore;
  readonly to: InventoryStore;
  readonly target: Target;
  /** The backend of both. */
  readonly place: InventoryBackend;
  readonly author: Author;
}

async function moveEntry(move: EntryMove, hold: Hold): Promise<void> {
  const sourceLock = await hold(move.from.lock("move"));
  const { inventory: source } = sourceLock;
  const targetLock = await hold(move.to.lock("move", source.origin));
  const { inventory: target } = targetLock;
  const entry = Object.hasOwn(source.entries, move.address)
    ? source.entries[move.address]
    : undefined;
  // The command was run again after it had ended.
  if (entry === undefined && Object.hasOwn(target.entries, move.address)) return;
  if (entry === undefined) throw notOwnedError(move.address, source);
  assertMovable(entry, { source, target, move });
  await transfer(entry, { source, target, sourceLock, targetLock, move });
}

interface Transfer {
  readonly source: Inventory;
  readonly target: Inventory;
  readonly sourceLock: InventoryLock;
  readonly targetLock: InventoryLock;
  readonly move: EntryMove;
}

/**
 * Announces the move, claims the entry for the target, and drops it at the source. If it stops
 * before the target has the entry, the source owns the object; after that, the target does.
 */
async function transfer(
  { movingTo: _, movedFrom: __, ...entry }: Entry,
  { source, target, sourceLock, targetLock, move }: Transfer,
): Promise<void> {
  const { address, author } = move;
  const receivedEntry = { ...entry, movedFrom: source.stack };
  const announced = { ...entry, movingTo: target.stack };
  await sourceLock.journal([{ phase: "done", address, entry: announced }]);
  const time = new Date();
  const received: MoveRecord = { type: "entry-from", address, stack: source.stack };
  const record: MoveRecord = { type: "entry-to", address, stack: target.stack };
  if (!isSameObject(target.entries[address], entry)) {
    const next = {
      ...target,
      origin: source.origin,
      entries: { ...target.entries, [address]: receivedEntry },
      runs: trimRuns(target.runs, moveRun(author, received, time)),
    };
    const claim = { entries: { [address]: receivedEntry }, from: source.stack };
    const result = await targetLock.claim(next, claim);
    if ("owners" in result) {
      await sourceLock.journal([{ phase: "done", address, entry }]);
      const owner = result.owners.get(address);
      throw new Failure("refused", `${address} belongs to stack ${owner}; nothing was moved`);
    }
  }
  const { [address]: ___, ...entries } = source.entries;
  const runs = trimRuns(source.runs, moveRun(author, record, time));
  await sourceLock.write({ ...source, entries, runs });
}

function isSameObject(entry: Entry | undefined, other: Entry): boolean {
  return (
    entry !== undefined && entry.key === other.key && equal(entry.id ?? null, other.id ?? null)
  );
}

function assertMovable(
  entry: Entry,
  { source, target, move }: Pick<Transfer, "source" | "target" | "move">,
): void {
  const { address } = move;
  const refuse = (message: string, remedy: string): never => {
    throw new Failure("refused", `${message}; nothing was moved`, { remedy });
  };
  if (move.target.isNamed && target.lineage === "") {
    const message = `stack ${target.stack} has no inventory in the store of stack ${source.stack}`;
    throw new Failure("not_found", message, {
      remedy: sentences(
        "Pass the folder of its Stack: --to FOLDER.",
        move.place === "file"
          ? `If its inventory is in another folder: ${differentStoresRemedy}`
          : undefined,
      ),
    });
  }
  if (target.origin !== undefined && target.origin !== source.origin)
    refuse(
      `stack ${target.stack} was applied to another server`,
      "An entry moves only between stacks of one server.",
    );
  if (entry.pending) refuse(`the create of ${address} did not end`, "Apply its stack first.");
  const targetEntry = Object.hasOwn(target.entries, address) ? target.entries[address] : undefined;
  if (targetEntry !== undefined && !isSameObject(targetEntry, entry))
    refuse(
      `stack ${target.stack} owns another object at ${address}`,
      "Rename one of the documents.",
    );
}

function notOwnedError(address: string, { stack, entries }: Inventory): Failure {
  return new Failure("not_found", `stack ${stack} does not own ${address}`, {
    remedy: didYouMean(address, Object.keys(entries)) ?? "`svc inventory show` lists what it owns.",
  });
}
