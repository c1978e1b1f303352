// Continues a stack at another address of its server, which whoever runs the command knows to be the same server.
import { Failure } from "../../core/errors.ts";
import { moveRun } from "../engine/run-record.ts";
import { trimRuns } from "../inventory/journal.ts";
import { openStores } from "../inventory/open-stores.ts";
import { holdLocks } from "../inventory/release-locks.ts";
import type { InventoryLock } from "../inventory/store.ts";
import { loadStackAlone } from "../manifest/load.ts";
import type { Author, Inventory } from "../model/index.ts";
import { authorOf } from "../operator/author.ts";
import { normalizeOrigin } from "../operator/origins.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import type { VerbResult } from "./session.ts";

/** Options of {@link changeServerAddress}. */
export interface AddressOptions extends InventoryOptions {
  /** The address that the inventory records. */
  readonly formerUrl: string;
  /** Called before any write. Nothing else checks that the server is the same one. */
  readonly approve: (change: AddressChange) => Promise<boolean>;
  readonly author?: Partial<Author> | undefined;
}

/** The new address of a stack's server. */
export interface AddressChange {
  readonly stack: string;
  readonly formerUrl: string;
  readonly url: string;
  /** Objects in the inventory. */
  readonly objectCount: number;
}

/** Result of {@link changeServerAddress}. */
export interface AddressResult {
  readonly stack: string;
  readonly url: string;
  /** `unchanged` if the inventory already has this address, or none. */
  readonly outcome: "changed" | "unchanged" | "declined";
  readonly change: AddressChange | undefined;
}

/**
 * Records the address of the connected server in the inventory, in place of `formerUrl`. Fails with `refused` if the
 * stack was applied to a different address, or another stack owns one of its objects there. Run it again after an
 * interruption.
 */
export async function changeServerAddress(
  options: AddressOptions,
): Promise<VerbResult<AddressResult>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const store = await stores.stackStore();
  const result = { ok: true, stack: stack.name, url: await stores.serverOrigin() } as const;
  const { url } = result;
  const inventory = await store.read();
  if (inventory.origin === undefined || inventory.origin === url)
    return { ...result, diagnostics, outcome: "unchanged", change: undefined };
  const formerUrl = normalizeOrigin(options.formerUrl);
  assertFormer(inventory, formerUrl);
  const objectCount = Object.keys(inventory.entries).length;
  const change = { stack: stack.name, formerUrl, url, objectCount };
  if (!(await options.approve(change)))
    return { ...result, diagnostics, outcome: "declined", change };
  const author = await authorOf(options.author, { env: options.env, stack });
  const { unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(store.lock("move"));
    assertFormer(lock.inventory, formerUrl);
    await recordAddress(lock, lock.inventory, { change, author });
  });
  return { ...result, diagnostics: [...diagnostics, ...unreleased], outcome: "changed", change };
}

function assertFormer({ stack, origin = "" }: Inventory, former: string): void {
  if (origin === former) return;
  throw new Failure(
    "refused",
    `stack ${stack} was applied to ${origin}, not to ${former}; nothing was written`,
    { remedy: `If ${origin} is a former address of this server, pass --former-url ${origin}.` },
  );
}

/** Claims the objects: an inventory beside this one with the new address already may own one of them by now. */
async function recordAddress(
  lock: InventoryLock,
  inventory: Inventory,
  { change, author }: { readonly change: AddressChange; readonly author: Author },
): Promise<void> {
  const { formerUrl, url } = change;
  const runs = trimRuns(
    inventory.runs,
    moveRun(author, { type: "server", from: formerUrl, to: url }, new Date()),
  );
  const result = await lock.claim({ ...inventory, origin: url, runs }, inventory);
  if ("written" in result) return;
  for (const [address, owner] of result.owners) {
    throw new Failure("refused", `${address} belongs to stack ${owner}; nothing was written`, {
      remedy: "Abandon it in one of the two stacks: declare a Removed document and apply it.",
    });
  }
}
