// Runs the sources of a controller: once, or in loops that a new configuration replaces.
import { isDeepStrictEqual } from "node:util";
import { Failure, isFailure } from "../core/errors.ts";
import type { ControllerConfig, Source } from "./config.ts";
import { readControllerConfig } from "./read-config.ts";
import { type ControllerOptions, createContexts } from "./controller-options.ts";
import { type ControllerEvent, failureEvent, reconciliationEvent } from "./events.ts";
import type { Listener, ListenerOptions } from "./listener.ts";
import { type LoopOptions, startLoop } from "./loop.ts";
import { reconcile } from "./reconcile.ts";
import { type Notifier, openNotifier } from "./notifier.ts";
import type { Reconciliation, Wait } from "./reconciliation.ts";
import type { ControllerMetrics } from "./metrics.ts";
import { createRecords, type Records } from "./records.ts";
import { type Clock, systemClock } from "./clock.ts";
import { dependenciesOf, isSettled, waitOf } from "./dependencies.ts";
import type { Tracer } from "./traces.ts";
import { trackRounds } from "./rounds.ts";
import { actOnStage } from "./stage-actions.ts";
import { createLoops } from "./source-loops.ts";
import { liveSources } from "./live-sources.ts";
import type { Replica, Work } from "./replica.ts";
import {
  forgetSources,
  leaseOf,
  targetsOf,
  tellNewCommit,
  tellReplicas,
  workOf,
} from "./shared-work.ts";
import { isPattern } from "./source-patterns.ts";
import { withSavedSources } from "./pattern-sources.ts";

/** The options of a run, with a signal that stops it. */
export type RunOptions = ControllerOptions & {
  readonly signal: AbortSignal;
  readonly tracer: Tracer | undefined;
  /** Those of the configuration before, whose counters go on. */
  readonly metrics?: ControllerMetrics | undefined;
  /** Undefined where the state is in a folder. */
  readonly replica: Replica | undefined;
};

/** Reconciles each source once: the patterns first, and each other source after those that it depends on. */
export async function runOnce(options: RunOptions): Promise<readonly Reconciliation[]> {
  const { clock = systemClock, signal } = options;
  const emit = createEmitter(options);
  const live = liveSources(options.config);
  const { config } = live;
  const contextOf = createContexts({
    ...options,
    config,
    rounds: trackRounds({ clock, onChange: async () => undefined }),
    onFolders: (entry, folders) => live.replace(entry, folders),
  });
  const notifier = notifierOf({ ...options, config });
  const records = createRecords(options);
  const report = createReporter(options, { notifier, records });
  emit({ event: "started", sources: config.sources.map(({ name }) => name) });
  const runs = new Map<string, Promise<readonly Reconciliation[]>>();
  const runOf = (source: Source): Promise<readonly Reconciliation[]> => {
    const started = runs.get(source.name) ?? run(source);
    runs.set(source.name, started);
    return started;
  };
  const run = async (source: Source): Promise<readonly Reconciliation[]> => {
    if (!isPattern(source)) await Promise.all(dependenciesOf(source, config.sources).map(runOf));
    const waiting = waitFor(source, { config, records, clock });
    const context = { ...contextOf(source), signal, clock, waitOf: waiting };
    const reconciliation = await reconcile(source, context);
    if (reconciliation === undefined) return [];
    await report(reconciliation, { time: clock.now(), failures: 0, next: undefined });
    return [reconciliation];
  };
  const patterns = await Promise.all(config.sources.filter(isPattern).map(runOf));
  const others = config.sources.filter((source) => !isPattern(source)).map(runOf);
  const reconciliations = [...patterns, ...(await Promise.all(others))].flat();
  await notifier.flush();
  return reconciliations;
}

/**
 * Reconciles every source in a loop until the signal aborts. A reload replaces the loops with the loops of the new
 * configuration.
 */
export async function runLoops(options: RunOptions, stop: AbortController): Promise<void> {
  const emit = createEmitter(options);
  let running = await startSources(options, stop);
  let hasReloaded = false;
  for (;;) {
    const { config, listener } = running;
    const sources = config.sources.map(({ name }) => name);
    const event = hasReloaded ? "reloaded" : "started";
    emit({ event, sources, ...(listener && { listening: listener.url }) });
    const next = await runUntilReload({ options, running, emit });
    if (next === undefined) break;
    const metrics = listener?.metrics;
    try {
      const renewed = await withSavedSources(next);
      running = await startSources({ ...options, config: renewed, metrics }, stop);
    } catch (error) {
      if (!isFailure(error)) throw error;
      emit({ event: "reload-failed", failure: failureEvent(error) });
      running = await startSources({ ...options, config, metrics }, stop);
    }
    hasReloaded = true;
  }
}

