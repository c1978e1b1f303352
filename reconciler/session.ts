// What every verb begins with: the stack loaded, the server asked what it offers, the world observed, the plan made.
import { createClient } from "../client/client.ts";
import type { Offer } from "../client/offer.ts";
import type { Client, WaitEvent } from "../client/types.ts";
import { capability, type Capability } from "../core/capability.ts";
import { type Diagnostic, hasErrors, type Place } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import { holdsSecret } from "../core/fields.ts";
import { address as addressOf } from "../core/identity.ts";
import type { Kind, Reader } from "../core/kind.ts";
import type { Secret } from "../core/secret.ts";
import { estimate } from "../lifecycle/lifecycle.ts";
import { createReader, type SharedReader } from "../lifecycle/reader.ts";
import { tasksOf } from "./applying/calls.ts";
import { withCascades } from "./planning/cascade.ts";
import { makeFingerprintKey, passingKey, readFingerprintKey } from "./caller/fingerprint-key.ts";
import { fingerprintsWith } from "../core/fingerprints.ts";
import { openStores } from "./inventory/open.ts";
import type { InventoryStore } from "./inventory/store.ts";
import { loadStack, type LoadOptions } from "./manifest/load.ts";
import type {
  Desired,
  Entry,
  Inventory,
  Live,
  Plan,
  ProgressEvent,
  Resolved,
  Stack,
} from "./model.ts";
import { type Asked, fieldNames, observeAll } from "./observe.ts";
import { deepFreeze, makePlan } from "./plan.ts";
import type { Grants } from "./caller/grants.ts";
import { originOf, refuseOtherOrigin } from "./caller/origins.ts";
import { windowNotes } from "./windows/closed.ts";
import type { RuleSet } from "./windows/rule.ts";
import { whyMissing } from "./planning/servable.ts";
import { lookAtSinks } from "./sinks.ts";
import { renamableParents, type Whereabouts, whereabouts } from "./planning/whereabouts.ts";

/** Which server to talk to, and as whom. */
export interface Connection {
  readonly url: string;
  readonly credential: Secret;
  readonly scheme?: "bearer" | "api-key" | undefined;
}

/** What every verb takes. */
export interface VerbOptions extends LoadOptions {
  readonly connection: Connection;
  /** Stops between calls. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Makes the key of the fingerprints of secrets where there is none and the stack has secrets. */
  readonly makesKey?: boolean | undefined;
  /** Which existing objects that nobody owns may be taken over; none unless it is given. */
  readonly adopt?: ((address: string) => boolean) | undefined;
  /** Addresses of objects that are to be deleted and made anew, although nothing of them needs that. */
  readonly replace?: readonly string[] | undefined;
  /** A stack that declares nothing may delete or let go of what it owns, as its documents said; else all of it is kept. */
  readonly allowEmpty?: boolean | undefined;
  /** The clock; the system's where it is not given. */
  readonly now?: (() => Date) | undefined;
}

/** A stack with its server. */
export interface Session {
  readonly desired: Desired;
  readonly client: Client;
  readonly offer: Offer;
  readonly store: InventoryStore;
  /** What is kept beside the inventory under a mark, in the same place; closed with the session. */
  readonly beside: (mark: string) => Promise<InventoryStore>;
  /** Of the fingerprints of secrets; one for this session alone where there is none that lasts. */
  readonly fingerprintKey: Secret;
  readonly kinds: readonly Kind[];
  /** The windows and freezes of the operator, and those of the Stack. */
  readonly sets: readonly RuleSet[];
  /** What the stack owns beside the entries that `store` shows; left out where it shows all. */
  readonly beyond?: Inventory["entries"];
}

/** What a verb found wrong with the manifests, or what it came to. */
export type Verdict<T> =
  | ({ readonly ok: true; readonly diagnostics: readonly Diagnostic[] } & T)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What every verb tells beside its own. */
export interface Located {
  /** Where each declared object is declared, by address. */
  readonly places: ReadonlyMap<string, Place>;
  /** The address of each, by kind and natural key: an address with the key for a name. */
  readonly names: ReadonlyMap<string, string>;
}

/** {@link Located.names} of a stack. */
export function namesOf({ wishes }: Desired): ReadonlyMap<string, string> {
  return new Map(wishes.map((wish) => [addressOf(wish.kind.name, wish.key), wish.address]));
}

