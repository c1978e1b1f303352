// Starts every verb: loads the stack, reads the operations of the server, observes live objects, and plans.
import { assertTargets } from "../engine/targets.ts";
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { createRequestRate } from "../../client/request-rate.ts";
import type { Client, RenewCredential, WaitEvent } from "../../client/types.ts";
import { capability, type Capability } from "../../core/kind/capability.ts";
import { type Diagnostic, hasErrors, type Place } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { containsSecret } from "../../core/kind/fields.ts";
import { address as addressOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import type { Secret } from "../../core/secret.ts";
import { estimate } from "../../lifecycle/estimate.ts";
import { knownTextsOf } from "../../lifecycle/known-texts.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";
import { tasksOf } from "../engine/execute.ts";
import { withCascades } from "../engine/cascade.ts";
import {
  ensureFingerprintKey,
  ephemeralKey,
  readFingerprintKey,
} from "../operator/fingerprint-key.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { limits } from "../../core/limits/limits.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryStore, OwnedObject } from "../inventory/store.ts";
import { loadStack, type LoadOptions } from "../manifest/load.ts";
import type {
  DesiredState,
  Inventory,
  LiveState,
  Plan,
  ProgressEvent,
  ResolveResult,
  Stack,
} from "../model/index.ts";
import { deepFreeze, makePlan } from "../engine/plan.ts";
import type { Grants } from "../operator/grants.ts";
import { normalizeOrigin } from "../operator/origins.ts";
import { withReadRemedy } from "./read-permission.ts";
import { rejectOtherOrigin } from "../operator/other-server.ts";
import { windowNotes } from "../policy/window-check.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";
import { missingText } from "../engine/server-support.ts";
import { missingInventoryErrors } from "./missing-inventory.ts";
import { otherStacks } from "./other-owners.ts";
import { inspectSecretSinks } from "../engine/secret-sinks.ts";
import { entriesByKind, listEntries, ownedAddresses } from "../model/inventory-entries.ts";
import { observeLiveState } from "./live-state.ts";
import { outOfScopeErrors } from "./out-of-scope.ts";

/** Server and credentials. */
export interface Connection {
  readonly url: string;
  /** Undefined if `renewCredential` gets it. */
  readonly credential: Secret | undefined;
  readonly scheme?: "bearer" | "api-key" | undefined;
  /** Gets the credential if it is undefined, and replaces an expired one. */
  readonly renewCredential?: RenewCredential | undefined;
  /** First pause between the attempts of a request, which doubles, in milliseconds (default: 250). */
  readonly retryFirstMs?: number | undefined;
}

/** Options of every verb. */
export interface VerbOptions extends LoadOptions {
  readonly connection: Connection;
  /** Stops between calls. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Set to create and store the key for fingerprints of secrets, if the stack has secrets. */
  readonly createsKey?: boolean | undefined;
  /** Selects existing objects to adopt (default: none). */
  readonly adopt?: ((address: string) => boolean) | undefined;
  /** Addresses of objects to replace. */
  readonly replace?: readonly string[] | undefined;
  /** Addresses to limit the plan to, with everything that they depend on (default: no limit). */
  readonly targets?: readonly string[] | undefined;
  /** Set to let a stack without documents delete or forget its objects; otherwise they are kept. */
  readonly allowEmpty?: boolean | undefined;
  /** Returns the time (default: the system clock). */
  readonly now?: (() => Date) | undefined;
}

/** A stack with its server. */
export interface Session {
  readonly desired: DesiredState;
  readonly client: Client;
  readonly apiDiscovery: ApiDiscovery;
  readonly store: InventoryStore;
  /** Opens a record stored beside the inventory; closed with the session. */
  readonly companionStore: (suffix: string) => Promise<InventoryStore>;
  /** Key for fingerprints of secrets; valid only for this session if none is stored. */
  readonly fingerprintKey: Secret;
  readonly kinds: readonly Kind[];
  /** Windows and freezes of the operator and the Stack. */
  readonly windowRuleSets: readonly WindowRuleSet[];
}

/** Errors of the manifests, or the result. */
export type VerbResult<T> =
  | ({ readonly ok: true; readonly diagnostics: readonly Diagnostic[] } & T)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Results common to every verb. */
export interface ObjectLocations {
  /** Position of each document, by address. */
  readonly places: ReadonlyMap<string, Place>;
  /** Addresses by kind and natural key: an address with the key as its name. */
  readonly addressesByKey: ReadonlyMap<string, string>;
}

/** Returns {@link ObjectLocations.addressesByKey} of a stack. */
export function addressesByKeyOf({ objects }: DesiredState): ReadonlyMap<string, string> {
  return new Map(
    objects.map((desiredObject) => [
      addressOf(desiredObject.kind.name, desiredObject.key),
      desiredObject.address,
    ]),
  );
}