/** The loops of one configuration. */
interface RunningSources {
  readonly config: ControllerConfig;
  readonly listener: Listener | undefined;
  readonly notifier: Notifier;
  /** Ends the loops after the reconciliations in flight. */
  readonly drain: AbortController;
  /** Starts the loops, and resolves when all have ended. */
  readonly run: () => Promise<void>;
}

async function startSources(options: RunOptions, stop: AbortController): Promise<RunningSources> {
  const { clock = systemClock, random = Math.random, signal, replica } = options;
  const emit = createEmitter(options);
  const sources = liveSources(options.config);
  const { config } = sources;
  const drain = new AbortController();
  const works = replica && ((source: string) => replica.holds(leaseOf.source(source)));
  const records = createRecords({ ...options, config }, works);
  const notifier = notifierOf({ ...options, config });
  const rounds = trackRounds({ clock, onChange: async (source) => listener?.publish(source) });
  /** Triggers sources, whoever works on them. */
  const wake = async (reason: string, names: readonly string[]): Promise<void> => {
    if (replica !== undefined) await tellReplicas(config, reason, names);
    else for (const name of names) loops.get(name)?.trigger();
  };
  const listener = await startListener(
    { ...options, config },
    {
      metrics: options.metrics,
      running: rounds.running,
      last: (source) => records.last(source),
      stateFailure: () => stateFailure(config, replica),
      // JSON leaves out undefined members.
      status: async () => ({
        shared: replica?.sharing(),
        notifications: targetsOf(config).length > 0 ? await notifier.status() : undefined,
      }),
      onWebhook: async (entry, names) => {
        await wake(`webhook/${entry}`, names);
        for (const source of names) emit({ event: "webhook", source });
      },
      actOnStage: async (source, action) => actOnStage({ ...options, config }, source, action),
      onAction: async (event) => {
        options.onEvent?.(event);
        await records.act(event);
        await listener?.publish(event.source);
        await wake(`action/${event.source}`, [event.source]);
      },
    },
  );
  const contextOf = createContexts({
    ...options,
    config,
    rounds,
    onNewCommit: (found) => {
      for (const name of found.sources) loops.get(name)?.onNewCommit(found.commit);
      if (replica !== undefined) void tellNewCommit(config, found, loops);
    },
    onFolders: (entry, folders) => sources.replace(entry, folders),
  });
  const report = createReporter(options, { listener, notifier, records });
  const onReconciled: LoopOptions["onReconciled"] = async (reconciliation, timing) => {
    await report(reconciliation, timing);
    // Here, because a loop that starts in a reconciliation would belong to its trace.
    const { added = [], removed = [] } = reconciliation.expanded ?? {};
    forgetSources(removed, { loops, listener, records });
    if (replica === undefined) for (const one of added) loops.start(one);
    // Those that wait for a suspended source say so.
    if (isSettled(reconciliation) || reconciliation.suspension !== undefined)
      loops.onSettled(reconciliation.source);
  };
  const loops = createLoops({
    begin: (source, end) => {
      const stopped = replica === undefined ? signal : AbortSignal.any([signal, replica.lost()]);
      const waiting = waitFor(source, { config, records, clock });
      const context = { ...contextOf(source), waitOf: waiting };
      const draining = AbortSignal.any([stopped, drain.signal, end]);
      const how = { clock, random, signal: stopped, drain: draining, onReconciled };
      return startLoop(source, context, how);
    },
    isWanted: (source) => config.sources.includes(source) && works?.(source.name) !== false,
    onFailure: () => stop.abort(),
  });
  const work = workOf({ sources, records, notifier, listener, loops });
  const run = async (): Promise<void> => {
    await startWork(work, replica, AbortSignal.any([signal, drain.signal]));
    await loops.ended();
  };
  return { config, listener, notifier, drain, run };
}

