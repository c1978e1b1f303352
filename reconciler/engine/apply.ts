// Applies a plan: checks that nothing changed since, executes exactly its changes and reads back what it wrote.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client } from "../../client/types.ts";
import { Failure, failureFrom, isFailure } from "../../core/errors.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { containsSecret } from "../../core/kind/fields.ts";
import { equal } from "../../core/json.ts";
import { maskSecrets } from "../../core/spec/record.ts";
import { removedFields } from "../../core/spec/removed-rights.ts";
import type { Secret } from "../../core/secret.ts";
import { createLifecycle, type Lifecycle } from "../../lifecycle/lifecycle.ts";
import { knownTextsOf } from "../../lifecycle/known-texts.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";
import { executeChanges, failureSummary } from "./execute.ts";
import { preconditionHolds, inventoryDigest } from "./digest.ts";
import { type Fingerprints, fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { holdLocks } from "../inventory/release-locks.ts";
import type { InventoryLock, InventoryStore } from "../inventory/store.ts";
import { type InventoryUpdater, openInventoryUpdater } from "./inventory-updater.ts";
import type {
  ApplyResult,
  Author,
  Change,
  DesiredState,
  Inventory,
  LiveState,
  Outcome,
  Plan,
  ProgressEvent,
} from "../model/index.ts";
import { type ObserveRequest, fieldNames, observeAll, observedObjectOf } from "./observe.ts";
import { firstError } from "../model/first-error.ts";
import { keptFieldsByAddress, restoredFieldsByAddress, withIgnoredFields } from "./ignore-rules.ts";
import { staleError, staleInventoryError, staleSecretsError } from "./saved-plan-check.ts";
import { openSecretSinks } from "./secret-sinks.ts";
import { residual, observedAfter } from "./verify.ts";

/** Dependencies of {@link applyPlan}. */
export interface ApplyContext {
  readonly client: Client;
  readonly apiDiscovery: ApiDiscovery;
  readonly store: InventoryStore;
  /** The desired state of the plan; it contains the secrets that the plan omits. */
  readonly desired: DesiredState;
  readonly fingerprintKey: Secret;
  /** Live state that the plan was made from. If omitted, apply reads it again. */
  readonly freshLiveState?: LiveState | undefined;
  readonly kinds: readonly Kind[];
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  readonly now?: (() => Date) | undefined;
  /** Returns the author of a run that writes; without it the inventory records no run. */
  readonly author?: (() => Promise<Author>) | undefined;
  /** The run that this one undoes. */
  readonly undoOf?: string | undefined;
}

interface ApplyRun extends Omit<ApplyContext, "author"> {
  readonly author: Author | undefined;
  readonly byName: ReadonlyMap<string, Kind>;
  readonly reader: CachedReader;
  readonly signal: AbortSignal;
  readonly lock: InventoryLock;
}

interface PreparedRun extends ApplyRun {
  readonly fingerprints: Fingerprints;
}

/**
 * Executes exactly the changes of the plan. Fails before the first write with `refused` if the plan contains errors,
 * `locked` if another run holds the lock, and `stale` if the inventory, a secret or a live object changed since the
 * plan was made.
 */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<ApplyResult> {
  assertNoErrors(plan);
  if (plan.changes.every(({ action }) => action === "orphan")) return emptyResult(plan);
  // Before the lock, because it may run Git.
  const author = await context.author?.();
  const callsBefore = context.client.stats.calls;
  const { result: ended, unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(context.store.lock("apply", context.client.origin));
    const signal =
      context.signal === undefined ? lock.lost : AbortSignal.any([context.signal, lock.lost]);
    const run: ApplyRun = {
      ...context,
      author,
      signal,
      lock,
      byName: kindsByName(context.kinds),
      reader: createCachedReader(context.client.reader, {
        signal,
        knownTexts: knownTextsOf(context.desired.objects),
      }),
    };
    const inventory = await checkInventory(plan, run);
    const fingerprints = fingerprintsWith(inventory.salt, run.fingerprintKey);
    const ready: PreparedRun = { ...run, fingerprints };
    const live = await checkLiveState(plan, ready);
    const changes = withSecrets(plan, ready, live);
    return writeChanges(changes, { run: ready, inventory, live });
  });
  const calls = context.client.stats.calls - callsBefore;
  return { plan, ...ended, calls, ...(unreleased.length > 0 && { warnings: unreleased }) };
}

