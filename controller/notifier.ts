// Sends notifications about sources, each once, in order for each target. What waits is in a file of the state folder, so that a
// restart loses nothing. A notification that no attempt delivers becomes a dead letter, which the status lists.
import { randomUUID } from "node:crypto";
import { isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { parseEndpoint } from "../client/request-url.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type ControllerConfig, type NotificationTarget, readSecret } from "./config.ts";
import { folderOf } from "./controller-options.ts";
import type { ReconciliationEvent } from "./events.ts";
import { isReconciliation, readHistory } from "./history.ts";
import {
  messageOf,
  newsBetween,
  type NotifiedState,
  notifiedState,
  signatureHeaders,
  signingKey,
  slackText,
} from "./notification-message.ts";
import type { NotificationType } from "./notification-types.ts";
import { type DeadLetter, type Letter, openOutbox, type Outbox } from "./notification-outbox.ts";

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
  notify(event: ReconciliationEvent): void;
  /** How many wait, and which no attempt delivered. */
  status(): ReturnType<Outbox["status"]>;
  /** Tries each waiting one once. */
  flush(): Promise<void>;
  /** Starts to send, and to try again. */
  start(): void;
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
  for (const target of config.notify) checkTarget(target, env);
  const outbox = openOutbox(config, { clock, onFailed });
  const states = new Map<string, NotifiedState>();
  const running = new Map<string, Promise<void>>();
  const stop = new AbortController();
  let isStarted = false;

  /** Tries to deliver a letter. Returns whether it is done: delivered or dead. */
  const attempt = async (target: NotificationTarget, letter: Letter): Promise<boolean> => {
    const error = await deliver(target, letter, { env, now: clock.now(), signal: stop.signal });
    if (error !== undefined && stop.signal.aborted) return false;
    return outbox.settle(letter, error);
  };
  const run = async (target: NotificationTarget): Promise<void> => {
    for (;;) {
      const letter = outbox.of(target.name)[0];
      if (letter === undefined || stop.signal.aborted) break;
      if (await attempt(target, letter)) continue;
      const ms = limits.notificationRetryMs * 2 ** letter.attempts;
      await clock.wait(Math.min(ms, limits.notificationRetryMaxMs), stop.signal);
    }
    // At once: a letter that comes next starts another run.
    running.delete(target.name);
  };
  const send = (): void => {
    if (!isStarted) return;
    for (const target of config.notify) {
      if (running.has(target.name) || outbox.of(target.name)[0] === undefined) continue;
      running.set(target.name, run(target));
    }
  };
  return {
    notify: (event) => {
      if (config.notify.length === 0) return;
      const { source: name } = event;
      const before = states.get(name) ?? savedState(config, name);
      const after = notifiedState(event) ?? before;
      states.set(name, after);
      const letters = newsBetween(before, after).flatMap((type) =>
        config.notify
          .filter(({ on }) => on.includes(type))
          .map((target) => letterOf(target, type, event)),
      );
      if (letters.length === 0) return;
      outbox.add(letters);
      send();
    },
    status: () => outbox.status(),
    flush: async () => {
      for (const target of config.notify) {
        for (const letter of outbox.of(target.name)) {
          // The next ones would arrive before this one.
          if (!(await attempt(target, letter))) break;
        }
      }
    },
    start: () => {
      isStarted = true;
      send();
    },
    stop: async () => {
      stop.abort();
      await Promise.all(running.values());
    },
  };
}

function letterOf(
  target: NotificationTarget,
  type: NotificationType,
  event: ReconciliationEvent,
): Letter {
  const content =
    target.type === "slack" ? { text: slackText(type, event) } : messageOf(type, event);
  return {
    id: `msg_${randomUUID()}`,
    target: target.name,
    type,
    source: event.source,
    time: event.time,
    body: JSON.stringify(content),
    attempts: 0,
  };
}

/** Returns the state that the last run has told about. */
function savedState(config: ControllerConfig, name: string): NotifiedState {
  const source = config.sources.find((one) => one.name === name);
  if (source === undefined) return "ok";
  const states = readHistory(folderOf(config, source)).filter(isReconciliation).map(notifiedState);
  return states.find((state) => state !== undefined) ?? "ok";
}

function checkTarget(
  target: NotificationTarget,
  env: NotifierOptions["env"],
): { readonly url: string; readonly key: Buffer | undefined } {
  const { name, secret } = target;
  return {
    url: parseEndpoint(
      `the address of the notification ${name}`,
      readSecret(target.url, env).reveal(),
    ),
    key: secret && signingKey(name, readSecret(secret, env)),
  };
}

/** Sends a letter. Returns why it was not accepted, without the address, which may be a secret. */
async function deliver(
  target: NotificationTarget,
  { id, body }: Letter,
  {
    env,
    now,
    signal,
  }: { readonly env: NotifierOptions["env"]; readonly now: Date; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    const { url, key } = checkTarget(target, env);
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key && signatureHeaders(key, { id, seconds, body })),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.notificationMs)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `the status was ${response.status}`;
  } catch (error) {
    if (isFailure(error)) return error.message;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate ? "no answer in time" : "the address could not be reached";
  }
}