/** Loads the stack, connects, runs `work`, and closes what was opened; `loaded` is the stack where it was loaded already. */
export async function withSession<T extends object>(
  options: VerbOptions,
  work: (session: Session, diagnostics: readonly Diagnostic[]) => Promise<Verdict<T>>,
  loaded?: Resolved,
): Promise<Verdict<T & Located>> {
  const { desired, diagnostics } = loaded ?? (await loadStack(options));
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const { stack } = desired;
  const { concurrency, requestsPerSecond } = stack.policy;
  const { signal, connection, kinds } = options;
  const onWait = (event: WaitEvent) => options.progress?.({ event: "wait", ...event });
  const client = createClient({ ...connection, concurrency, requestsPerSecond, signal, onWait });
  try {
    const wrong = otherOrigin(client.origin, options) ?? otherTarget(desired, client.origin);
    if (wrong !== undefined) return { ok: false, diagnostics: [...diagnostics, wrong] };
    const offer = await client.offered();
    const access = { ...connection, offered: () => Promise.resolve(offer) };
    await using stores = openStores(stack, { env: options.env, connection: access });
    const store = await stores.own();
    const fingerprintKey = keyFor(desired, options);
    const sets = ruleSetsOf(stack, options.grants);
    const { beside } = stores;
    const session = { desired, client, offer, store, beside, fingerprintKey, kinds, sets };
    const verdict = await work(session, diagnostics);
    if (!verdict.ok) return verdict;
    return {
      ...verdict,
      places: new Map(desired.wishes.map((wish) => [wish.address, wish.place])),
      names: namesOf(desired),
    };
  } finally {
    await client.close();
  }
}

/** Nothing is made where the stack has no secrets. */
function keyFor({ wishes }: Desired, { env, makesKey }: VerbOptions): Secret {
  const kinds = new Set(wishes.map(({ kind }) => kind));
  const makes =
    makesKey === true &&
    [...kinds].some(({ spec, mints }) => mints !== undefined || holdsSecret(spec));
  return makes ? makeFingerprintKey(env) : (readFingerprintKey(env) ?? passingKey());
}

/** The key goes nowhere but where the operator grants, whatever a script of the stack's connects to. */
function otherOrigin(origin: string, { grants }: VerbOptions): Diagnostic | undefined {
  const allowed = grants.origins?.map(originOf);
  if (allowed === undefined || allowed.includes(origin)) return undefined;
  return {
    code: "not-granted",
    severity: "error",
    summary: `you are connected to ${origin}, and the grants only let ${allowed.join(", ")} be talked to`,
    remedy: "connect to one of these, or have the origin added to the operator's grants",
  };
}

function ruleSetsOf({ policy }: Stack, grants: Grants): readonly RuleSet[] {
  const { windows = [], freezes = [] } = policy;
  return [operatorRules(grants), { by: "the Stack", windows, freezes }];
}

/** The windows and freezes of whoever grants. */
export function operatorRules({ windows, freezes }: Grants): RuleSet {
  return { by: "the operator", windows, freezes };
}

function otherTarget({ stack }: Desired, origin: string): Diagnostic | undefined {
  if (stack.target === undefined || new URL(stack.target).origin === origin) return undefined;
  return {
    code: "target-mismatch",
    severity: "error",
    address: `Stack/${stack.name}`,
    summary: `the stack is for ${stack.target}, but you are connected to ${origin}`,
    remedy: "connect to the stack's own server, or change spec.target.url",
  };
}

/** A plan with what it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: Live;
  /** Holds the pages that were read for it. */
  readonly reader: SharedReader;
}

/** Observes and compares; writes nothing anywhere. Diagnostics of the manifests stand before those of the plan. */
export async function planSession(
  session: Session,
  options: VerbOptions & { readonly diagnostics: readonly Diagnostic[] },
): Promise<Verdict<Planned>> {
  const { client, desired, kinds } = session;
  const inventory = await session.store.read();
  refuseOtherOrigin(inventory, client.origin);
  const capabilities = capabilitiesOf(session, inventory);
  const blind = unobservable(kinds, capabilities);
  if (blind.length > 0) return { ok: false, diagnostics: [...options.diagnostics, ...blind] };
  options.progress?.({ event: "phase", phase: "read" });
  const callsBefore = client.stats.calls;
  const reader = createReader(client.reader, { signal: options.signal });
  const live = await observeWorld(session, inventory, { reader, signal: options.signal });
  const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
  const made = makePlan({
    desired,
    live,
    inventory,
    fingerprints,
    sinks: lookAtSinks(desired.wishes, desired.stack, fingerprints),
    remake: remakes(desired, options.replace ?? []),
    allowEmpty: options.allowEmpty,
    kinds,
    capabilities,
    otherStacks: await otherStacks(session, { live, inventory }),
    adopt: options.adopt ?? (() => false),
    origin: client.origin,
    now: (options.now ?? (() => new Date()))(),
    readCalls: client.stats.calls - callsBefore,
    writeCalls: (changes) => estimate(session.offer, tasksOf(changes, kinds)).writeCalls,
  });
  const owner = (kind: string, key: string) => session.store.owner(client.origin, kind, key);
  const { beyond = {} } = session;
  const { entries: owned } = inventory;
  const context = { ...session, owned, beyond, reader, owner, signal: options.signal };
  const whole = await withCascades(made, context);
  const at = (options.now ?? (() => new Date()))();
  const plan = deepFreeze({
    ...whole,
    diagnostics: [...whole.diagnostics, ...windowNotes(whole, session, at)],
    cost: costOf({ ...made.cost, readCalls: client.stats.calls - callsBefore }, desired.stack),
  });
  return { ok: true, plan, inventory, live, reader, diagnostics: options.diagnostics };
}

