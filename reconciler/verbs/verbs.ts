// The verbs of the reconciler: one typed library call each.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import { type ApplyOptions, applySession, type PlanOptions } from "./apply-session.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { isAdoption, openInventoryUpdater } from "../engine/inventory-updater.ts";
import { holdLocks } from "../inventory/release-locks.ts";
import type { ApplyResult, Author, Change, Inventory, Outcome, Plan } from "../model/index.ts";
import { authorOf } from "../operator/author.ts";
import { changedOnServer, withLastChanges, withSecretsWritten } from "./last-changes.ts";
import { unknownBaselineErrors } from "./missing-inventory.ts";
import { planWithPreflight, withLastingWarnings } from "./preflight.ts";
import { deleteLimitWarnings } from "../engine/delete-limit.ts";
import {
  type ObjectLocations,
  type PlannedSession,
  planSession,
  type Session,
  type VerbResult,
  type VerbOptions,
  withSession,
} from "./session.ts";
import { withPolicyFindings } from "../policy/policy-rule.ts";
import { findUnmanaged, type Unmanaged } from "./unmanaged.ts";

/** Compares the stack with the server and checks the plan against policies. Writes nothing. */
export async function plan(
  options: PlanOptions,
): Promise<VerbResult<{ plan: Plan } & ObjectLocations>> {
  return withSession<{ plan: Plan }>(options, async (session, diagnostics) => {
    const planned = await planWithPreflight(session, { ...options, diagnostics });
    if (!planned.ok) return planned;
    const owned = Object.keys(planned.inventory.entries).length;
    const { policy } = session.desired.stack;
    const notes = deleteLimitWarnings(planned.plan, { policy, owned });
    const reported = { ...planned.plan, diagnostics: [...planned.plan.diagnostics, ...notes] };
    return { ok: true, plan: withPolicyFindings(reported, options.evaluatePolicies), diagnostics };
  });
}

/** Result of {@link drift}. */
export interface Drift {
  readonly plan: Plan;
  /** Undeclared objects; undefined if not requested. */
  readonly unmanaged: readonly Unmanaged[] | undefined;
}

/**
 * Returns the differences between manifests and server, with the lasting warnings that a plan has; with `unmanaged`, also
 * undeclared live objects. Writes nothing.
 */
export async function drift(
  options: VerbOptions & { readonly unmanaged?: boolean | undefined },
): Promise<VerbResult<Drift & ObjectLocations>> {
  return withSession<Drift>(options, async (session, diagnostics) => {
    const compared = await planDrift(session, { ...options, diagnostics });
    const planned = compared.ok ? await withAuthors(session, compared) : compared;
    if (!planned.ok || options.unmanaged !== true) {
      return planned.ok ? { ...planned, unmanaged: undefined } : planned;
    }
    const before = session.client.stats.calls;
    const found = await findUnmanaged(session, { ...planned, signal: options.signal });
    const { cost } = planned.plan;
    const readCalls = cost.readCalls + session.client.stats.calls - before;
    const costed = { ...planned.plan, cost: { ...cost, readCalls } };
    const reported = [...diagnostics, ...found.diagnostics];
    return { ok: true, plan: costed, unmanaged: found.objects, diagnostics: reported };
  });
}

/** Adds who changed the objects on the server, also where the change cannot be seen. */
async function withAuthors<P extends PlannedSession>(session: Session, planned: P): Promise<P> {
  const changed = new Set(changedOnServer(planned.plan));
  const authored = await withLastChanges(session, planned, [...changed]);
  const targets = planned.plan.targets ?? session.desired.objects.map(({ address }) => address);
  const others = targets.filter((address) => !changed.has(address));
  const noted = await withSecretsWritten(session, { ...planned, plan: authored }, others);
  return { ...planned, plan: noted };
}

async function planDrift(
  session: Session,
  options: Parameters<typeof planSession>[1],
): ReturnType<typeof planSession> {
  const planned = await planSession(session, options);
  if (!planned.ok) return planned;
  const { signal } = options;
  const warned = await withLastingWarnings(planned.plan, { session, signal });
  const { diagnostics } = warned;
  const unknown = unknownBaselineErrors(session, { ...planned, diagnostics });
  return { ...planned, plan: { ...warned, diagnostics: [...unknown, ...diagnostics] } };
}

