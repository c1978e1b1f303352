// Continues a stack at another address of its server, once the server proves to be the same.
import { capability } from "../../core/kind/capability.ts";
import { Failure } from "../../core/errors.ts";
import { address as addressOf, keyOf } from "../../core/kind/identity.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { inventoryDigest } from "../engine/digest.ts";
import { moveRun, trimRuns } from "../engine/run-record.ts";
import { holdLocks } from "../inventory/release-locks.ts";
import type { InventoryLock } from "../inventory/store.ts";
import { loadStackAlone } from "../manifest/load.ts";
import { digestOf } from "../manifest/resolve-manifests.ts";
import type { Author, Entry, Inventory, LiveObjects, LiveState, Stack } from "../model/index.ts";
import { listEntries } from "../model/inventory-entries.ts";
import { stackCommand } from "../model/shell-command.ts";
import { authorOf } from "../operator/author.ts";
import { normalizeOrigin } from "../operator/origins.ts";
import { observeLiveState } from "./live-state.ts";
import { outOfScopeErrors } from "./out-of-scope.ts";
import { type Session, type VerbOptions, type VerbResult, withSession } from "./session.ts";

/** Options of {@link changeServerAddress}. */
export interface AddressOptions extends VerbOptions {
  /** The address that the inventory records. */
  readonly formerUrl: string;
  /** Called before any write. */
  readonly approve: (change: AddressChange) => Promise<boolean>;
  readonly author?: Partial<Author> | undefined;
}

/** The new address of a stack's server, and the objects that were found there. */
export interface AddressChange {
  readonly stack: string;
  readonly formerUrl: string;
  readonly url: string;
  /** Objects in the inventory. */
  readonly objectCount: number;
  /** Objects that are at the new address, with the recorded natural key and ID. */
  readonly foundCount: number;
  /** Addresses of missing objects: they were deleted. */
  readonly missing: readonly string[];
  /** Addresses of objects that could not be compared. */
  readonly notCompared: readonly string[];
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
 * stack was applied to a different address, or if the server is a different one: it has no record of the inventory, an
 * object has a different ID or natural key, or no object exists. Fails with `stale` if the stack changes meanwhile. Run
 * it again after an interruption.
 */
export async function changeServerAddress(
  options: AddressOptions,
): Promise<VerbResult<AddressResult>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  const desired = { stack, objects: [], digest: digestOf([]) };
  return withSession(options, (session, found) => changeIn(session, options, found), {
    desired,
    diagnostics,
  });
}

