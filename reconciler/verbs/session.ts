// What every verb begins with: the stack loaded, the server asked what it offers, the world observed, the plan made.
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client, WaitEvent } from "../../client/types.ts";
import { capability, type Capability } from "../../core/capability.ts";
import { type Diagnostic, hasErrors, type Place } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { containsSecret } from "../../core/fields.ts";
import { address as addressOf } from "../../core/identity.ts";
import type { Kind, Reader } from "../../core/kind.ts";
import type { Secret } from "../../core/secret.ts";
import { estimate } from "../../lifecycle/lifecycle.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";
import { tasksOf } from "../engine/change-tasks.ts";
import { withCascades } from "../engine/cascade.ts";
import {
  ensureFingerprintKey,
  ephemeralKey,
  readFingerprintKey,
} from "../operator/fingerprint-key.ts";
import { fingerprintsWith } from "../../core/fingerprints.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { loadStack, type LoadOptions } from "../manifest/load.ts";
import type {
  DesiredState,
  Entry,
  Inventory,
  LiveState,
  Plan,
  ProgressEvent,
  ResolveResult,
  Stack,
} from "../model/index.ts";
import { type ObserveRequest, fieldNames, observeAll } from "../engine/observe.ts";
import { deepFreeze, makePlan } from "../engine/plan.ts";
import type { Grants } from "../operator/grants.ts";
import { normalizeOrigin, rejectOtherOrigin } from "../operator/origins.ts";
import { windowNotes } from "../policy/window-check.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";
import { missingText } from "../engine/server-support.ts";
import { inspectSecretSinks } from "../engine/secret-sinks.ts";
import {
  renamableParents,
  type ObjectIdentity,
  resolveParentRenames,
} from "../engine/parent-renames.ts";

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
  readonly createsKey?: boolean | undefined;
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
  readonly desired: DesiredState;
  readonly client: Client;
  readonly apiDiscovery: ApiDiscovery;
  readonly store: InventoryStore;
  /** What is kept beside the inventory under a mark, in the same place; closed with the session. */
  readonly companionStore: (mark: string) => Promise<InventoryStore>;
  /** Of the fingerprints of secrets; one for this session alone where there is none that lasts. */
  readonly fingerprintKey: Secret;
  readonly kinds: readonly Kind[];
  /** The windows and freezes of the operator, and those of the Stack. */
  readonly windowRuleSets: readonly WindowRuleSet[];
  /** What the stack owns beside the entries that `store` shows; left out where it shows all. */
  readonly otherEntries?: Inventory["entries"];
}

/** What a verb found wrong with the manifests, or what it came to. */
export type VerbResult<T> =
  | ({ readonly ok: true; readonly diagnostics: readonly Diagnostic[] } & T)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What every verb tells beside its own. */
export interface ObjectLocations {
  /** Where each declared object is declared, by address. */
  readonly places: ReadonlyMap<string, Place>;
  /** The address of each, by kind and natural key: an address with the key for a name. */
  readonly addressesByKey: ReadonlyMap<string, string>;
}

/** {@link ObjectLocations.addressesByKey} of a stack. */
export function addressesByKeyOf({ objects: wishes }: DesiredState): ReadonlyMap<string, string> {
  return new Map(wishes.map((wish) => [addressOf(wish.kind.name, wish.key), wish.address]));
}

