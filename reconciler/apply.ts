// Plan -> outcomes: checks that nothing moved, carries out just what the plan says, and reads back what it wrote.
import type { Offer } from "../client/offer.ts";
import type { Client } from "../client/types.ts";
import { hasErrors } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import type { Kind } from "../core/kind.ts";
import { holdsSecret } from "../core/fields.ts";
import { equal } from "../core/json.ts";
import { veil } from "../core/record.ts";
import type { Secret } from "../core/secret.ts";
import { createLifecycle } from "../lifecycle/lifecycle.ts";
import { createReader, type SharedReader } from "../lifecycle/reader.ts";
import { carryOut, told } from "./applying/carry-out.ts";
import { holds, inventoryDigest } from "./planning/digest.ts";
import { type Fingerprints, fingerprintsWith } from "../core/fingerprints.ts";
import type { HeldLock, InventoryStore } from "./inventory/store.ts";
import { type Ledger, openLedger } from "./applying/ledger.ts";
import type {
  Applied,
  Author,
  Change,
  Desired,
  Inventory,
  Live,
  Outcome,
  Plan,
  ProgressEvent,
} from "./model.ts";
import { type Asked, fieldNames, observeAll, sightOf } from "./observe.ts";
import { settled } from "./planning/leave-alone.ts";
import { stale, staleSecrets } from "./applying/saved.ts";
import { beginRun, endRun } from "./runs/run-record.ts";
import { openSinks } from "./sinks.ts";
import { residual, seenAfter } from "./applying/verify.ts";

/** What an apply works with. */
export interface ApplyContext {
  readonly client: Client;
  readonly offer: Offer;
  readonly store: InventoryStore;
  /** What the plan was made from: it has the secrets that the plan leaves out. */
  readonly desired: Desired;
  readonly fingerprintKey: Secret;
  /** The world that the plan was made from, where that was just now; it is read again where it is not given. */
  readonly seen?: Live | undefined;
  readonly kinds: readonly Kind[];
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  readonly now?: (() => Date) | undefined;
  /** Who makes the run; it is not remembered where nobody is named. */
  readonly author?: Author | undefined;
  /** The run that this one takes back. */
  readonly undoes?: string | undefined;
}

interface Run extends ApplyContext {
  readonly byName: ReadonlyMap<string, Kind>;
  readonly reader: SharedReader;
  readonly lock: HeldLock;
}

interface Ready extends Run {
  readonly fingerprints: Fingerprints;
}

/**
 * Carries out exactly what the plan says. Fails before the first write with `refused` where the plan holds errors, `locked`
 * where somebody else applies, and `stale` where the inventory, a secret or a live object is no longer what the plan was made from.
 */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<Applied> {
  refuseErrors(plan);
  if (plan.changes.every(({ action }) => action === "orphan")) return nothing(plan);
  const callsBefore = context.client.stats.calls;
  const lock = await context.store.lock("apply");
  const signal =
    context.signal === undefined ? lock.lost : AbortSignal.any([context.signal, lock.lost]);
  try {
    const run: Run = {
      ...context,
      signal,
      lock,
      byName: new Map(context.kinds.map((kind) => [kind.name, kind])),
      reader: createReader(context.client.reader, { signal }),
    };
    const inventory = await checkInventory(plan, run);
    const fingerprints = fingerprintsWith(inventory.salt, run.fingerprintKey);
    const ready: Ready = { ...run, fingerprints };
    const live = await checkWorld(plan, ready);
    const changes = armed(plan, ready, live);
    const ended = await write(changes, { run: ready, inventory, live });
    return { plan, ...ended, calls: context.client.stats.calls - callsBefore };
  } finally {
    await lock.release();
  }
}

function nothing(plan: Plan): Applied {
  return {
    plan,
    outcomes: [],
    stopped: undefined,
    residual: [],
    unverified: undefined,
    calls: 0,
  };
}

function refuseErrors(plan: Plan): void {
  if (!hasErrors(plan.diagnostics)) return;
  throw new Failure("refused", "the plan holds errors, so nothing was written", {
    remedy: "mend what the plan's diagnostics name, and plan again",
  });
}

async function checkInventory(plan: Plan, { store, client }: Run): Promise<Inventory> {
  if (client.origin !== plan.basis.origin) {
    throw new Failure(
      "stale",
      `the plan was made for ${plan.basis.origin}, not for ${client.origin}`,
      {
        remedy: "connect to the server that the plan was made for, or plan again",
      },
    );
  }
  const inventory = await store.read();
  if (inventoryDigest(inventory) !== plan.basis.inventory) {
    throw stale([{ address: "the inventory: another run has written it" }]);
  }
  return inventory;
}

/** Reads the collections that the plan touches, once, and compares with what the plan was made from, unless that is fresh. */
async function checkWorld(plan: Plan, run: Ready): Promise<Live> {
  if (run.seen !== undefined) return run.seen;
  run.progress?.({ event: "phase", phase: "check" });
  const live = await observeAll(
    plan.changes.flatMap((change) => askedBy(change, run)),
    run,
  );
  const moved = plan.changes.filter((change) => {
    const kind = run.byName.get(change.kind);
    if (kind === undefined || change.action === "forget" || change.action === "orphan")
      return false;
    const { of } = run.fingerprints;
    return !holds(change.precondition, { kind, of }, sightOf(kind, change, live));
  });
  if (moved.length > 0) throw stale(moved.map(({ address }) => ({ address })));
  return live;
}

