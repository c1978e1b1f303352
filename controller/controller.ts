// `svc controller`: reconciles the sources of a configuration, in loops or once.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import {
  fileInventory,
  holdLocks,
  type InventoryLock,
  keyVariable,
} from "../reconciler/sessions.ts";
import { findSource } from "./actions.ts";
import { type HeldPlan, readHeldPlan } from "./held-plans.ts";
import { type ControllerConfig, readSecret } from "./config.ts";
import { type ControllerOptions, createContexts } from "./controller-options.ts";
import { withSavedSources } from "./pattern-sources.ts";
import { documentsOf } from "./state-store.ts";
import { failureEvent, stoppedEvent } from "./events.ts";
import { reconcile } from "./reconcile.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { openReplica, type Replica } from "./replica.ts";
import { sourcesOf } from "./shared-work.ts";
import type { Tracer } from "./traces.ts";
import { requireStack } from "./source-patterns.ts";
import { runLoops, runOnce } from "./run-sources.ts";
import { systemClock } from "./clock.ts";
import type { Plan } from "../reconciler/index.ts";

/**
 * Runs until the signal aborts. Returns the reconciliation of each source with `once`; loops keep none, because their plans
 * take much memory, and `onEvent` reports each. Fails with `locked` if another controller uses the state folder, and with
 * `unavailable` if it cannot listen.
 */
export async function runController(
  options: ControllerOptions,
): Promise<readonly Reconciliation[]> {
  const { result, unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(lockState(options.config));
    const stop = new AbortController();
    const given = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([...given, stop.signal, lock.lost]);
    const tracer = await tracerOf(options);
    let replica: Replica | undefined;
    try {
      replica = await openReplicaOf(options);
      const config = await withSavedSources(options.config);
      const running = { ...options, config, signal, tracer, replica };
      let reconciliations: readonly Reconciliation[] = [];
      if (options.once === true) reconciliations = await runOnce(running);
      else await runLoops(running, stop);
      if (lock.lost.aborted) throw lock.lost.reason;
      return reconciliations;
    } finally {
      stop.abort();
      await replica?.close();
      await tracer?.close();
    }
  });
  const { onEvent, clock = systemClock } = options;
  onEvent?.(stoppedEvent(clock.now(), unreleased));
  return result;
}

/** Joins the replicas that share the database of the state. */
async function openReplicaOf({
  config: { database },
  env,
  once,
  onEvent,
  clock = systemClock,
}: ControllerOptions): Promise<Replica | undefined> {
  if (database === undefined) return undefined;
  if (once === true) {
    throw new Failure("usage", "--once is for a controller without replicas", {
      remedy: "Run it until stopped, or remove database from the configuration.",
    });
  }
  if ((env[keyVariable] ?? "") === "") {
    throw new Failure("usage", `replicas need ${keyVariable}, the same for all`, {
      remedy: `Set it to the key that the controller has used, or make one with \`openssl rand -hex 32\`.`,
    });
  }
  const time = (): string => clock.now().toISOString();
  return openReplica(readSecret(database, env), {
    onShared: (leases, sharing) =>
      onEvent?.({ time: time(), event: "shared", sources: sourcesOf(leases), ...sharing }),
    onFailure: (failure) =>
      onEvent?.(
        failure === undefined
          ? { time: time(), event: "state-restored" }
          : { time: time(), event: "state-failed", failure: failureEvent(failure) },
      ),
  });
}

/** Opens the tracer that the environment configures. Loads its module only then. */
async function tracerOf({
  env,
  onEvent,
  clock = systemClock,
}: ControllerOptions): Promise<Tracer | undefined> {
  if ((env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") === "") return undefined;
  const { openTracer } = await import("./traces.ts");
  return openTracer({
    env,
    onFailed: (message) =>
      onEvent?.({ time: clock.now().toISOString(), event: "traces-failed", message }),
  });
}

/** The current plan of a source. */
export interface SourcePlan {
  readonly reconciliation: Reconciliation;
  /** With a warning if it waits for an approval. */
  readonly plan: Plan | undefined;
  /** The plan as the controller holds it; undefined unless it waits for an approval. */
  readonly held: Pick<HeldPlan, "plan" | "deletes"> | undefined;
}

/**
 * Plans a source as the controller would, in a temporary checkout. Writes nothing, and may run while a controller runs. Fails
 * with `usage` if there is no such source.
 */
export async function planSource(options: ControllerOptions, name: string): Promise<SourcePlan> {
  const { config, clock = systemClock, signal } = options;
  const source = await findSource(config, name);
  requireStack(source);
  const temporary = await mkdtemp(path.join(tmpdir(), "svc-plan-"));
  try {
    const context = createContexts({ ...options, checkoutFolder: temporary })(source);
    const reconciliation = await reconcile(
      { ...source, mode: "plan" },
      {
        ...context,
        suspension: async () => undefined,
        signal,
        clock,
        previews: source.mode === "plan" ? undefined : source.mode,
      },
    );
    if (reconciliation === undefined) throw new Failure("aborted", `${name} was not planned`);
    const { plan, planId } = reconciliation;
    const held = plan && (await readHeldPlan(documentsOf(config, source)));
    if (plan === undefined || held === undefined || planId !== held.plan)
      return { reconciliation, plan, held: undefined };
    const warning = heldPlanWarning(held.plan, context.approveCommand(held.plan));
    const diagnostics = [...plan.diagnostics, warning];
    const { plan: id, deletes } = held;
    return { reconciliation, plan: { ...plan, diagnostics }, held: { plan: id, deletes } };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Returns the warning of a held plan. The command approves it. */
export function heldPlanWarning(plan: string, approveCommand: string): Diagnostic {
  return {
    code: "held-plan",
    severity: "warning",
    summary: `the controller holds this plan until it is approved; its id is ${plan}`,
    remedy: approveCommand,
  };
}

/** Locks the state folder. The lock of a killed controller is released immediately. */
async function lockState({ state }: ControllerConfig): Promise<InventoryLock> {
  const own = fileInventory(path.join(state, "controller.json"), "controller");
  try {
    return await own.lock("controller");
  } catch (error) {
    if (!isFailure(error, "locked")) throw error;
    throw new Failure("locked", `another controller uses ${state}: ${error.message}`, {
      details: error.details ?? {},
      remedy: "Stop it, or give this controller another state folder.",
    });
  }
}