/** Loads the stack, connects, runs `work`, and closes what was opened; `loaded` is the stack where it was loaded already. */
export async function withSession<T extends object>(
  options: VerbOptions,
  work: (session: Session, diagnostics: readonly Diagnostic[]) => Promise<VerbResult<T>>,
  loaded?: ResolveResult,
): Promise<VerbResult<T & ObjectLocations>> {
  const { desired, diagnostics } = loaded ?? (await loadStack(options));
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const { stack } = desired;
  const { concurrency, requestsPerSecond } = stack.policy;
  const { signal, connection, kinds } = options;
  const onWait = (event: WaitEvent) => options.progress?.({ event: "wait", ...event });
  const client = createClient({ ...connection, concurrency, requestsPerSecond, signal, onWait });
  try {
    const wrong =
      originNotGranted(client.origin, options) ?? targetMismatch(desired, client.origin);
    if (wrong !== undefined) return { ok: false, diagnostics: [...diagnostics, wrong] };
    const apiDiscovery = await client.discoverApi();
    const access = { ...connection, apiDiscovery: () => Promise.resolve(apiDiscovery) };
    await using stores = openStores(stack, { env: options.env, connection: access });
    const store = await stores.stackStore();
    const fingerprintKey = keyFor(desired, options);
    const windowRuleSets = ruleSetsOf(stack, options.grants);
    const { companionStore } = stores;
    const session: Session = {
      desired,
      client,
      apiDiscovery,
      store,
      companionStore,
      fingerprintKey,
      kinds,
      windowRuleSets,
    };
    const verdict = await work(session, diagnostics);
    if (!verdict.ok) return verdict;
    return {
      ...verdict,
      places: new Map(desired.objects.map((wish) => [wish.address, wish.place])),
      addressesByKey: addressesByKeyOf(desired),
    };
  } finally {
    await client.close();
  }
}

/** Nothing is made where the stack has no secrets. */
function keyFor(
  { objects: wishes }: DesiredState,
  { env, createsKey: makesKey }: VerbOptions,
): Secret {
  const kinds = new Set(wishes.map(({ kind }) => kind));
  const makes =
    makesKey === true &&
    [...kinds].some(
      ({ spec, generatedSecret: mints }) => mints !== undefined || containsSecret(spec),
    );
  return makes ? ensureFingerprintKey(env) : (readFingerprintKey(env) ?? ephemeralKey());
}

/** The key goes nowhere but where the operator grants, whatever a script of the stack's connects to. */
function originNotGranted(origin: string, { grants }: VerbOptions): Diagnostic | undefined {
  const allowed = grants.origins?.map(normalizeOrigin);
  if (allowed === undefined || allowed.includes(origin)) return undefined;
  return {
    code: "not-granted",
    severity: "error",
    summary: `you are connected to ${origin}, and the grants only let ${allowed.join(", ")} be talked to`,
    remedy: "connect to one of these, or have the origin added to the operator's grants",
  };
}

function ruleSetsOf({ policy }: Stack, grants: Grants): readonly WindowRuleSet[] {
  const { windows = [], freezes = [] } = policy;
  return [operatorRules(grants), { by: "the Stack", windows, freezes }];
}

/** The windows and freezes of whoever grants. */
export function operatorRules({ windows, freezes }: Grants): WindowRuleSet {
  return { by: "the operator", windows, freezes };
}

