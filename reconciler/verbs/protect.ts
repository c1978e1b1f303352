// Sets and lifts protection in the inventory, independently of the manifests.
import { Failure } from "../../core/errors.ts";
import { didYouMean } from "../../core/text/naming.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import { type TolerantLoad, loadTolerant } from "../manifest/load.ts";
import { holdLocks } from "../inventory/release-locks.ts";
import type { InventoryLock } from "../inventory/store.ts";
import type { Entry, Inventory } from "../model/index.ts";
import type { VerbResult } from "./session.ts";

/** The addresses, and whether to protect them. */
export interface ProtectOptions extends InventoryOptions {
  readonly addresses: readonly string[];
  readonly protect: boolean;
}

/** Result for the addresses. */
export interface ProtectResult {
  readonly stack: string;
  /** Addresses whose protection changed. */
  readonly changed: readonly string[];
  /** Addresses without protection whose documents protect them again at the next apply. */
  readonly stillDeclared: readonly string[];
}

/**
 * Protects the objects at these addresses, or lifts their protection. Writes only the inventory. Fails
 * with `not_found` if the stack does not own one of them; then none changes.
 */
export async function protect(options: ProtectOptions): Promise<VerbResult<ProtectResult>> {
  const { desired, declared, diagnostics } = await loadTolerant(options);
  if (desired === undefined) return { ok: false, diagnostics };
  await using stores = openStores(desired.stack, options);
  const store = await stores.stackStore();
  const { result, unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(store.lock(options.protect ? "protect" : "unprotect"));
    return updateProtection(lock.inventory, { lock, documents: declared }, options);
  });
  const reported = [...diagnostics, ...unreleased];
  return { ok: true, diagnostics: reported, stack: desired.stack.name, ...result };
}

async function updateProtection(
  inventory: Inventory,
  {
    lock,
    documents,
  }: { readonly lock: InventoryLock; readonly documents: TolerantLoad["declared"] },
  { addresses, protect: isOn }: ProtectOptions,
): Promise<Omit<ProtectResult, "stack">> {
  const wanted = new Set(addresses);
  assertOwned(inventory, wanted, isOn);
  const changed = [...wanted].filter(
    (name) => (inventory.entries[name]?.lifecycle?.protect === true) !== isOn,
  );
  if (changed.length > 0) await lock.write(withProtectionSet(inventory, changed, isOn));
  const declared = [...wanted].filter(
    (name) => !isOn && documents.get(name)?.rules?.protect === true,
  );
  return { changed, stillDeclared: declared };
}

function assertOwned(
  { entries, stack }: Inventory,
  wanted: ReadonlySet<string>,
  isOn: boolean,
): void {
  const unknown = [...wanted].filter((name) => !Object.hasOwn(entries, name));
  const [first] = unknown;
  if (first === undefined) return;
  throw new Failure("not_found", `stack ${stack} does not own ${unknown.join(", ")}`, {
    remedy: didYouMean(first, Object.keys(entries)) ?? notOwnedRemedy(isOn),
  });
}

function notOwnedRemedy(isOn: boolean): string {
  return isOn
    ? "Apply the object first, or set protect in its document to protect it from its creation."
    : "Only what the stack applied has protection to remove; `svc inventory show` lists it.";
}

function withProtectionSet(
  inventory: Inventory,
  changed: readonly string[],
  isOn: boolean,
): Inventory {
  const entries = { ...inventory.entries };
  for (const name of changed) {
    const entry = entries[name];
    if (entry !== undefined) entries[name] = entryWithProtection(entry, isOn);
  }
  return { ...inventory, entries };
}

function entryWithProtection({ lifecycle, ...entry }: Entry, isOn: boolean): Entry {
  const { protect: _, ...others } = lifecycle ?? {};
  const after = isOn ? { protect: true as const, ...others } : others;
  return Object.keys(after).length === 0 ? entry : { ...entry, lifecycle: after };
}
