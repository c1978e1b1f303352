// Moves objects to a version by plan and apply: the stack's own, narrowed to these objects and to what they run.
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { applySession, type SessionApplyOptions } from "../reconciler/verbs/apply-session.ts";
import type { InventoryStore } from "../reconciler/inventory/store.ts";
import type { ApplyResult, LiveState, Plan, DesiredObject } from "../reconciler/model/index.ts";
import { reachesSeverity } from "../reconciler/policy/policy-rule.ts";
import type { Session } from "../reconciler/verbs/session.ts";
import { releasesOf } from "./snapshot.ts";

/** What is to be moved, and whereto. */
export interface VersionMove {
  readonly addresses: readonly string[];
  readonly version: string;
  /** Who asks for it, and why, as the history of the stack tells. */
  readonly by: string;
  readonly message: string;
  /** The windows and freezes that hold it. */
  readonly windowRuleSets: Session["windowRuleSets"];
}

/** What is asked of it as of every apply. */
export type MoveOptions = Omit<
  SessionApplyOptions,
  "approve" | "author" | "diagnostics" | "savedPlan" | "onPlan"
>;

/** What became of a move. */
export interface MoveResult {
  /** Addresses that were read back and run the version. */
  readonly addresses: readonly string[];
  /** What went wrong with the others. */
  readonly failures: readonly string[];
  /** What the plan, and what is held against it, tell beside. */
  readonly diagnostics: readonly Diagnostic[];
  /** Id of the run in the history of the stack; undefined where there was nothing to do. */
  readonly runId: string | undefined;
}

/** Plans and applies. Fails as an apply does, and says what was found; nothing is written then. */
export async function applyVersion(
  session: Session,
  { addresses, version, by, message, windowRuleSets: sets }: VersionMove,
  options: MoveOptions,
): Promise<MoveResult> {
  const wanted = new Set(addresses);
  let run: string | undefined;
  const begun = (id: string): void => {
    run = id;
  };
  const objects = session.desired.objects.filter(({ address }) => wanted.has(address));
  const narrow: Session = {
    ...session,
    windowRuleSets: sets,
    desired: { ...session.desired, objects: objects.map((declared) => withVersion(declared, version)) },
    store: restrictedStore(session.store, { wanted, begun }),
  };
  let shown: Plan | undefined;
  const show = (plan: Plan): void => {
    shown = plan;
  };
  const author = { by, message };
  // Whoever promotes was asked before it began, with another question.
  const asked = { ...options, approve: undefined, savedPlan: undefined };
  const carried = await applySession(narrow, {
    ...asked,
    author,
    diagnostics: [],
    onPlan: show,
  }).catch((error: unknown) => {
    throw withPlanFindings(error, shown, options);
  });
  if (!carried.ok) throw planRejectedError(carried.diagnostics);
  const { applied, live } = carried;
  invariant(applied !== undefined, "nobody is asked who could say no");
  const said = objects.map((declared): readonly [string, string | undefined] => [
    declared.address,
    notMovedReason(declared, { version, live, applied }),
  ]);
  return {
    addresses: said.flatMap(([address, why]) => (why === undefined ? [address] : [])),
    failures: said.flatMap(([address, why]) => (why === undefined ? [] : `${address}: ${why}`)),
    diagnostics: shown?.diagnostics ?? [],
    runId: run,
  };
}

/** Why an object counts as not moved: a write that was answered is no proof, and a plan with nothing in it even less. */
function notMovedReason(
  { kind, key, address }: DesiredObject,
  { version, live, applied }: { version: string; live: LiveState; applied: ApplyResult },
): string | undefined {
  const { field } = releasesOf(kind);
  const outcome = applied.outcomes.find((one) => one.address === address);
  if (outcome === undefined || outcome.action === "none") {
    const seen = live.get(kind.name)?.byKey.get(key)?.spec[field];
    const isThere = isObject(seen) && seen["version"] === version;
    return isThere ? undefined : "not managed: the plan had nothing to write for it";
  }
  if (outcome.result !== "done") return outcome.failure?.message ?? "it was not tried";
  const { unverified, stopped, residual } = applied;
  if (unverified !== undefined) return `it could not be read back: ${unverified}`;
  if (stopped !== undefined) return "it was not read back, since the run was stopped";
  const differs = residual.find((one) => one.address === address)?.fields ?? [];
  const isLeft = differs.some(({ path }) => `/${field}/version`.startsWith(path));
  return isLeft ? "not taken: it still runs another version" : undefined;
}

/** The failure of an apply, with the findings that it was refused for; whoever promotes does not see the plan. */
function withPlanFindings(
  error: unknown,
  plan: Plan | undefined,
  { failOn = "error" }: MoveOptions,
): unknown {
  const found = (plan?.diagnostics ?? []).filter((one) => reachesSeverity([one], failOn));
  return isFailure(error) && error.code === "refused" && found.length > 0
    ? planRejectedError(found)
    : error;
}

function planRejectedError(found: readonly Diagnostic[]): Failure {
  const said = found.slice(0, limits.placesNamed).map(({ summary }) => summary);
  const rest = found.length - said.length;
  const more = rest > 0 ? `; and ${rest} more` : "";
  const message = `the plan of this promotion may not be applied: ${said.join("; ")}${more}`;
  return new Failure("refused", message, {
    remedy: "nothing was written; mend what is named, or see it with `svc plan`",
  });
}

/** The declared with nothing in it but its key and what it is to run: other differences are none of a promotion's business. */
function withVersion(declared: DesiredObject, version: string): DesiredObject {
  const { kind, spec, rules } = declared;
  const { field } = releasesOf(kind);
  const own = isObject(spec[field]) ? spec[field] : {};
  const key = kind.key.map((name) => [name, spec[name]] as const);
  // Else the service would go on by itself to the next patch.
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
 * The stack's inventory with just these objects in it. It is locked, and remembers the run, and nothing else of it: what the
 * manifests declared for does not change by promoting.
 */
function restrictedStore(
  store: InventoryStore,
  {
    wanted,
    begun,
  }: { readonly wanted: ReadonlySet<string>; readonly begun: (run: string) => void },
): InventoryStore {
  return {
    owner: (origin, kind, key) => store.owner(origin, kind, key),
    unlock: (id) => store.unlock(id),
    close: () => store.close(),
    read: async () => {
      const { pipelines: _, ...inventory } = await store.read();
      const entries = Object.entries(inventory.entries).filter(([address]) => wanted.has(address));
      return { ...inventory, entries: Object.fromEntries(entries) };
    },
    lock: async () => {
      const lock = await store.lock("promote");
      const whole = await store.read();
      return {
        info: lock.info,
        lost: lock.lost,
        journal: (records) => {
          const runs = records.filter((one) => one.phase === "run");
          for (const { run } of runs) begun(run.id);
          return lock.journal(runs);
        },
        write: async ({ runs, ...inventory }) => {
          await lock.write({ ...whole, ...(runs && { runs }) });
          return { ...inventory, ...(runs && { runs }) };
        },
        release: () => lock.release(),
      };
    },
  };
}
