// Applies a version to some objects: a plan and apply of the stack, limited to these objects and to their version.
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { splitPointer } from "../core/pointer.ts";
import { limits } from "../core/limits/limits.ts";
import {
  applyProposal,
  propose,
  type ProposalOptions,
  type InventoryLock,
  type InventoryStore,
  type LiveState,
  type Session,
} from "../reconciler/sessions.ts";
import { releasesOf } from "./snapshot.ts";
import {
  type ApplyResult,
  type DesiredObject,
  type Plan,
  reachesSeverity,
} from "../reconciler/index.ts";
import type { MessageAbout } from "./fold-messages.ts";

/** Some objects and the version to apply. */
export interface VersionMove {
  readonly addresses: readonly string[];
  readonly version: string;
  /** The author and message of the run in the history of the stack. */
  readonly by: string;
  readonly message: string;
  /** The maintenance windows and freezes that apply. */
  readonly windowRuleSets: Session["windowRuleSets"];
}

/** The options of every apply. */
export type MoveOptions = Omit<ProposalOptions, "savedPlan">;

/** The result of {@link applyVersion}. */
export interface MoveResult {
  /** Addresses that run the version, read back after the apply. */
  readonly addresses: readonly string[];
  /** Why the others do not run it. */
  readonly failures: readonly MessageAbout[];
  /** Diagnostics of the plan and its policies. */
  readonly diagnostics: readonly Diagnostic[];
  /** Id of the run in the history of the stack. Undefined if there was nothing to do. */
  readonly runId: string | undefined;
}

/** Plans and applies a version. Fails as `apply` does, with the findings of the plan, before the first write. */
export async function applyVersion(
  session: Session,
  { addresses, version, by, message, windowRuleSets: sets }: VersionMove,
  options: MoveOptions,
): Promise<MoveResult> {
  const wanted = new Set(addresses);
  const objects = session.desired.objects.filter(({ address }) => wanted.has(address));
  const limitedSession: Session = {
    ...session,
    windowRuleSets: sets,
    diagnostics: [],
    desired: {
      ...session.desired,
      objects: objects.map((declared) => withVersion(declared, version)),
    },
    store: restrictedStore(session.store, wanted),
  };
  // The plan changes only the version, which the pipeline decides.
  const proposed = await propose(limitedSession, { ...options, onConflict: "overwrite" });
  if (!proposed.ok) throw planRejectedError(proposed.diagnostics);
  const { proposal } = proposed;
  const { refusal, shown, live } = proposal;
  if (refusal !== undefined) throw withPlanFindings(refusal, shown, options);
  const author = { by, message };
  // The promotion was confirmed before it started.
  const applied = await applyProposal(proposal, { ...options, author, isCurrent: true });
  const notMovedReason = notMovedReasons({ version, live, applied });
  const reasons = objects.map((declared): readonly [string, string | undefined] => [
    declared.address,
    notMovedReason(declared),
  ]);
  return {
    addresses: reasons.flatMap(([address, why]) => (why === undefined ? [address] : [])),
    failures: reasons.flatMap(([address, why]) =>
      why === undefined ? [] : { subject: address, message: why },
    ),
    diagnostics: [...shown.diagnostics, ...(applied.warnings ?? [])],
    runId: applied.runId,
  };
}

/** Returns a function that says why an object does not run the version, from the state read back after the apply. */
function notMovedReasons({
  version,
  live,
  applied,
}: {
  readonly version: string;
  readonly live: LiveState;
  readonly applied: ApplyResult;
}): (object: DesiredObject) => string | undefined {
  const outcomes = new Map(applied.outcomes.map((one) => [one.address, one]));
  const residuals = new Map(applied.residual.map((one) => [one.address, one]));
  return ({ kind, key, address }) => {
    const { versionAt, running } = releasesOf(kind);
    const outcome = outcomes.get(address);
    if (outcome === undefined || outcome.action === "none") {
      const seen = live.get(kind.name)?.byKey.get(key);
      const isRunning = seen !== undefined && running(seen) === version;
      return isRunning ? undefined : "not managed: the plan has no change for it";
    }
    if (outcome.result !== "done") return outcome.failure?.message ?? "skipped";
    const { unverified, stopped } = applied;
    if (unverified !== undefined) return `the result could not be read back: ${unverified}`;
    if (stopped !== undefined) return "the run was interrupted before the result was read back";
    const differs = residuals.get(address)?.fields ?? [];
    const isLeft = differs.some(({ path }) => versionAt.startsWith(path));
    return isLeft
      ? "the server accepted the change, but the object still runs another version"
      : undefined;
  };
}