function emptyResult(plan: Plan): ApplyResult {
  return {
    plan,
    outcomes: [],
    stopped: undefined,
    residual: [],
    unverified: undefined,
    unrecorded: undefined,
    calls: 0,
    writeCalls: 0,
  };
}

/** Fails with `refused` if the plan has errors, which no approval can override. */
export function assertNoErrors({ diagnostics }: Plan): void {
  const error = firstError(diagnostics);
  if (error === undefined) return;
  const { summary, remedy = "Fix the errors, and plan again." } = error;
  throw new Failure("refused", `nothing was written, because the plan has errors: ${summary}`, {
    remedy,
  });
}

async function checkInventory(plan: Plan, { store, client }: ApplyRun): Promise<Inventory> {
  if (client.origin !== plan.basis.origin) {
    throw new Failure(
      "stale",
      `the plan was made for ${plan.basis.origin}, not for ${client.origin}`,
      {
        remedy: "Connect to the server that the plan was made for, or plan again.",
      },
    );
  }
  return inventoryOfPlan(plan, store);
}

/** Reads the inventory that the plan was made from. Fails with `stale` if another run has written it since. */
export async function inventoryOfPlan(plan: Plan, store: InventoryStore): Promise<Inventory> {
  const inventory = await store.read();
  if (inventoryDigest(inventory) === plan.basis.inventory) return inventory;
  throw staleInventoryError();
}

/**
 * Reads the collections that the plan touches once and compares them with the plan's preconditions, unless they are
 * fresh.
 */
async function checkLiveState(plan: Plan, run: PreparedRun): Promise<LiveState> {
  if (run.freshLiveState !== undefined) return run.freshLiveState;
  run.progress?.({ event: "phase", phase: "check" });
  const live = await observeAll(
    plan.changes.flatMap((change) => observeRequestsFor(change, run)),
    run,
  );
  const stale = plan.changes.filter((change) => {
    const kind = run.byName.get(change.kind);
    if (kind === undefined || change.action === "forget" || change.action === "orphan")
      return false;
    const { of } = run.fingerprints;
    return !preconditionHolds(
      change.precondition,
      { kind, of },
      observedObjectOf(kind, change, live),
    );
  });
  if (stale.length > 0) throw staleError(stale.map(({ address }) => ({ address })));
  return live;
}

/** Puts the secrets of the manifests back into the changes and compares each with its fingerprint in the plan. */
function withSecrets(plan: Plan, run: PreparedRun, live: LiveState): readonly Change[] {
  const { desired, byName, fingerprints, now = () => new Date() } = run;
  const desiredObjects = new Map(
    desired.objects.map((desiredObject) => [desiredObject.address, desiredObject]),
  );
  const stale: string[] = [];
  const changes = plan.changes.map((change) => {
    const { secrets = {}, address } = change;
    const kind = byName.get(change.kind);
    if (change.desired === undefined || kind === undefined || !containsSecret(kind.spec))
      return change;
    const desiredObject = desiredObjects.get(address);
    const observed = observedObjectOf(kind, change, live);
    const spec =
      (desiredObject && observed
        ? withIgnoredFields(desiredObject, observed, now())
        : desiredObject
      )?.spec ?? {};
    if (!equal(maskSecrets(kind, spec, fingerprints.of).secretFingerprints, secrets))
      stale.push(address);
    const { taken } = removedFields(kind, change.desired, spec);
    return { ...change, desired: { ...spec, ...taken } };
  });
  if (stale.length > 0) throw staleSecretsError(stale);
  return changes;
}

function withoutSecrets(change: Change, { byName, fingerprints }: PreparedRun): Change {
  const kind = byName.get(change.kind);
  if (change.desired === undefined || kind === undefined) return change;
  return { ...change, desired: maskSecrets(kind, change.desired, fingerprints.of).visible };
}

function observeRequestsFor(change: Change, { byName }: ApplyRun): ObserveRequest[] {
  const kind = byName.get(change.kind);
  if (kind === undefined) return [];
  const watched = "fields" in change.precondition ? change.precondition.fields : [];
  const fields = [...fieldNames(change.desired ?? {}), ...watched];
  const scopes = change.from === undefined ? [change.scope] : [change.scope, change.from.scope];
  const { key, id } = change;
  return scopes.map((scope) => ({ kind, scope, fields, key, id }));
}

interface WriteContext {
  readonly run: PreparedRun;
  readonly inventory: Inventory;
  readonly live: LiveState;
}