/** Loads the stack unless it is given as `loaded`, connects, runs `work`, and closes everything. */
export async function withSession<T extends object>(
  options: VerbOptions,
  work: (session: Session, diagnostics: readonly Diagnostic[]) => Promise<VerbResult<T>>,
  loaded?: ResolveResult,
): Promise<VerbResult<T & ObjectLocations>> {
  const { desired, diagnostics } = loaded ?? (await loadStack(options));
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const { stack } = desired;
  const { concurrency, requestsPerSecond: perSecond } = stack.policy;
  const requestsPerSecond = perSecond === undefined ? undefined : createRequestRate(perSecond);
  const { signal, connection, kinds } = options;
  const onWait = (event: WaitEvent) => options.progress?.({ event: "wait", ...event });
  const client = createClient({
    ...connection,
    // A run that has begun to write outlasts a restart of the server.
    writeAttempts: limits.restartAttempts,
    concurrency,
    requestsPerSecond,
    signal,
    onWait,
  });
  try {
    const wrong =
      originNotGranted(client.origin, options) ?? targetMismatch(desired, client.origin);
    if (wrong !== undefined) return { ok: false, diagnostics: [...diagnostics, wrong] };
    const apiDiscovery = await client.discoverApi();
    const access = {
      ...connection,
      requestsPerSecond,
      apiDiscovery: () => Promise.resolve(apiDiscovery),
    };
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
      places: new Map(
        desired.objects.map((desiredObject) => [desiredObject.address, desiredObject.place]),
      ),
      addressesByKey: addressesByKeyOf(desired),
    };
  } finally {
    await client.close();
  }
}

/** No key is created if the stack has no secrets. */
function keyFor({ objects }: DesiredState, { env, createsKey }: VerbOptions): Secret {
  const kinds = new Set(objects.map(({ kind }) => kind));
  const makes =
    createsKey === true &&
    [...kinds].some(
      ({ spec, generatedSecret }) => generatedSecret !== undefined || containsSecret(spec),
    );
  return makes ? ensureFingerprintKey(env) : (readFingerprintKey(env) ?? ephemeralKey());
}

/**
 * The key is only sent to origins that the operator grants, regardless of the addresses that a script of the stack
 * connects to.
 */
function originNotGranted(origin: string, { grants }: VerbOptions): Diagnostic | undefined {
  const allowed = grants.origins?.map(normalizeOrigin);
  if (allowed === undefined || allowed.includes(origin)) return undefined;
  return {
    code: "not-granted",
    severity: "error",
    summary: `you are connected to ${origin}, but the grants only permit ${allowed.join(", ")}`,
    remedy: "Connect to one of these, or ask the operator to grant the origin.",
  };
}

function ruleSetsOf({ policy }: Stack, grants: Grants): readonly WindowRuleSet[] {
  const { windows = [], freezes = [] } = policy;
  return [operatorRules(grants), { by: "the Stack", windows, freezes }];
}

/** Windows and freezes of the operator. */
export function operatorRules({ windows, freezes }: Grants): WindowRuleSet {
  return { by: "the operator", windows, freezes };
}

function targetMismatch({ stack }: DesiredState, origin: string): Diagnostic | undefined {
  if (stack.target === undefined || new URL(stack.target).origin === origin) return undefined;
  return {
    code: "target-mismatch",
    severity: "error",
    address: `Stack/${stack.name}`,
    summary: `the stack targets ${stack.target}, but you are connected to ${origin}`,
    remedy: "Connect to the server of the stack, or change spec.target.url.",
  };
}

/** A plan with its inputs. */
export interface PlannedSession {
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly live: LiveState;
  /** Contains the pages that were read. */
  readonly reader: CachedReader;
}

/** Observes and compares. Writes nothing. Diagnostics of the manifests precede the diagnostics of the plan. */
export async function planSession(
  session: Session,
  options: SessionPlanOptions,
): Promise<VerbResult<PlannedSession>> {
  try {
    return await readAndPlan(session, options);
  } catch (error) {
    throw withReadRemedy(error);
  }
}

type SessionPlanOptions = VerbOptions & { readonly diagnostics: readonly Diagnostic[] };

