// `svc controller`: looks after the sources of a configuration, for as long as it is let, or for one round each.
import path from "node:path";
import pLimit from "p-limit";
import { Failure, isFailure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { shellWord } from "../command.ts";
import { fileInventory } from "../inventory/file.ts";
import type { HeldLock } from "../inventory/store.ts";
import { approveIn, type Waiting } from "./approvals.ts";
import { checkoutsOf } from "./checkout.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { type ControllerEvent, roundEvent } from "./events.ts";
import type { Listener } from "./listener.ts";
import { reconcile, type Round, type RoundContext } from "./round.ts";
import { tend } from "./tend.ts";

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
  readonly on?: ((event: ControllerEvent) => void) | undefined;
  /** The system's where it is not given. */
  readonly clock?: Clock | undefined;
  /** From 0 to 1; for jitter. */
  readonly random?: (() => number) | undefined;
}

/**
 * Runs until the signal is aborted; answers the last round of each source that had one. Fails with `locked` where another
 * controller has the same folder, and with `unavailable` where it cannot listen.
 */
export async function controller(options: ControllerOptions): Promise<readonly Round[]> {
  const lock = await lockState(options.config);
  const stop = new AbortController();
  const given = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([...given, stop.signal, lock.lost]);
  try {
    const rounds = await (options.once === true ? once : lookAfter)({ ...options, signal }, stop);
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
): Waiting {
  const source = config.sources.find((one) => one.name === name);
  if (source === undefined) {
    const known = config.sources.map((one) => one.name).join(", ");
    throw new Failure("usage", `there is no source ${name}`, { remedy: `there are ${known}` });
  }
  return approveIn(folderOf(config, source), { ...approved, at: approved.at.toISOString() });
}

type Running = ControllerOptions & { readonly signal: AbortSignal };

async function once(options: Running): Promise<readonly Round[]> {
  const { config, clock = systemClock, signal } = options;
  const turn = pLimit(limits.controllerRounds);
  const told = teller(options);
  told({ event: "started", sources: config.sources.map(({ name }) => name) });
  const rounds = config.sources.map((source) =>
    turn(async () => {
      const context = { ...contextOf(source, options), signal, now: () => clock.now() };
      const round = await reconcile(source, context);
      if (round === undefined) return [];
      options.on?.(roundEvent(round, { time: clock.now(), failures: 0, next: undefined }));
      return [round];
    }),
  );
  const ended = (await Promise.all(rounds)).flat();
  told({ event: "stopped" });
  return ended;
}

async function lookAfter(options: Running, stop: AbortController): Promise<readonly Round[]> {
  const { config, clock = systemClock, random = Math.random, signal } = options;
  const turn = pLimit(limits.controllerRounds);
  const last = new Map<string, Round>();
  const told = teller(options);
  const sources = config.sources.map(({ name }) => name);
  const pokes = new Map<string, () => void>();
  const listener = await listenerOf(options, (source) => {
    told({ event: "hook", source });
    pokes.get(source)?.();
  });
  await using _ = { [Symbol.asyncDispose]: async () => listener?.close() };
  told({ event: "started", sources, ...(listener && { listening: listener.url }) });
  const all = config.sources.map((source) => {
    const tended = tend(source, contextOf(source, options), {
      clock,
      random,
      signal,
      turn,
      told: (round, about) => {
        last.set(source.name, round);
        const event = roundEvent(round, about);
        listener?.told(event);
        options.on?.(event);
      },
    });
    pokes.set(source.name, tended.poke);
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
async function listenerOf(
  { config, env, clock = systemClock }: Running,
  hooked: (source: string) => void,
): Promise<Listener | undefined> {
  if (config.listen === undefined) return undefined;
  const { listen } = await import("./listener.ts");
  return listen(config.listen, { config, env, hooked, now: () => clock.now().getTime() });
}

type Told = ControllerEvent extends infer One
  ? One extends { time: string }
    ? Omit<One, "time">
    : never
  : never;

function teller({ on, clock = systemClock }: Running): (event: Told) => void {
  return (event) => on?.({ time: clock.now().toISOString(), ...event });
}

function contextOf(
  source: Source,
  { config, env, kinds }: ControllerOptions,
): Omit<RoundContext, "now" | "signal"> {
  const folder = folderOf(config, source);
  const checkouts =
    source.git && checkoutsOf(source.git, { folder: path.join(folder, "checkouts"), env });
  return {
    folder,
    checkout: checkouts && ((signal, wanted) => checkouts.latest(signal, wanted)),
    approving: (plan) =>
      `svc controller approve ${source.name} ${plan} --config ${shellWord(config.file)}`,
    env,
    kinds,
  };
}

function folderOf({ state }: ControllerConfig, { name }: Source): string {
  return path.join(state, "sources", name);
}

/** One controller alone works with a folder; of one that was killed it is free at once. */
async function lockState({ state }: ControllerConfig): Promise<HeldLock> {
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