/**
 * Plans, unless a plan is given, has the plan approved, and applies it. `applied` is undefined without
 * approval.
 */
export async function apply(
  options: ApplyOptions,
): Promise<VerbResult<{ plan: Plan; applied: ApplyResult | undefined } & ObjectLocations>> {
  return withSession<{ plan: Plan; applied: ApplyResult | undefined }>(
    { ...options, createsKey: options.savedPlan === undefined },
    (session, diagnostics) => applySession(session, { ...options, diagnostics }),
  );
}

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

/**
 * Adopts declared live objects that no stack owns. Writes only the inventory; differences show in the
 * next plan.
 */
export async function adopt(options: AdoptOptions): Promise<VerbResult<AdoptResult>> {
  return withSession<AdoptResult>(
    { ...options, createsKey: true },
    async (session, diagnostics) => {
      const result = await planSession(session, { adopt: () => true, ...options, diagnostics });
      if (!result.ok) return result;
      // Without the reader and its pages, which would stay in memory until the inventory is written.
      const { plan: planned, live, inventory } = result;
      return adoptPlanned(session, { ...options, plan: planned, live, inventory, diagnostics });
    },
  );
}

/** Records the adoptions of a plan in the inventory, if they are approved. */
async function adoptPlanned(
  session: Session,
  {
    plan: adoptPlan,
    live,
    inventory: seen,
    diagnostics,
    ...options
  }: AdoptOptions & Omit<PlannedSession, "reader"> & { diagnostics: readonly Diagnostic[] },
): Promise<VerbResult<AdoptResult>> {
  const offered = adoptPlan.changes.filter((change) => isAdoption(change, seen.entries));
  const addresses = offered.map(({ address }) => address);
  const { approve = () => Promise.resolve(true) } = options;
  if (addresses.length > 0 && !(await approve(addresses, adoptPlan))) {
    return { ok: true, plan: adoptPlan, ...adoptionOf(session, seen, []), diagnostics };
  }
  const { stack } = session.desired;
  // Before the lock, because it may run Git.
  const author =
    addresses.length === 0
      ? undefined
      : await authorOf(options.author, { env: options.env, stack });
  const { result: taken, unreleased } = await holdLocks(async (hold) => {
    const { origin } = session.client;
    const lock = await hold(session.store.lock("adopt", origin));
    const inventory = await session.store.read();
    // Another run may have adopted some of them in the meantime.
    const free = offered.filter((change) => isAdoption(change, inventory.entries));
    if (free.length === 0 || author === undefined) return [];
    const changes = free.map((change) => ({ ...change, action: "adopt", fields: [] }) as const);
    const updater = await openInventoryUpdater({
      lock,
      inventory,
      changes,
      live,
      run: { verb: "adopt", author },
      kinds: kindsByName(session.kinds),
      origin,
      fingerprints: fingerprintsWith(inventory.salt, session.fingerprintKey),
      now: options.now ?? (() => new Date()),
    });
    await updater.close(changes.map(doneOutcome));
    return changes.map(({ address }) => address);
  });
  const unknown = secretUnknownWarnings(adoptPlan, new Set(taken));
  const reported = [...diagnostics, ...unknown, ...unreleased];
  return { ok: true, plan: adoptPlan, ...adoptionOf(session, seen, taken), diagnostics: reported };
}

function doneOutcome({ address, action }: Change): Outcome {
  return { address, action, result: "done", failure: undefined };
}

/** Returns the outcome of each declared object. */
function adoptionOf(
  { desired }: Session,
  { entries }: Inventory,
  adopted: readonly string[],
): Omit<AdoptResult, "plan"> {
  const declared = desired.objects.map(({ address }) => address);
  const alreadyOwned = declared.filter((address) => Object.hasOwn(entries, address));
  const known = new Set([...alreadyOwned, ...adopted]);
  return { adopted, alreadyOwned, notAdopted: declared.filter((address) => !known.has(address)) };
}

/** Reported now, because no later plan reports it. */
function secretUnknownWarnings({ diagnostics }: Plan, taken: ReadonlySet<string>) {
  return diagnostics.filter(
    ({ code, address }) => code === "secret-unknown" && address !== undefined && taken.has(address),
  );
}
