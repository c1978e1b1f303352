// Sends notifications about sources, each once, in order for each target. What waits is in a document of the state, so that a
// restart loses nothing. A notification that no attempt delivers becomes a dead letter, which the status lists.
import { randomUUID } from "node:crypto";
import { limits } from "../core/limits/limits.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ControllerConfig } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { type HistoryEntry, isReconciliation, readHistory } from "./history.ts";
import { type Channel, type News, openChannels } from "./notification-channels.ts";
import { documentsOf } from "./state-store.ts";
import {
  type DeadLetter,
  type DeliveryFailure,
  type Letter,
  openOutbox,
  type Outbox,
} from "./notification-outbox.ts";

/** The options of {@link openNotifier}. */
export interface NotifierOptions {
  readonly config: ControllerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock | undefined;
  /** Called for each dead letter. */
  readonly onFailed: (letter: DeadLetter) => void;
}

/** Sends notifications. */
export interface Notifier {
  /** Sends what is news about a source. */
  notify(event: ReconciliationEvent): Promise<void>;
  /** How many wait, and which no attempt delivered. */
  status(): ReturnType<Outbox["status"]>;
  /** Tries each waiting one once. */
  flush(): Promise<void>;
  /** Starts to send to a target, and to try again. */
  start(target: string): void;
  /** Ends that, after the delivery in flight. */
  end(target: string): Promise<void>;
  /** Looks again for what to send, and what was told: another replica may have changed both. */
  refresh(): void;
  /** Stops. What waits is sent after the next start. */
  stop(): Promise<void>;
}

/** Opens the notifier of a configuration. Fails with `unauthenticated` or `usage` for a missing or wrong secret or address. */
export function openNotifier({
  config,
  env,
  clock = systemClock,
  onFailed,
}: NotifierOptions): Notifier {
  const channels = openChannels(config, env);
  const states = new Map<string, string | undefined>();
  const outbox = openOutbox(config, {
    clock,
    onFailed: (letter) => {
      // Nobody was told: the same state is news again, unless it would be refused again.
      if (letter.subject !== undefined && letter.isFinal !== true)
        states.set(keyOf(letter.target, letter.source), undefined);
      onFailed(letter);
    },
  });
  const running = new Map<string, Promise<void>>();
  /** The channels that may have a letter which their run has not seen. */
  const wanted = new Set<string>();
  const stop = new AbortController();
  const started = new Set<string>();
  /** The last delivery to each target. */
  const deliveries = new Map<string, Promise<unknown>>();

  /** Tries to deliver a letter. Returns how long to wait before the next attempt; undefined if it is done. */
  const attempt = async (channel: Channel, letter: Letter): Promise<number | undefined> => {
    const failure = await channel.deliver(letter, { now: clock.now(), signal: stop.signal });
    const isStopped = failure !== undefined && stop.signal.aborted;
    if (!isStopped && (await outbox.settle(letter, failure))) return undefined;
    return pauseAfter(letter, failure);
  };
  const run = async (channel: Channel): Promise<void> => {
    while (!stop.signal.aborted && started.has(channel.name)) {
      wanted.delete(channel.name);
      const [letter] = await outbox.of(channel.name);
      if (letter !== undefined) {
        const delivery = attempt(channel, letter);
        deliveries.set(channel.name, delivery);
        const pause = await delivery;
        if (pause !== undefined) await clock.wait(pause, stop.signal);
      } else if (!wanted.has(channel.name)) break;
    }
    // At once: a letter that comes next starts another run.
    running.delete(channel.name);
  };
  const send = (): void => {
    for (const channel of channels.filter(({ name }) => started.has(name))) {
      wanted.add(channel.name);
      if (!running.has(channel.name)) running.set(channel.name, run(channel));
    }
  };
  return {
    notify: async (event) => {
      const letters = await lettersAbout(event, { channels, states, config, outbox });
      if (letters.length === 0) return;
      await outbox.add(letters);
      send();
    },
    status: () => outbox.status(),
    flush: () => flushChannels(channels, outbox, attempt),
    start: (target) => {
      started.add(target);
      send();
    },
    end: async (target) => {
      started.delete(target);
      await deliveries.get(target);
    },
    refresh: () => {
      states.clear();
      send();
    },
    stop: async () => {
      stop.abort();
      await Promise.all(running.values());
    },
  };
}

/** Tries each waiting letter once. */
async function flushChannels(
  channels: readonly Channel[],
  outbox: Outbox,
  attempt: (channel: Channel, letter: Letter) => Promise<number | undefined>,
): Promise<void> {
  const flush = async (channel: Channel): Promise<void> => {
    for (const letter of await outbox.of(channel.name)) {
      // The next ones would arrive before this one.
      if ((await attempt(channel, letter)) !== undefined) break;
    }
  };
  await Promise.all(channels.map(flush));
}

function pauseAfter({ attempts }: Letter, failure: DeliveryFailure | undefined): number {
  const pause = limits.notificationRetryMs * 2 ** attempts;
  return Math.min(Math.max(pause, failure?.waitMs ?? 0), limits.notificationRetryMaxMs);
}

/** Returns what is news about a source, by what each channel has told before. */
async function lettersAbout(
  event: ReconciliationEvent,
  {
    channels,
    states,
    ...saved
  }: {
    readonly channels: readonly Channel[];
    readonly states: Map<string, string | undefined>;
    readonly config: ControllerConfig;
    readonly outbox: Outbox;
  },
): Promise<readonly Letter[]> {
  const letters: Letter[] = [];
  for (const channel of channels) {
    const key = keyOf(channel.name, event.source);
    const before = states.has(key)
      ? states.get(key)
      : await savedState(channel, event.source, saved);
    states.set(key, channel.stateAfter(before, event) ?? before);
    letters.push(...channel.news(before, event).map((news) => letterOf(channel, news, event)));
  }
  return letters;
}

function letterOf({ name }: Channel, news: News, { source, time }: ReconciliationEvent): Letter {
  return { id: `msg_${randomUUID()}`, target: name, source, time, ...news, attempts: 0 };
}

function keyOf(channel: string, source: string): string {
  return `${channel} ${source}`;
}

/** Returns what the last run has told; undefined if nothing, or if the history cannot be read. */
async function savedState(
  channel: Channel,
  name: string,
  { config, outbox }: { readonly config: ControllerConfig; readonly outbox: Outbox },
): Promise<string | undefined> {
  const source = config.sources.find((one) => one.name === name);
  if (source === undefined) return undefined;
  const { dead } = await outbox.status();
  const history = await readHistory(documentsOf(config, source)).catch(
    (): readonly HistoryEntry[] => [],
  );
  let state: string | undefined;
  let toldAt = "";
  for (const event of history.filter(isReconciliation).toReversed()) {
    const after = channel.stateAfter(state, event);
    if (after !== undefined) [state, toldAt] = [after, event.time];
  }
  const isDead = dead.some(
    ({ target, source: of, subject, time }) =>
      target === channel.name && of === name && subject !== undefined && time >= toldAt,
  );
  return isDead ? undefined : state;
}
