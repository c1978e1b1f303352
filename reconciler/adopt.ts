// Adopts live objects that the manifests declare and no stack owns. Writes only the inventory.
import { kindsByName } from "../core/kind/kind.ts";
import { fingerprintsWith } from "../core/spec/fingerprints.ts";
import { isAdoption, openInventoryUpdater } from "./engine/inventory-updater.ts";
import { holdLocks } from "./inventory/release-locks.ts";
import type { InventoryLock } from "./inventory/store.ts";
import type { Author, Change, Inventory, LiveState, Outcome, Plan } from "./model/index.ts";
import { authorOf } from "./operator/author.ts";
import { compareSession } from "./plan.ts";
import {
  type ObjectLocations,
  objectLocations,
  openSession,
  type Session,
  type VerbOptions,
  type VerbResult,
} from "./verbs/session.ts";

/** Result of an adopt. */
export interface AdoptResult {
  readonly plan: Plan;
  /** Addresses that the stack now owns. */
  readonly adopted: readonly string[];
  /** Addresses that the stack owned before. */
  readonly alreadyOwned: readonly string[];
  /** Addresses of declared objects that were not adopted: they do not exist, or are blocked. */
  readonly notAdopted: readonly string[];
}

/** Options of {@link adopt}. */
export interface AdoptOptions extends VerbOptions {
  /** Called with the addresses to adopt, unless there are none; `false` ends the run. */
  readonly approve?: ((addresses: readonly string[], plan: Plan) => Promise<boolean>) | undefined;
  /** The known parts of the author of the run. The others are looked up. */
  readonly author?: Partial<Author> | undefined;
}

/** Adopts declared live objects that no stack owns. Differences show in the next plan. */
export async function adopt(
  options: AdoptOptions,
): Promise<VerbResult<AdoptResult & ObjectLocations>> {
  const opened = await openSession({ ...options, createsKey: true });
  if (!opened.ok) return opened;
  await using session = opened.session;
  const planned = await compareSession(session, { adopt: () => true, ...options });
  if (!planned.ok) return planned;
  const { plan, live, inventory } = planned;
  const offered = plan.changes.filter((change) => isAdoption(change, inventory.entries));
  const addresses = offered.map(({ address }) => address);
  const { approve = () => Promise.resolve(true) } = options;
  const isApproved = addresses.length > 0 && (await approve(addresses, plan));

  const { result: adopted, unreleased } = isApproved
    ? await recordAdoptions(session, { ...options, offered, live })
    : { result: [], unreleased: [] };
  const unknownSecrets = plan.diagnostics.filter(
    ({ code, address = "" }) => code === "secret-unknown" && adopted.includes(address),
  );
  return {
    ok: true,
    plan,
    ...adoptionResult(session, inventory, adopted),
    // Secrets are reported now, because no later plan reports them.
    diagnostics: [...session.diagnostics, ...unknownSecrets, ...unreleased],
    ...objectLocations(session.desired),
  };
}

/** Adoptions to record, with the live objects. */
interface Adoptions extends Pick<AdoptOptions, "author" | "now"> {
  readonly offered: readonly Change[];
  readonly live: LiveState;
}

async function recordAdoptions(session: Session, adoptions: Adoptions) {
  const { env, desired, store, client } = session;
  // Before the lock, because it may run Git.
  const author = await authorOf(adoptions.author, { env, stack: desired.stack });
  return holdLocks(async (hold) => {
    const lock = await hold(store.lock("adopt", client.origin));
    return recordUnderLock(session, { ...adoptions, author, lock });
  });
}

async function recordUnderLock(
  { client, kinds, fingerprintKey }: Session,
  {
    offered,
    live,
    author,
    lock,
    now = () => new Date(),
  }: Adoptions & {
    readonly author: Author;
    readonly lock: InventoryLock;
  },
): Promise<readonly string[]> {
  const { inventory } = lock;
  // Another run may have adopted some of them in the meantime. Adopt never writes to the server, regardless of the plan.
  const changes = offered
    .filter((change) => isAdoption(change, inventory.entries))
    .map((change) => ({ ...change, action: "adopt", fields: [] }) as const);
  if (changes.length === 0) return [];
  const updater = await openInventoryUpdater({
    lock,
    inventory,
    changes,
    live,
    run: { verb: "adopt", author },
    kinds: kindsByName(kinds),
    origin: client.origin,
    fingerprints: fingerprintsWith(inventory.salt, fingerprintKey),
    now,
  });
  const outcomes = changes.map(({ address, action }): Outcome => {
    return { address, action, result: "done", failure: undefined };
  });
  await updater.close(outcomes);
  return changes.map(({ address }) => address);
}

/** Returns the outcome of each declared object. */
function adoptionResult(
  { desired }: Session,
  { entries }: Inventory,
  adopted: readonly string[],
): Omit<AdoptResult, "plan"> {
  const declared = desired.objects.map(({ address }) => address);
  const alreadyOwned = declared.filter((address) => Object.hasOwn(entries, address));
  const owned = new Set([...alreadyOwned, ...adopted]);
  return { adopted, alreadyOwned, notAdopted: declared.filter((address) => !owned.has(address)) };
}
