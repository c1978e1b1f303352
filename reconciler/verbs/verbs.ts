// The verbs of the reconciler, each one library call with a typed result; whoever prints them adds nothing of its own.
import { type ApplyOptions, applySession, type PlanOptions } from "./apply-session.ts";
import { observedObjectOf } from "../engine/observe.ts";
import { observedFields } from "../engine/adopted-fields.ts";
import { fingerprintsWith } from "../../core/fingerprints.ts";
import { openInventoryUpdater } from "../engine/inventory-updater.ts";
import type { ApplyResult, Change, Plan } from "../model/index.ts";
import { planWithPreflight } from "./preflight.ts";
import { deleteLimitWarnings, deleteLimitOf } from "../engine/delete-limit.ts";
import {
  type ObjectLocations,
  planSession,
  type VerbResult,
  type VerbOptions,
  withSession,
} from "./session.ts";
import { withPolicyFindings } from "../policy/policy-rule.ts";
import { findUnmanaged, type Unmanaged } from "./unmanaged.ts";

/** Compares the stack with the server, and holds the plan against policies. Writes nothing anywhere. */
export async function plan(
  options: PlanOptions,
): Promise<VerbResult<{ plan: Plan } & ObjectLocations>> {
  return withSession<{ plan: Plan }>(options, async (session, diagnostics) => {
    const made = await planWithPreflight(session, { ...options, diagnostics });
    if (!made.ok) return made;
    const owned = Object.keys(made.inventory.entries).length;
    const notes = deleteLimitWarnings(
      made.plan,
      deleteLimitOf(session.desired.stack.policy, owned),
    );
    const told = { ...made.plan, diagnostics: [...made.plan.diagnostics, ...notes] };
    return { ok: true, plan: withPolicyFindings(told, options.evaluatePolicies), diagnostics };
  });
}

/** What {@link drift} came to. */
export interface Drift {
  readonly plan: Plan;
  /** What exists that nobody declared; undefined where that was not asked. */
  readonly unmanaged: readonly Unmanaged[] | undefined;
}

/** The differences of a plan; with `unmanaged`, also what lives on the server and nobody declared. Writes nothing anywhere. */
export async function drift(
  options: VerbOptions & { readonly unmanaged?: boolean | undefined },
): Promise<VerbResult<Drift & ObjectLocations>> {
  return withSession<Drift>(options, async (session, diagnostics) => {
    const planned = await planSession(session, { ...options, diagnostics });
    if (!planned.ok || options.unmanaged !== true) {
      return planned.ok ? { ...planned, unmanaged: undefined } : planned;
    }
    const before = session.client.stats.calls;
    const found = await findUnmanaged(session, { ...planned, signal: options.signal });
    const { cost } = planned.plan;
    const readCalls = cost.readCalls + session.client.stats.calls - before;
    const costed = { ...planned.plan, cost: { ...cost, readCalls } };
    const told = [...diagnostics, ...found.diagnostics];
    return { ok: true, plan: costed, unmanaged: found.objects, diagnostics: told };
  });
}

/** Plans unless a plan is given, has it approved, and carries it out. `applied` is undefined where it was not approved. */
export async function apply(
  options: ApplyOptions,
): Promise<VerbResult<{ plan: Plan; applied: ApplyResult | undefined } & ObjectLocations>> {
  return withSession<{ plan: Plan; applied: ApplyResult | undefined }>(
    { ...options, createsKey: options.savedPlan === undefined },
    (session, diagnostics) => applySession(session, { ...options, diagnostics }),
  );
}

/** What an adopt took over. */
export interface AdoptResult {
  readonly plan: Plan;
  /** Addresses that are ours from now on. */
  readonly adopted: readonly string[];
}

/** What {@link adopt} asks before it writes. */
export interface AdoptOptions extends VerbOptions {
  /** Asked about the addresses that would be taken over, unless there are none; `false` ends the run with nothing done. */
  readonly approve?: ((addresses: readonly string[], plan: Plan) => Promise<boolean>) | undefined;
}

/**
 * Takes over live objects that the stack declares and nobody owns: writes the inventory, and nothing on the server. What
 * differs from the wish shows in the next plan.
 */
export async function adopt(options: AdoptOptions): Promise<VerbResult<AdoptResult>> {
  return withSession<AdoptResult>(
    { ...options, createsKey: true },
    async (session, diagnostics) => {
      const planned = await planSession(session, { adopt: () => true, ...options, diagnostics });
      if (!planned.ok) return planned;
      const { plan: made, live, inventory: seen } = planned;
      const offered = made.changes.filter((change) =>
        isAdoption(change, seen.entries[change.address] === undefined),
      );
      const asked = offered.map(({ address }) => address);
      if (asked.length > 0 && (await options.approve?.(asked, made)) === false) {
        return { ok: true, plan: made, adopted: [], diagnostics };
      }
      const lock = await session.store.lock("adopt");
      try {
        const inventory = await session.store.read();
        const kinds = new Map(session.kinds.map((kind) => [kind.name, kind]));
        const origin = session.client.origin;
        const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
        const now = options.now ?? (() => new Date());
        const ledger = openInventoryUpdater({ lock, inventory, kinds, origin, fingerprints, now });
        // Another run may have taken some of them while somebody made up their mind.
        const taken = offered.filter((change) =>
          isAdoption(change, inventory.entries[change.address] === undefined),
        );
        for (const change of taken) {
          const kind = kinds.get(change.kind);
          const sight = kind && observedObjectOf(kind, change, live);
          if (kind === undefined || sight === undefined) continue;
          ledger.done(
            {
              ...change,
              // Nothing is written on the server, whatever the plan would.
              action: "adopt",
              fields: [],
              desired: observedFields(kind, change, sight.spec),
            },
            sight.id,
          );
        }
        if (taken.length > 0) await ledger.close();
        const addresses = taken.map(({ address }) => address);
        const told = [...diagnostics, ...secretUnknownWarnings(made, new Set(addresses))];
        return { ok: true, plan: made, adopted: addresses, diagnostics: told };
      } finally {
        await lock.release();
      }
    },
  );
}

/** Told as they are taken over, since no later plan says it. */
function secretUnknownWarnings({ diagnostics }: Plan, taken: ReadonlySet<string>) {
  return diagnostics.filter(
    ({ code, address }) => code === "secret-unknown" && address !== undefined && taken.has(address),
  );
}

/** An adoption that needs a replace is one too, and shows as such in the next plan. */
function isAdoption({ action, id }: Change, unknown: boolean): boolean {
  return action === "adopt" || (action === "replace" && unknown && id !== undefined);
}