/** Returns the refusal with the findings of the plan, because a promotion does not show the plan. */
function withPlanFindings(
  refusal: Failure,
  plan: Plan,
  { failOn = "error" }: MoveOptions,
): Failure {
  const findings = plan.diagnostics.filter((finding) => reachesSeverity([finding], failOn));
  return isFailure(refusal, "refused") && findings.length > 0
    ? planRejectedError(findings)
    : refusal;
}

function planRejectedError(found: readonly Diagnostic[]): Failure {
  const reasons = found.slice(0, limits.placesNamed).map(({ summary }) => summary);
  const rest = found.length - reasons.length;
  const more = rest > 0 ? `; and ${rest} more` : "";
  const message = `the plan of this promotion has errors: ${reasons.join("; ")}${more}`;
  return new Failure("refused", message, {
    remedy: "Nothing was written; fix the errors, or see the whole plan with `svc plan`.",
  });
}

/** Reduces a desired object to its key and its version, because a promotion changes nothing else. */
function withVersion(declared: DesiredObject, version: string): DesiredObject {
  const { kind, spec, rules } = declared;
  const [field = ""] = splitPointer(releasesOf(kind).versionAt);
  const own = isObject(spec[field]) ? spec[field] : {};
  const key = kind.key.map((name) => [name, spec[name]] as const);
  // Without a hold, the service would update to the next patch version automatically.
  const release: JsonObject = { ...own, version, hold: own["hold"] ?? true };
  const manage = (rules?.manage ?? ["observe", "update"]).filter(
    (verb) => verb === "observe" || verb === "update",
  );
  const { protect, ignore = [] } = rules ?? {};
  const at = `/spec/${field}`;
  const left = ignore.filter(({ path }) => path === at || path.startsWith(`${at}/`));
  return {
    ...declared,
    dependsOn: [],
    spec: { ...Object.fromEntries(key), [field]: release },
    rules: {
      manage,
      ...(left.length === 0 ? {} : { ignore: left }),
      ...(protect === undefined ? {} : { protect }),
    },
  };
}

/**
 * Returns the stack's inventory limited to these objects. It takes the lock and records the run, and keeps every entry
 * unchanged, because a promotion does not change the desired state.
 */
function restrictedStore(store: InventoryStore, wanted: ReadonlySet<string>): InventoryStore {
  const limited = ({ pipelines: _, ...inventory }: InventoryLock["inventory"]) => {
    const entries = Object.entries(inventory.entries).filter(([address]) => wanted.has(address));
    return { ...inventory, entries: Object.fromEntries(entries) };
  };
  return {
    location: store.location,
    ownersOf: (origin, objects) => store.ownersOf(origin, objects),
    requireFree: () => store.requireFree(),
    unlock: (id, how) => store.unlock(id, how),
    close: () => store.close(),
    calls: () => store.calls(),
    callsOfRun: (run) => store.callsOfRun(run),
    read: async () => limited(await store.read()),
    lock: async (_, origin) => {
      const lock = await store.lock("promote", origin);
      let whole = lock.inventory;
      return {
        inventory: limited(whole),
        info: lock.info,
        lost: lock.lost,
        journal: (records) => lock.journal(records.filter((record) => !("address" in record))),
        claim: () => Promise.reject(new Error("a promotion adopts no objects")),
        write: async ({ runs, ...inventory }) => {
          whole = await lock.write({ ...whole, ...(runs && { runs }) });
          const { lineage, serial } = whole;
          return { ...inventory, ...(runs && { runs }), lineage, serial };
        },
        release: () => lock.release(),
      };
    },
  };
}
