// `svc controller`: looks after the sources of a configuration, for as long as it is let, or for one round each.
import path from "node:path";
import pLimit from "p-limit";
import { Failure, isFailure } from "../core/errors.ts";
import type { Kind } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { shellQuote } from "../reconciler/model/shell-command.ts";
import { fileInventory } from "../reconciler/inventory/file.ts";
import type { InventoryLock } from "../reconciler/inventory/store.ts";
import { approveHeldPlan, type HeldPlan } from "./approvals.ts";
import { createCheckouts } from "./checkout.ts";
import { type Clock, systemClock } from "./schedule.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { type ControllerEvent, reconciliationEvent } from "./events.ts";
import type { Listener } from "./listener.ts";
import { reconcile, type Reconciliation, type ReconciliationContext } from "./reconcile.ts";
import { startLoop } from "./loop.ts";

/** What a controller works with. */
export interface ControllerOptions {
  readonly config: ControllerConfig;
  readonly kinds: readonly Kind[];
  /** Where secrets are found by their names, and what manifests may read where they are granted it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each source has one round, and that is all. */
  readonly once?: boolean | undefined;
  /** Ends it: what is in flight is let end, and nothing more is begun. */
  readonly signal?: AbortSignal | undefined;
  /** Told what happens. */
  readonly onEvent?: ((event: ControllerEvent) => void) | undefined;
  /** The system's where it is not given. */
  readonly clock?: Clock | undefined;
  /** From 0 to 1; for jitter. */
  readonly random?: (() => number) | undefined;
}

/**
 * Runs until the signal is aborted; answers the last round of each source that had one. Fails with `locked` where another
 * controller has the same folder, and with `unavailable` where it cannot listen.
 */
export async function runController(
  options: ControllerOptions,
): Promise<readonly Reconciliation[]> {
  const lock = await lockState(options.config);
  const stop = new AbortController();
  const given = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([...given, stop.signal, lock.lost]);
  try {
    const rounds = await (options.once === true ? runOnce : runLoops)({ ...options, signal }, stop);
    if (lock.lost.aborted) throw lock.lost.reason;
    return rounds;
  } finally {
    stop.abort();
    await lock.release();
  }
}

/** Approves a plan that waits for it. Fails with `usage`, `not_found` and `stale` where there is no such source or plan. */
export function approvePlan(
  config: ControllerConfig,
  {
    source: name,
    ...approved
  }: { source: string; plan: string; by: string; reason?: string; at: Date },
): HeldPlan {
  const source = config.sources.find((one) => one.name === name);
  if (source === undefined) {
    const known = config.sources.map((one) => one.name).join(", ");
    throw new Failure("usage", `there is no source ${name}`, { remedy: `there are ${known}` });
  }
  return approveHeldPlan(folderOf(config, source), { ...approved, at: approved.at.toISOString() });
}

type RunOptions = ControllerOptions & { readonly signal: AbortSignal };

async function runOnce(options: RunOptions): Promise<readonly Reconciliation[]> {
  const { config, clock = systemClock, signal } = options;
  const turn = pLimit(limits.controllerReconciliations);
  const told = createEmitter(options);
  told({ event: "started", sources: config.sources.map(({ name }) => name) });
  const rounds = config.sources.map((source) =>
    turn(async () => {
      const context = { ...contextOf(source, options), signal, now: () => clock.now() };
      const round = await reconcile(source, context);
      if (round === undefined) return [];
      options.onEvent?.(
        reconciliationEvent(round, { time: clock.now(), failures: 0, next: undefined }),
      );
      return [round];
    }),
  );
  const ended = (await Promise.all(rounds)).flat();
  told({ event: "stopped" });
  return ended;
}

async function runLoops(
  options: RunOptions,
  stop: AbortController,
): Promise<readonly Reconciliation[]> {
  const { config, clock = systemClock, random = Math.random, signal } = options;
  const turn = pLimit(limits.controllerReconciliations);
  const last = new Map<string, Reconciliation>();
  const told = createEmitter(options);
  const sources = config.sources.map(({ name }) => name);
  const pokes = new Map<string, () => void>();
  const listener = await startListener(options, (source) => {
    told({ event: "webhook", source });
    pokes.get(source)?.();
  });
  await using _ = { [Symbol.asyncDispose]: async () => listener?.close() };
  told({ event: "started", sources, ...(listener && { listening: listener.url }) });
  const all = config.sources.map((source) => {
    const tended = startLoop(source, contextOf(source, options), {
      clock,
      random,
      signal,
      limit: turn,
      onReconciled: (round, about) => {
        last.set(source.name, round);
        const event = reconciliationEvent(round, about);
        listener?.record(event);
        options.onEvent?.(event);
      },
    });
    pokes.set(source.name, tended.trigger);
    return tended;
  });
  const ends = await Promise.allSettled(
    all.map(({ ended }) =>
      ended.catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
    ),
  );
  const failed = ends.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  told({ event: "stopped" });
  return [...last.values()];
}

/** What answers is loaded where somebody wants an answer. */
async function startListener(
  { config, env, clock = systemClock }: RunOptions,
  hooked: (source: string) => void,
): Promise<Listener | undefined> {
  if (config.listen === undefined) return undefined;
  const { listen } = await import("./listener.ts");
  return listen(config.listen, {
    config,
    env,
    onWebhook: hooked,
    now: () => clock.now().getTime(),
  });
}

type EventWithoutTime = ControllerEvent extends infer One
  ? One extends { time: string }
    ? Omit<One, "time">
    : never
  : never;

function createEmitter({
  onEvent: on,
  clock = systemClock,
}: RunOptions): (event: EventWithoutTime) => void {
  return (event) => on?.({ time: clock.now().toISOString(), ...event });
}

function contextOf(
  source: Source,
  { config, env, kinds }: ControllerOptions,
): Omit<ReconciliationContext, "now" | "signal"> {
  const folder = folderOf(config, source);
  const checkouts =
    source.git && createCheckouts(source.git, { folder: path.join(folder, "checkouts"), env });
  return {
    folder,
    checkout: checkouts && ((signal, wanted) => checkouts.latest(signal, wanted)),
    approveCommand: (plan) =>
      `svc controller approve ${source.name} ${plan} --config ${shellQuote(config.file)}`,
    env,
    kinds,
  };
}

function folderOf({ state }: ControllerConfig, { name }: Source): string {
  return path.join(state, "sources", name);
}

/** One controller alone works with a folder; of one that was killed it is free at once. */
async function lockState({ state }: ControllerConfig): Promise<InventoryLock> {
  const own = fileInventory(path.join(state, "controller.json"), "controller");
  try {
    return await own.lock("controller");
  } catch (error) {
    if (!isFailure(error, "locked")) throw error;
    throw new Failure("locked", `another controller works with ${state}: ${error.message}`, {
      details: error.details ?? {},
      remedy: "stop that one, or give this one a state folder of its own",
    });
  }
}
