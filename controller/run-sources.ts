// Runs the sources of a controller: once, or in loops that a new configuration replaces.
import { Failure, isFailure } from "../core/errors.ts";
import { type ControllerConfig, readControllerConfig } from "./config.ts";
import { type ControllerOptions, createContexts } from "./controller-options.ts";
import { type ControllerEvent, failureEvent, reconciliationEvent } from "./events.ts";
import type { Listener, ListenerOptions } from "./listener.ts";
import { type LoopOptions, type ReconcileLoop, startLoop } from "./loop.ts";
import { reconcile } from "./reconcile.ts";
import { type Notifier, openNotifier } from "./notifier.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { createRecords } from "./records.ts";
import { systemClock } from "./clock.ts";

/** The options of a run, with a signal that stops it. */
export type RunOptions = ControllerOptions & { readonly signal: AbortSignal };

/** Reconciles each source once. */
export async function runOnce(options: RunOptions): Promise<readonly Reconciliation[]> {
  const { config, clock = systemClock, signal } = options;
  const emit = createEmitter(options);
  const contextOf = createContexts(options);
  const notifier = notifierOf(options);
  const report = createReporter(options, { notifier, records: createRecords(options) });
  emit({ event: "started", sources: config.sources.map(({ name }) => name) });
  const all = config.sources.map(async (source) => {
    const context = { ...contextOf(source), signal, clock };
    const reconciliation = await reconcile(source, context);
    if (reconciliation === undefined) return [];
    report(reconciliation, { time: clock.now(), failures: 0, next: undefined });
    return [reconciliation];
  });
  const reconciliations = (await Promise.all(all)).flat();
  await notifier.flush();
  return reconciliations;
}

/**
 * Reconciles every source in a loop until the signal aborts. A reload replaces the loops with the loops of the new
 * configuration.
 */
export async function runLoops(options: RunOptions, stop: AbortController): Promise<void> {
  const emit = createEmitter(options);
  let running = await startSources(options);
  let hasReloaded = false;
  for (;;) {
    const { config, listener } = running;
    const sources = config.sources.map(({ name }) => name);
    const event = hasReloaded ? "reloaded" : "started";
    emit({ event, sources, ...(listener && { listening: listener.url }) });
    const next = await runUntilReload({ options, running, emit }, stop);
    if (next === undefined) break;
    running = await startSources({ ...options, config: next }).catch(async (error: unknown) => {
      if (!isFailure(error)) throw error;
      emit({ event: "reload-failed", failure: failureEvent(error) });
      return startSources({ ...options, config });
    });
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
  readonly run: (stop: AbortController) => Promise<void>;
}

async function startSources(options: RunOptions): Promise<RunningSources> {
  const { config, clock = systemClock, random = Math.random, signal } = options;
  const emit = createEmitter(options);
  const loops = new Map<string, ReconcileLoop>();
  const drain = new AbortController();
  const records = createRecords(options);
  const notifier = notifierOf(options);
  const trigger = (source: string): void => loops.get(source)?.trigger();
  const listener = await startListener(options, {
    recorderOf: (source) => records.recorderOf(source),
    notifications: () => notifier.status(),
    onWebhook: (source) => {
      emit({ event: "webhook", source });
      trigger(source);
    },
    onAction: (event) => {
      options.onEvent?.(event);
      records.act(event);
      listener?.publish(event.source);
      trigger(event.source);
    },
  });
  const report = createReporter(options, { listener, notifier, records });
  const contextOf = createContexts({
    ...options,
    onNewCommit: (names) => {
      for (const name of names) loops.get(name)?.onNewCommit();
    },
  });
  const run = async (stop: AbortController): Promise<void> => {
    notifier.start();
    const ends = config.sources.map((source) => {
      const loop = startLoop(source, contextOf(source), {
        clock,
        random,
        signal,
        drain: AbortSignal.any([signal, drain.signal]),
        onReconciled: report,
      });
      loops.set(source.name, loop);
      return loop.ended.catch((error: unknown) => {
        stop.abort();
        throw error;
      });
    });
    const failed = (await Promise.allSettled(ends)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  return { config, listener, notifier, drain, run };
}

/** Runs the loops. Returns the new configuration after a reload, and undefined after a stop. */
async function runUntilReload(
  {
    options,
    running,
    emit,
  }: {
    readonly options: RunOptions;
    readonly running: RunningSources;
    readonly emit: ReturnType<typeof createEmitter>;
  },
  stop: AbortController,
): Promise<ControllerConfig | undefined> {
  let next: ControllerConfig | undefined;
  const ignoreReloads = options.reloads?.listen(() => {
    try {
      next = readReloaded(running.config);
      running.drain.abort();
    } catch (error) {
      if (!isFailure(error)) throw error;
      emit({ event: "reload-failed", failure: failureEvent(error) });
    }
  });
  try {
    await running.run(stop);
  } finally {
    ignoreReloads?.();
    await running.listener?.close();
    await running.notifier.stop();
  }
  return options.signal.aborted ? undefined : next;
}

/** Reads the configuration again. Fails with `usage` if it is invalid or names another state folder, which is locked at the start. */
function readReloaded({ file, state }: ControllerConfig): ControllerConfig {
  const next = readControllerConfig(file);
  if (next.state === state) return next;
  throw new Failure("usage", "the state folder cannot change while the controller runs", {
    remedy: "Restart the controller.",
  });
}

/** Starts the HTTP listener. Loads its module only if it is configured. */
async function startListener(
  { config, env, clock = systemClock }: RunOptions,
  hooks: Pick<ListenerOptions, "onWebhook" | "onAction" | "recorderOf" | "notifications">,
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
    readonly records: ReturnType<typeof createRecords>;
  },
): LoopOptions["onReconciled"] {
  return (reconciliation, timing) => {
    const event = reconciliationEvent(reconciliation, timing);
    listener?.record(event);
    onEvent?.(event);
    // Before the records, which it compares with.
    notifier.notify(event);
    records.record(event, reconciliation);
    listener?.publish(event.source);
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