async function changeIn(
  session: Session,
  options: AddressOptions,
  diagnostics: readonly VerbResult<object>["diagnostics"][number][],
): Promise<VerbResult<AddressResult>> {
  const { store, client, desired } = session;
  const result = { ok: true, stack: desired.stack.name, url: client.origin } as const;
  const inventory = await store.read();
  if (inventory.origin === undefined || inventory.origin === client.origin)
    return { ...result, diagnostics, outcome: "unchanged", change: undefined };
  assertFormer(inventory, normalizeOrigin(options.formerUrl));
  const change = await compare(session, inventory, options);
  if (!(await options.approve(change)))
    return { ...result, diagnostics, outcome: "declined", change };
  const author = await authorOf(options.author, { env: options.env, stack: desired.stack });
  const { unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(store.lock("move"));
    const current = await store.read();
    assertUnchanged(inventory, current);
    await record(lock, current, { change, author });
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

/** Fails if a run changed the inventory since the comparison, so that its records are not overwritten. */
function assertUnchanged(compared: Inventory, current: Inventory): void {
  const isSame =
    compared.lineage === current.lineage &&
    compared.serial === current.serial &&
    inventoryDigest(compared) === inventoryDigest(current);
  if (isSame) return;
  throw new Failure("stale", `stack ${current.stack} was changed meanwhile; nothing was written`, {
    remedy: "Run the command again.",
  });
}

/**
 * Claims the objects at the new address first: an inventory beside this one with the new address already may own one of
 * them by now.
 */
async function record(
  lock: InventoryLock,
  inventory: Inventory,
  { change, author }: { readonly change: AddressChange; readonly author: Author },
): Promise<void> {
  const { formerUrl, url } = change;
  const claims = listEntries(inventory.entries).map(
    ([address, entry]) => ({ phase: "done", address, entry }) as const,
  );
  const owners = claims.length === 0 ? new Map<string, string>() : await lock.claim(url, claims);
  for (const [address, owner] of owners) {
    throw new Failure("refused", `${address} belongs to stack ${owner}; nothing was written`, {
      remedy: "Abandon it in one of the two stacks: declare a Removed document and apply it.",
    });
  }
  const runs = trimRuns(
    inventory.runs,
    moveRun(author, { type: "server", from: formerUrl, to: url }, new Date()),
  );
  await lock.write({ ...inventory, origin: url, runs });
}

/** How the objects of an inventory compare to the objects at the new address. */
type Comparison = Pick<AddressChange, "foundCount" | "missing" | "notCompared">;

async function compare(
  session: Session,
  inventory: Inventory,
  { signal }: AddressOptions,
): Promise<AddressChange> {
  const { client } = session;
  const { stack, origin = "", entries } = inventory;
  const objectCount = Object.keys(entries).length;
  const what = { stack, formerUrl: origin, url: client.origin, objectCount };
  if (objectCount === 0) return { ...what, foundCount: 0, missing: [], notCompared: [] };
  // Equal objects prove nothing: IDs are counted, so two new servers give out the same ones.
  const isRecorded = await session.knowsInventory(inventory);
  if (isRecorded !== true) throw notRecordedError(what, session, isRecorded);
  const comparable = comparableEntries(session, inventory);
  const reader = createCachedReader(client.reader, { signal });
  const live = await observeLiveState(session, comparable, { reader, signal });
  const [hidden] = await outOfScopeErrors(
    { ...session, inventory: comparable, live },
    reader,
    undefined,
  );
  if (hidden !== undefined) throw new Failure("out_of_scope", hidden.summary, hidden);
  const compared = compareEntries(inventory, { live, comparable });
  if (compared.foundCount === 0) throw notFoundError(what);
  return { ...what, ...compared };
}

/** Returns the inventory with the entries that can be read, and whose create has ended. */
function comparableEntries({ kinds, apiDiscovery }: Session, inventory: Inventory): Inventory {
  const readable = (kind: Kind | undefined): boolean =>
    kind !== undefined &&
    capability(kind, (operation) => apiDiscovery.has(operation)).observe.length === 0;
  const byName = kindsByName(kinds);
  const names = new Set([...byName].filter(([, kind]) => readable(kind)).map(([name]) => name));
  const kept = listEntries(inventory.entries).filter(
    ([, { kind, pending }]) => names.has(kind) && !pending,
  );
  return { ...inventory, entries: Object.fromEntries(kept) };
}

function compareEntries(
  { entries }: Inventory,
  { live, comparable }: { readonly live: LiveState; readonly comparable: Inventory },
): Comparison {
  let foundCount = 0;
  const [missing, notCompared]: [string[], string[]] = [[], []];
  for (const [address, entry] of listEntries(entries)) {
    const seen = Object.hasOwn(comparable.entries, address) ? live.get(entry.kind) : undefined;
    if (seen === undefined) notCompared.push(address);
    else if (isFound(address, entry, seen)) foundCount += 1;
    else missing.push(address);
  }
  return { foundCount, missing, notCompared };
}

/** Fails with `refused` if an object at the new address has the recorded ID or natural key, and not the other one. */
function isFound(
  address: string,
  { id, key }: Entry,
  { kind, byId, byKey, ambiguous }: LiveObjects,
): boolean {
  const [named, numbered] = [byKey.get(key), id === undefined ? undefined : byId.get(id)];
  if (numbered !== undefined) {
    const now = keyOf(kind, numbered.spec);
    if (now === key) return true;
    throw otherObjectError(address, `its ID belongs to ${addressOf(kind.name, now)} there`);
  }
  if (named === undefined && !ambiguous.has(key)) return false;
  if (id === undefined) return true;
  throw otherObjectError(
    address,
    `${addressOf(kind.name, key)} has another ID there${named?.id === undefined ? "" : ` (${named.id})`} than in the inventory (${id})`,
  );
}

const otherServer =
  "It seems to be another server or account: connect to the one that the stack was applied to, or give the stack another inventory for this one.";

function otherObjectError(address: string, how: string): Failure {
  return new Failure("refused", `${address} differs: ${how}; nothing was written`, {
    remedy: `${otherServer} If the object was renamed or replaced there since, undo that first.`,
  });
}

type Compared = Pick<AddressChange, "stack" | "url" | "objectCount">;

/** Returns the failure for a server that has no record of the inventory, or that does not store states at all. */
function notRecordedError(
  { stack, url }: Compared,
  { desired }: Session,
  isRecorded: false | undefined,
): Failure {
  const missing = `no record of the inventory of stack ${stack}`;
  const message =
    isRecorded === undefined
      ? `${url} does not store states, so there is ${missing} to compare with`
      : `${url} has ${missing}`;
  return new Failure("refused", `${message}; nothing was written`, {
    remedy: `Connect to the server that the stack was applied to. If it is this one, adopt the objects into a new inventory: ${newInventorySteps(desired.stack, url)}.`,
  });
}

/** Names the steps that keep the present inventory, so that the other server stays usable with it. */
function newInventorySteps(stack: Stack, url: string): string {
  const adopt = stackCommand(stack, "adopt");
  if (stack.inventory === "postgres")
    return `set SVC_INVENTORY_URL to another database, and run \`${adopt}\``;
  const server = new URL(url).host.replaceAll(/[^\w.-]+/gu, "-");
  const file = `.svc/${stack.name}.${server}.inventory.json`;
  return `write \`inventory: { file: ${file} }\` into the Stack, and run \`${adopt}\``;
}

function notFoundError({ stack, url, objectCount }: Compared): Failure {
  const message = `${url} has 0 of the ${objectCount} objects of stack ${stack}; nothing was written`;
  return new Failure("refused", message, { remedy: otherServer });
}