/** What writing takes at the rate that the stack allows; as long as the server likes where it allows any. */
function costOf(cost: Plan["cost"], { policy: { requestsPerSecond: rate } }: Stack): Plan["cost"] {
  if (rate === undefined || cost.writeCalls === 0) return cost;
  return { ...cost, seconds: Math.ceil(cost.writeCalls / rate) };
}

/** Fails with `usage` for an address that no document has. */
function remakes({ wishes }: Desired, replace: readonly string[]): (address: string) => boolean {
  const declared = new Set(wishes.map(({ address }) => address));
  const unknown = replace.filter((address) => !declared.has(address));
  if (unknown.length === 0) return (address) => replace.includes(address);
  throw new Failure("usage", `the stack declares no ${unknown.join(", ")}`, {
    remedy: "name documents as Kind/name",
  });
}

function capabilitiesOf(
  { desired, kinds, offer }: Session,
  inventory: Inventory,
): Map<string, Capability> {
  const touched = new Set([
    ...desired.wishes.map((wish) => wish.kind.name),
    ...Object.values(inventory.entries).map((entry) => entry.kind),
  ]);
  return new Map(
    kinds
      .filter((kind) => touched.has(kind.name))
      .map((kind) => [kind.name, capability(kind, (operation) => offer.has(operation))]),
  );
}

function unobservable(
  kinds: readonly Kind[],
  capabilities: ReadonlyMap<string, Capability>,
): Diagnostic[] {
  return kinds.flatMap((kind) => {
    const missing = capabilities.get(kind.name)?.observe ?? [];
    if (missing.length === 0) return [];
    return [
      {
        code: "cannot-observe" as const,
        severity: "error" as const,
        summary: `${kind.name} cannot be managed on this server: ${whyMissing({ missing, reason: undefined })}`,
        remedy: `leave ${kind.name} documents out of the stack, or use a server that offers it`,
      },
    ];
  });
}

/** Everything that is wished for or owned; what others are in is seen first, since it may be called otherwise by now. */
async function observeWorld(
  { desired, kinds }: Session,
  inventory: Inventory,
  how: { readonly reader: Reader; readonly signal: AbortSignal | undefined },
): Promise<Live> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const recorded = Object.values(inventory.entries);
  let seen: Live = new Map();
  let placeOf = whereabouts(inventory, byName, seen);
  for (const parent of renamableParents(byName)) {
    const entries = recorded.filter(({ kind }) => kind === parent);
    const asked = entries.flatMap((entry) => askedBy(entry, { byName, place: placeOf(entry) }));
    seen = new Map([...seen, ...(await observeAll(asked, how))]);
    placeOf = whereabouts(inventory, byName, seen);
  }
  const wished = desired.wishes.map(({ kind, scope, spec, key }): Asked => {
    return { kind, scope, key, fields: fieldNames(spec) };
  });
  const owned = recorded.flatMap((entry) => askedBy(entry, { byName, place: placeOf(entry) }));
  return observeAll([...wished, ...owned], how);
}

function askedBy(
  { kind: name, id, lastApplied }: Entry,
  { byName, place }: { byName: ReadonlyMap<string, Kind>; place: Whereabouts },
): Asked[] {
  const kind = byName.get(name);
  const { key, scope } = place;
  return kind === undefined ? [] : [{ kind, scope, key, id, fields: fieldNames(lastApplied) }];
}

/** Which wishes name a live object that another stack of the same store owns. */
async function otherStacks(
  { desired, store, client }: Session,
  { live, inventory }: { live: Live; inventory: Inventory },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { address, kind, key } of desired.wishes) {
    const foreign =
      inventory.entries[address] === undefined && live.get(kind.name)?.byKey.has(key) === true;
    const owner = foreign ? await store.owner(client.origin, kind.name, key) : undefined;
    if (owner !== undefined) found.set(address, owner);
  }
  return found;
}