type WriteResult = Pick<
  ApplyResult,
  "outcomes" | "stopped" | "residual" | "unverified" | "unrecorded" | "writeCalls"
>;

async function writeChanges(
  planned: readonly Change[],
  context: WriteContext,
): Promise<WriteResult> {
  const { run, inventory, live } = context;
  const { byName: kinds, lock, fingerprints, author, undoOf, now = () => new Date() } = run;
  const verb = undoOf === undefined ? "apply" : "undo";
  run.progress?.({ event: "phase", phase: "apply" });
  const updater = await openInventoryUpdater({
    lock,
    inventory,
    changes: planned,
    live,
    run: author && { verb, author, undoOf },
    kinds,
    origin: run.client.origin,
    fingerprints,
    now,
    keptFields: keptFieldsByAddress(run.desired),
    restoredFields: restoredFieldsByAddress(run.desired),
  });
  const changes = planned.filter((change) => change.action !== "orphan");
  const lifecycle = createLifecycle({
    client: run.client,
    discovery: run.apiDiscovery,
    reader: run.reader,
  });
  const outcomes = await executeChanges(changes, {
    lifecycle,
    inventoryUpdater: updater,
    sinks: openSecretSinks(run.desired.stack, fingerprints),
    kinds,
    live,
    signal: AbortSignal.any([run.signal, updater.unrecorded]),
    onOutcome: progressReporter(changes.length, run),
  });
  const stopped = failureSummary(stopFailure(outcomes, { run, updater, lifecycle }));
  const verified =
    stopped === undefined
      ? await verify(changes, outcomes, { run, ledger: updater }).catch(verifyFailed)
      : { residual: [], unverified: undefined };
  // The journal already contains the outcomes, so they are returned even if this fails.
  const unrecorded = await failureFrom(() => updater.close(outcomes));
  const writeCalls = lifecycle.writeCalls();
  return { outcomes, stopped, ...verified, unrecorded: failureSummary(unrecorded), writeCalls };
}

interface StopContext {
  readonly run: PreparedRun;
  readonly updater: InventoryUpdater;
  readonly lifecycle: Lifecycle;
}

/** Returns why the run stopped: a record that could not be written, or the server. Undefined for an interrupt. */
function stopFailure(
  outcomes: readonly Outcome[],
  { run, updater, lifecycle }: StopContext,
): Failure | undefined {
  if (run.signal.aborted) return undefined;
  const reason: unknown = updater.unrecorded.reason;
  const isLeft = outcomes.some(({ result }) => result !== "done");
  return isLeft && isFailure(reason) ? reason : lifecycle.stopped();
}

function progressReporter(
  total: number,
  { progress }: ApplyRun,
): (outcome: Outcome, change: Change) => void {
  let done = 0;
  return ({ address, action, result }, { layer }) => {
    done += 1;
    progress?.({ event: "change", address, action, result, done, total, layer });
  };
}

type VerifyResult = Pick<ApplyResult, "residual" | "unverified">;

/** A failure to read back does not affect the outcomes. */
function verifyFailed(error: unknown): VerifyResult {
  if (isFailure(error)) return { residual: [], unverified: error.message };
  throw error;
}

/**
 * Reads back the written objects, records the ids of new objects and returns the remaining differences. Skipped after
 * an interrupt.
 */
async function verify(
  changes: readonly Change[],
  outcomes: readonly Outcome[],
  { run, ledger: updater }: { run: PreparedRun; ledger: InventoryUpdater },
): Promise<VerifyResult> {
  const ok = new Set(
    outcomes.filter(({ result }) => result === "done").map(({ address }) => address),
  );
  const done = changes.filter((change) => ok.has(change.address));
  const written = done.filter((change) => change.action !== "none" && change.action !== "forget");
  if (written.length === 0) return { residual: [], unverified: undefined };
  if (run.signal.aborted) return { residual: [], unverified: "the run was stopped" };
  run.progress?.({ event: "phase", phase: "verify" });
  run.reader.invalidate();
  const live = await observeAll(
    written.flatMap((change) => observeRequestsFor(change, run)),
    run,
  );
  for (const change of written) {
    const id = observedAfter(change, live)?.id;
    const entry = updater.entry(change.address);
    if (change.desired !== undefined && entry !== undefined && entry.id !== id)
      updater.done(change, id);
  }
  const { byName: kinds, fingerprints } = run;
  const left = residual(written, { live, kinds, fingerprints });
  return { residual: left.map((change) => withoutSecrets(change, run)), unverified: undefined };
}
