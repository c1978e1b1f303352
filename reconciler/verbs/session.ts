// Opens a stack for a verb: loads it, connects to its server, and opens its inventory.
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { createRequestRate } from "../../client/request-rate.ts";
import type { Client, RenewCredential } from "../../client/types.ts";
import { type Diagnostic, hasErrors, type Place } from "../../core/diagnostics.ts";
import { containsSecret } from "../../core/kind/fields.ts";
import { address as addressOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Secret } from "../../core/secret.ts";
import {
  ensureFingerprintKey,
  ephemeralKey,
  readFingerprintKey,
} from "../operator/fingerprint-key.ts";
import { limits } from "../../core/limits/limits.ts";
import type { CachedReader } from "../../lifecycle/reader.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryStore } from "../inventory/store.ts";
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
import type { Grants } from "../operator/grants.ts";
import { normalizeOrigin } from "../operator/origins.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";

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
export interface VerbOptions extends LoadOptions, SessionOptions {
  readonly connection: Connection;
  /** Set to create and store the key for fingerprints of secrets, if the stack has secrets. */
  readonly createsKey?: boolean | undefined;
}

/** Options of what runs in a session. */
export interface SessionOptions {
  /** Stops between calls. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Selects existing objects to adopt (default: none). */
  readonly adopt?: ((address: string) => boolean) | undefined;
  /** Addresses of objects to replace. */
  readonly replace?: readonly string[] | undefined;
  /** Addresses to limit the plan to, with everything that they depend on (default: no limit). */
  readonly targets?: readonly string[] | undefined;
  /** A plan whose live edits are left, unless another change needs that they are undone. */
  readonly leavesDrift?: Plan | undefined;
  /** Set to let a stack without documents delete or forget its objects; otherwise they are kept. */
  readonly allowEmpty?: boolean | undefined;
  /** Returns the time (default: the system clock). */
  readonly now?: (() => Date) | undefined;
}

/** A stack with its server. Disposing of it closes the connections. */
export interface Session extends AsyncDisposable {
  readonly desired: DesiredState;
  /** The diagnostics of the manifests, without errors. */
  readonly diagnostics: readonly Diagnostic[];
  readonly env: LoadOptions["env"];
  readonly client: Client;
  readonly apiDiscovery: ApiDiscovery;
  readonly store: InventoryStore;
  /** Opens a record stored beside the inventory. */
  readonly companionStore: (suffix: string) => Promise<InventoryStore>;
  /** Key for fingerprints of secrets; valid only for this session if none is stored. */
  readonly fingerprintKey: Secret;
  readonly kinds: readonly Kind[];
  /** Windows and freezes of the operator and the Stack. */
  readonly windowRuleSets: readonly WindowRuleSet[];
}

/** Returns how many calls a session has made to the server, with those for the inventory. */
export function callsOf({ client, store }: Pick<Session, "client" | "store">): number {
  return client.stats.calls + store.calls();
}

/** Errors of the manifests, or the result. */
export type VerbResult<T> =
  | ({ readonly ok: true; readonly diagnostics: readonly Diagnostic[] } & T)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Results common to every verb. */
export interface ObjectLocations {
  /** Position of each document, by address; also of the Stack. */
  readonly places: ReadonlyMap<string, Place>;
  /** Addresses by kind and natural key: an address with the key as its name. */
  readonly addressesByKey: ReadonlyMap<string, string>;
}

/** Returns the locations of the objects of a stack. */
export function objectLocations({
  objects,
  stack: { name, namePlace },
}: DesiredState): ObjectLocations {
  const places = new Map(objects.map(({ address, place }) => [address, place]));
  if (namePlace !== undefined) places.set(addressOf("Stack", name), namePlace);
  return {
    places,
    addressesByKey: addressesByKeyOf(objects),
  };
}

/** Returns {@link ObjectLocations.addressesByKey} of these objects. */
export function addressesByKeyOf(objects: DesiredState["objects"]): ReadonlyMap<string, string> {
  return new Map(objects.map(({ kind, key, address }) => [addressOf(kind.name, key), address]));
}

/** Loads the stack unless it is given as `loaded`, and connects. */
export async function openSession(
  options: VerbOptions,
  loaded?: ResolveResult,
): Promise<VerbResult<{ readonly session: Session }>> {
  const { desired, diagnostics } = loaded ?? (await loadStack(options));
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const { stack } = desired;
  const { concurrency, requestsPerSecond: perSecond } = stack.policy;
  const requestsPerSecond = perSecond === undefined ? undefined : createRequestRate(perSecond);
  const { signal, connection, kinds, env, progress } = options;
  await using resources = new AsyncDisposableStack();
  const client = createClient({
    ...connection,
    // A run that has begun to write outlasts a restart of the server.
    writeAttempts: limits.restartAttempts,
    concurrency,
    requestsPerSecond,
    signal,
    onWait: (event) => progress?.({ event: "wait", ...event }),
  });
  resources.defer(() => client.close());
  const wrong = originNotGranted(client.origin, options) ?? targetMismatch(desired, client.origin);
  if (wrong !== undefined) return { ok: false, diagnostics: [...diagnostics, wrong] };
  const apiDiscovery = await client.discoverApi();
  const access = {
    ...connection,
    requestsPerSecond,
    apiDiscovery: () => Promise.resolve(apiDiscovery),
  };
  const stores = resources.use(openStores(stack, { env, connection: access }));
  const store = await stores.stackStore();
  const { companionStore } = stores;
  const fingerprintKey = keyFor(desired, options);
  const windowRuleSets = ruleSetsOf(stack, options.grants);
  const opened = resources.move();
  const session: Session = {
    desired,
    diagnostics,
    env,
    client,
    apiDiscovery,
    store,
    companionStore,
    fingerprintKey,
    kinds,
    windowRuleSets,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return { ok: true, session, diagnostics };
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