/** The changes with the secrets of the manifests put back, each checked against the plan's fingerprint of it. */
function armed(plan: Plan, run: Ready, live: Live): readonly Change[] {
  const { desired, byName, fingerprints, now = () => new Date() } = run;
  const wishes = new Map(desired.wishes.map((wish) => [wish.address, wish]));
  const moved: string[] = [];
  const changes = plan.changes.map((change) => {
    const { secrets = {}, address } = change;
    const kind = byName.get(change.kind);
    if (change.desired === undefined || kind === undefined || !holdsSecret(kind.spec))
      return change;
    const wish = wishes.get(address);
    const sight = sightOf(kind, change, live);
    const spec = (wish && sight ? settled(wish, sight, now()) : wish)?.spec ?? {};
    if (!equal(veil(kind, spec, fingerprints.of).secrets, secrets)) moved.push(address);
    return { ...change, desired: spec };
  });
  if (moved.length > 0) throw staleSecrets(moved);
  return changes;
}

function disarmed(change: Change, { byName, fingerprints }: Ready): Change {
  const kind = byName.get(change.kind);
  if (change.desired === undefined || kind === undefined) return change;
  return { ...change, desired: veil(kind, change.desired, fingerprints.of).shown };
}

function askedBy(change: Change, { byName }: Run): Asked[] {
  const kind = byName.get(change.kind);
  if (kind === undefined) return [];
  const watched = "fields" in change.precondition ? change.precondition.fields : [];
  const fields = [...fieldNames(change.desired ?? {}), ...watched];
  const scopes = change.from === undefined ? [change.scope] : [change.scope, change.from.scope];
  const { key, id } = change;
  return scopes.map((scope) => ({ kind, scope, fields, key, id }));
}

interface Writing {
  readonly run: Ready;
  readonly inventory: Inventory;
  readonly live: Live;
}

type Ended = Pick<Applied, "outcomes" | "stopped" | "residual" | "unverified">;

async function write(
  planned: readonly Change[],
  { run, inventory, live }: Writing,
): Promise<Ended> {
  const { byName: kinds, lock, client, fingerprints, now = () => new Date() } = run;
  const { origin } = client;
  const ledger = openLedger({ lock, inventory, kinds, origin, fingerprints, now });
  const changes = planned.filter((change) => change.action !== "orphan");
  run.progress?.({ event: "phase", phase: "apply" });
  const { author, undoes } = run;
  const begun =
    author &&
    beginRun({
      verb: undoes === undefined ? "apply" : "undo",
      author,
      undoes,
      changes,
      live,
      inventory,
      kinds,
      at: now(),
    });
  if (begun !== undefined) await ledger.run(begun);
  const lifecycle = createLifecycle(run);
  const outcomes = await carryOut(changes, {
    lifecycle,
    ledger,
    sinks: openSinks(run.desired.stack, fingerprints),
    kinds,
    live,
    signal: run.signal,
    tell: teller(changes.length, run),
  });
  const stopped = run.signal?.aborted ? undefined : told(lifecycle.stopped());
  const verified =
    stopped === undefined
      ? await verify(changes, outcomes, { run, ledger }).catch(unverified)
      : { residual: [], unverified: undefined };
  const idOf = (address: string) => ledger.entry(address)?.id;
  await ledger.close(begun && endRun(begun, outcomes, { at: now(), idOf }));
  return { outcomes, stopped, ...verified };
}

function teller(total: number, { progress }: Run): (outcome: Outcome, change: Change) => void {
  let done = 0;
  return ({ address, action, result }, { layer }) => {
    done += 1;
    progress?.({ event: "change", address, action, result, done, total, layer });
  };
}

type Verified = Pick<Applied, "residual" | "unverified">;

/** That reading back failed takes nothing away from what was done. */
function unverified(error: unknown): Verified {
  if (isFailure(error)) return { residual: [], unverified: error.message };
  throw error;
}

/** Reads what was written, records the ids that creates were given, and tells what differs; a stopped run skips it. */
async function verify(
  changes: readonly Change[],
  outcomes: readonly Outcome[],
  { run, ledger }: { run: Ready; ledger: Ledger },
): Promise<Verified> {
  const ok = new Set(
    outcomes.filter(({ result }) => result === "done").map(({ address }) => address),
  );
  const done = changes.filter((change) => ok.has(change.address));
  const written = done.filter((change) => change.action !== "none" && change.action !== "forget");
  if (written.length === 0) return { residual: [], unverified: undefined };
  if (run.signal?.aborted) return { residual: [], unverified: "the run was stopped" };
  run.progress?.({ event: "phase", phase: "verify" });
  run.reader.invalidate();
  const live = await observeAll(
    written.flatMap((change) => askedBy(change, run)),
    run,
  );
  for (const change of written) {
    const id = seenAfter(change, live)?.id;
    const entry = ledger.entry(change.address);
    if (change.desired !== undefined && entry !== undefined && entry.id !== id)
      ledger.done(change, id);
  }
  const { byName: kinds, fingerprints } = run;
  const left = residual(written, { live, kinds, fingerprints });
  return { residual: left.map((change) => disarmed(change, run)), unverified: undefined };
}