async function readAndPlan(
  session: Session,
  options: SessionPlanOptions,
): Promise<VerbResult<PlannedSession>> {
  const { client, desired, kinds } = session;
  const whole = await session.store.read();
  rejectOtherOrigin(whole, session);
  const { inventory, otherEntries } = coveredPart(whole, desired);
  const capabilities = capabilitiesOf(session, inventory);
  const blind = notObservableErrors(kinds, capabilities);
  if (blind.length > 0) return { ok: false, diagnostics: [...options.diagnostics, ...blind] };
  assertTargets({
    targets: options.targets,
    desiredObjects: desired.objects,
    ownedAddresses: ownedAddresses(inventory.entries),
  });
  options.progress?.({ event: "phase", phase: "read" });
  const callsBefore = client.stats.calls;
  const knownTexts = knownTextsOf(desired.objects);
  const reader = createCachedReader(client.reader, { signal: options.signal, knownTexts });
  const how = { reader, signal: options.signal };
  const live = await observeLiveState(session, inventory, how);
  const planned = makePlan({
    ...inputOf(session, options, whole),
    live,
    capabilities,
    otherStacks: await otherStacks(session, { live, inventory }),
    readCalls: client.stats.calls - callsBefore,
    writeCalls: (changes) =>
      estimate(session.apiDiscovery, tasksOf(changes, kinds, live)).writeCalls,
  });
  const covered = options.targets && recordedAddresses(planned);
  const hidden = await outOfScopeErrors({ inventory, live, kinds }, reader, covered);
  if (hidden.length > 0) return { ok: false, diagnostics: [...options.diagnostics, ...hidden] };
  const owner = (object: OwnedObject) => session.store.owner(client.origin, object);
  const { entries: owned } = inventory;
  const context = { ...session, owned, otherEntries, reader, owner, signal: options.signal };
  const cascaded = await withCascades(planned, context);
  const at = (options.now ?? (() => new Date()))();
  const plan = deepFreeze({
    ...cascaded,
    diagnostics: [
      ...missingInventoryErrors(session, { inventory: whole, diagnostics: cascaded.diagnostics }),
      ...cascaded.diagnostics,
      ...windowNotes(cascaded, session, at),
    ],
    cost: costOf({ ...planned.cost, readCalls: client.stats.calls - callsBefore }, desired.stack),
  });
  return { ok: true, plan, inventory: whole, live, reader, diagnostics: options.diagnostics };
}

/** Splits the entries into those that the plan reads, and the others: none, except for an undo. */
function coveredPart(whole: Inventory, { covered }: DesiredState) {
  if (covered === undefined) return { inventory: whole, otherEntries: {} };
  const [entries, otherEntries] = [true, false].map((isCovered) =>
    Object.fromEntries(
      listEntries(whole.entries).filter(([address]) => covered.has(address) === isCovered),
    ),
  );
  return { inventory: { ...whole, entries: entries ?? {} }, otherEntries: otherEntries ?? {} };
}

/** Returns the input to a plan that does not depend on data from the server. */
function inputOf(
  { desired, kinds, client, fingerprintKey }: Session,
  options: VerbOptions,
  inventory: Inventory,
) {
  const fingerprints = fingerprintsWith(inventory.salt, fingerprintKey);
  return {
    desired,
    inventory,
    fingerprints,
    kinds,
    sinks: inspectSecretSinks(desired.objects, desired.stack, fingerprints),
    forceReplace: forceReplaceOf(desired, options.replace ?? []),
    targets: options.targets,
    allowEmpty: options.allowEmpty,
    adopt: options.adopt ?? (() => false),
    origin: client.origin,
    now: (options.now ?? (() => new Date()))(),
  };
}

/** Returns the addresses of the changes of a plan, as the inventory records them. */
function recordedAddresses({ changes }: Plan): ReadonlySet<string> {
  return new Set(changes.map(({ address, formerAddress }) => formerAddress ?? address));
}

/**
 * Returns the minimum duration of an apply in seconds under the rate limit of the stack: it repeats the reads of the
 * plan, and writes. Undefined without a limit.
 */
function costOf(cost: Plan["cost"], { policy: { requestsPerSecond: rate } }: Stack): Plan["cost"] {
  if (rate === undefined || cost.writeCalls === 0) return cost;
  return { ...cost, seconds: Math.ceil((cost.readCalls + cost.writeCalls) / rate) };
}

/** Fails with `usage` for an address without a document. */
function forceReplaceOf(
  { objects }: DesiredState,
  replace: readonly string[],
): (address: string) => boolean {
  const declared = new Set(objects.map(({ address }) => address));
  const unknown = replace.filter((address) => !declared.has(address));
  if (unknown.length === 0) return (address) => replace.includes(address);
  throw new Failure("usage", `the stack does not declare ${unknown.join(", ")}`, {
    remedy: sentences(
      didYouMean(unknown[0] ?? "", declared),
      "Use addresses of documents: Kind/name.",
    ),
  });
}

function capabilitiesOf(
  { desired, kinds, apiDiscovery: offer }: Session,
  inventory: Inventory,
): Map<string, Capability> {
  const touched = new Set([
    ...desired.objects.map((desiredObject) => desiredObject.kind.name),
    ...entriesByKind(inventory.entries).keys(),
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
        remedy: `Remove ${kind.name} documents from the stack, or use a server that supports them.`,
      },
    ];
  });
}
