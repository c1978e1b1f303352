// The verbs of the reconciler, each one library call with a typed result; whoever prints them adds nothing of its own.
import { type ApplyOptions, applySession, type PlanOptions } from "./apply-session.ts";
import { sightOf } from "./observe.ts";
import { observedPart } from "./planning/observed.ts";
import { fingerprintsWith } from "../core/fingerprints.ts";
import { openLedger } from "./applying/ledger.ts";
import type { Applied, Change, Plan } from "./model.ts";
import { checkedPlan } from "./applying/preflight.ts";
import { budgetNotes, budgetOf } from "./planning/budget.ts";
import {
  type Located,
  planSession,
  type Verdict,
  type VerbOptions,
  withSession,
} from "./session.ts";
import { judged } from "./policy/rule.ts";
import { findUnmanaged, type Unmanaged } from "./unmanaged.ts";

/** Compares the stack with the server, and holds the plan against policies. Writes nothing anywhere. */
export async function plan(options: PlanOptions): Promise<Verdict<{ plan: Plan } & Located>> {
  return withSession<{ plan: Plan }>(options, async (session, diagnostics) => {
    const made = await checkedPlan(session, { ...options, diagnostics });
    if (!made.ok) return made;
    const owned = Object.keys(made.inventory.entries).length;
    const notes = budgetNotes(made.plan, budgetOf(session.desired.stack.policy, owned));
    const told = { ...made.plan, diagnostics: [...made.plan.diagnostics, ...notes] };
    return { ok: true, plan: judged(told, options.judge), diagnostics };
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
): Promise<Verdict<Drift & Located>> {
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
): Promise<Verdict<{ plan: Plan; applied: Applied | undefined } & Located>> {
  return withSession<{ plan: Plan; applied: Applied | undefined }>(
    { ...options, makesKey: options.saved === undefined },
    (session, diagnostics) => applySession(session, { ...options, diagnostics }),
  );
}

/** What an adopt took over. */
export interface Adopted {
  readonly plan: Plan;
  /** Addresses that are ours from now on. */
  readonly taken: readonly string[];
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
export async function adopt(options: AdoptOptions): Promise<Verdict<Adopted>> {
  return withSession<Adopted>({ ...options, makesKey: true }, async (session, diagnostics) => {
    const planned = await planSession(session, { adopt: () => true, ...options, diagnostics });
    if (!planned.ok) return planned;
    const { plan: made, live, inventory: seen } = planned;
    const offered = made.changes.filter((change) =>
      isTakeOver(change, seen.entries[change.address] === undefined),
    );
    const asked = offered.map(({ address }) => address);
    if (asked.length > 0 && (await options.approve?.(asked, made)) === false) {
      return { ok: true, plan: made, taken: [], diagnostics };
    }
    const lock = await session.store.lock("adopt");
    try {
      const inventory = await session.store.read();
      const kinds = new Map(session.kinds.map((kind) => [kind.name, kind]));
      const origin = session.client.origin;
      const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
      const now = options.now ?? (() => new Date());
      const ledger = openLedger({ lock, inventory, kinds, origin, fingerprints, now });
      // Another run may have taken some of them while somebody made up their mind.
      const taken = offered.filter((change) =>
        isTakeOver(change, inventory.entries[change.address] === undefined),
      );
      for (const change of taken) {
        const kind = kinds.get(change.kind);
        const sight = kind && sightOf(kind, change, live);
        if (kind === undefined || sight === undefined) continue;
        ledger.done(
          {
            ...change,
            // Nothing is written on the server, whatever the plan would.
            action: "adopt",
            fields: [],
            desired: observedPart(kind, change, sight.spec),
          },
          sight.id,
        );
      }
      if (taken.length > 0) await ledger.close();
      const addresses = taken.map(({ address }) => address);
      const told = [...diagnostics, ...secretsUnknown(made, new Set(addresses))];
      return { ok: true, plan: made, taken: addresses, diagnostics: told };
    } finally {
      await lock.release();
    }
  });
}

/** Told as they are taken over, since no later plan says it. */
function secretsUnknown({ diagnostics }: Plan, taken: ReadonlySet<string>) {
  return diagnostics.filter(
    ({ code, address }) => code === "secret-unknown" && address !== undefined && taken.has(address),
  );
}

/** An adoption that needs a replace is one too, and shows as such in the next plan. */
function isTakeOver({ action, id }: Change, unknown: boolean): boolean {
  return action === "adopt" || (action === "replace" && unknown && id !== undefined);
}