function targetMismatch({ stack }: DesiredState, origin: string): Diagnostic | undefined {
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
export interface PlannedSession {
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: LiveState;
  /** Holds the pages that were read for it. */
  readonly reader: CachedReader;
}

/** Observes and compares; writes nothing anywhere. Diagnostics of the manifests stand before those of the plan. */
export async function planSession(
  session: Session,
  options: VerbOptions & { readonly diagnostics: readonly Diagnostic[] },
): Promise<VerbResult<PlannedSession>> {
  const { client, desired, kinds } = session;
  const inventory = await session.store.read();
  rejectOtherOrigin(inventory, client.origin);
  const capabilities = capabilitiesOf(session, inventory);
  const blind = notObservableErrors(kinds, capabilities);
  if (blind.length > 0) return { ok: false, diagnostics: [...options.diagnostics, ...blind] };
  options.progress?.({ event: "phase", phase: "read" });
  const callsBefore = client.stats.calls;
  const reader = createCachedReader(client.reader, { signal: options.signal });
  const live = await observeLiveState(session, inventory, { reader, signal: options.signal });
  const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
  const made = makePlan({
    desired,
    live,
    inventory,
    fingerprints,
    sinks: inspectSecretSinks(desired.objects, desired.stack, fingerprints),
    forceReplace: forceReplaceOf(desired, options.replace ?? []),
    allowEmpty: options.allowEmpty,
    kinds,
    capabilities,
    otherStacks: await otherStacks(session, { live, inventory }),
    adopt: options.adopt ?? (() => false),
    origin: client.origin,
    now: (options.now ?? (() => new Date()))(),
    readCalls: client.stats.calls - callsBefore,
    writeCalls: (changes) => estimate(session.apiDiscovery, tasksOf(changes, kinds)).writeCalls,
  });
  const owner = (kind: string, key: string) => session.store.owner(client.origin, kind, key);
  const { otherEntries = {} } = session;
  const { entries: owned } = inventory;
  const context = { ...session, owned, otherEntries, reader, owner, signal: options.signal };
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
function forceReplaceOf(
  { objects: wishes }: DesiredState,
  replace: readonly string[],
): (address: string) => boolean {
  const declared = new Set(wishes.map(({ address }) => address));
  const unknown = replace.filter((address) => !declared.has(address));
  if (unknown.length === 0) return (address) => replace.includes(address);
  throw new Failure("usage", `the stack declares no ${unknown.join(", ")}`, {
    remedy: "name documents as Kind/name",
  });
}

function capabilitiesOf(
  { desired, kinds, apiDiscovery: offer }: Session,
  inventory: Inventory,
): Map<string, Capability> {
  const touched = new Set([
    ...desired.objects.map((wish) => wish.kind.name),
    ...Object.values(inventory.entries).map((entry) => entry.kind),
  ]);
  return new Map(
    kinds
      .filter((kind) => touched.has(kind.name))
      .map((kind) => [kind.name, capability(kind, (operation) => offer.has(operation))]),
  );
}

function notObservableErrors(
  kinds: readonly Kind[],
  capabilities: ReadonlyMap<string, Capability>,
): Diagnostic[] {
  return kinds.flatMap((kind) => {
    const missing = capabilities.get(kind.name)?.observe ?? [];
    if (missing.length === 0) return [];
    return [
      {
        code: "not-readable" as const,
        severity: "error" as const,
        summary: `${kind.name} cannot be managed on this server: ${missingText({ missing, reason: undefined })}`,
        remedy: `leave ${kind.name} documents out of the stack, or use a server that offers it`,
      },
    ];
  });
}

/** Everything that is wished for or owned; what others are in is seen first, since it may be called otherwise by now. */
async function observeLiveState(
  { desired, kinds }: Session,
  inventory: Inventory,
  how: { readonly reader: Reader; readonly signal: AbortSignal | undefined },
): Promise<LiveState> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const recorded = Object.values(inventory.entries);
  let seen: LiveState = new Map();
  let placeOf = resolveParentRenames(inventory, byName, seen);
  for (const parent of renamableParents(byName)) {
    const entries = recorded.filter(({ kind }) => kind === parent);
    const asked = entries.flatMap((entry) =>
      observeRequestsFor(entry, { byName, place: placeOf(entry) }),
    );
    seen = new Map([...seen, ...(await observeAll(asked, how))]);
    placeOf = resolveParentRenames(inventory, byName, seen);
  }
  const wished = desired.objects.map(({ kind, scope, spec, key }): ObserveRequest => {
    return { kind, scope, key, fields: fieldNames(spec) };
  });
  const owned = recorded.flatMap((entry) =>
    observeRequestsFor(entry, { byName, place: placeOf(entry) }),
  );
  return observeAll([...wished, ...owned], how);
}

function observeRequestsFor(
  { kind: name, id, lastApplied }: Entry,
  { byName, place }: { byName: ReadonlyMap<string, Kind>; place: ObjectIdentity },
): ObserveRequest[] {
  const kind = byName.get(name);
  const { key, scope } = place;
  return kind === undefined ? [] : [{ kind, scope, key, id, fields: fieldNames(lastApplied) }];
}

/** Which wishes name a live object that another stack of the same store owns. */
async function otherStacks(
  { desired, store, client }: Session,
  { live, inventory }: { live: LiveState; inventory: Inventory },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { address, kind, key } of desired.objects) {
    const foreign =
      inventory.entries[address] === undefined && live.get(kind.name)?.byKey.has(key) === true;
    const owner = foreign ? await store.owner(client.origin, kind.name, key) : undefined;
    if (owner !== undefined) found.set(address, owner);
  }
  return found;
}