/** Begins all work, or shares it with other replicas until the signal aborts. */
async function startWork(
  work: Work,
  replica: Replica | undefined,
  until: AbortSignal,
): Promise<void> {
  if (replica !== undefined) return replica.follow(work, until);
  for (const lease of work.wanted()) work.begin(lease);
}

/** Runs the loops. Returns the new configuration after a reload, and undefined after a stop. */
async function runUntilReload({
  options,
  running,
  emit,
}: {
  readonly options: RunOptions;
  readonly running: RunningSources;
  readonly emit: ReturnType<typeof createEmitter>;
}): Promise<ControllerConfig | undefined> {
  let next: ControllerConfig | undefined;
  const ignoreReloads = options.reloads?.listen(() => {
    try {
      next = readReloaded(running.config, options.env);
      running.drain.abort();
    } catch (error) {
      if (!isFailure(error)) throw error;
      emit({ event: "reload-failed", failure: failureEvent(error) });
    }
  });
  try {
    await running.run();
  } finally {
    ignoreReloads?.();
    await running.listener?.close();
    await running.notifier.stop();
  }
  return options.signal.aborted ? undefined : next;
}

/** Reads the configuration again. Fails with `usage` if it is invalid or names another place of the state, which is opened at the start. */
function readReloaded(
  { file, state, database }: ControllerConfig,
  env: RunOptions["env"],
): ControllerConfig {
  const next = readControllerConfig(file, env);
  if (next.state === state && isDeepStrictEqual(next.database, database)) return next;
  throw new Failure("usage", "the place of the state cannot change while the controller runs", {
    remedy: "Restart the controller.",
  });
}

/** Returns why the state cannot be used now. */
async function stateFailure(
  { store }: ControllerConfig,
  replica: Replica | undefined,
): Promise<Failure | undefined> {
  if (replica !== undefined) return replica.failure();
  try {
    await store.load("patterns");
    return undefined;
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

/** Starts the HTTP listener. Loads its module only if it is configured. */
async function startListener(
  { config, env, clock = systemClock }: RunOptions,
  hooks: Pick<
    ListenerOptions,
    | "metrics"
    | "running"
    | "onWebhook"
    | "onAction"
    | "actOnStage"
    | "last"
    | "stateFailure"
    | "status"
  >,
): Promise<Listener | undefined> {
  if (config.listen === undefined) return undefined;
  const { listen } = await import("./listener.ts");
  return listen(config.listen, {
    ...hooks,
    config,
    env,
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
  });
}

/** Returns the function that tells what a source waits for, by the reconciliations of the others in this run. */
function waitFor(
  source: Source,
  {
    config,
    records,
    clock,
  }: {
    readonly config: ControllerConfig;
    readonly records: Records;
    readonly clock: Clock;
  },
): (commit: string | undefined) => Promise<Wait | undefined> {
  return async (commit) =>
    waitOf(source, {
      commit,
      sources: config.sources,
      lastOf: (name) => records.lastOf(name),
      since: (await records.last(source.name))?.event.waitsFor?.since,
      now: clock.now(),
    });
}

/** Returns the function that tells everyone about a reconciliation. */
function createReporter(
  { onEvent }: RunOptions,
  {
    listener,
    notifier,
    records,
  }: {
    readonly listener?: Listener | undefined;
    readonly notifier: Notifier;
    readonly records: Records;
  },
): LoopOptions["onReconciled"] {
  return async (reconciliation, timing) => {
    const event = reconciliationEvent(reconciliation, timing);
    // One that was stopped says nothing about its source.
    if (event.result !== "stopped") {
      listener?.record(event);
      // Before the records, which it compares with.
      await notifier.notify(event);
      await records.record(event, reconciliation);
      await listener?.publish(event.source);
    }
    onEvent?.(event);
  };
}

function notifierOf(options: RunOptions): Notifier {
  const emit = createEmitter(options);
  return openNotifier({
    ...options,
    onFailed: ({ target, source, type, error = "" }) =>
      emit({ event: "notification-failed", target, source, type, message: error }),
  });
}

type EventWithoutTime = ControllerEvent extends infer One
  ? One extends { time: string }
    ? Omit<One, "time">
    : never
  : never;

function createEmitter({
  onEvent,
  clock = systemClock,
}: RunOptions): (event: EventWithoutTime) => void {
  return (event) => onEvent?.({ time: clock.now().toISOString(), ...event });
}
