// The receivers of notifications: what each is told about a reconciliation, and how it gets it.
import { parseEndpoint } from "../client/request-url.ts";
import { isFailure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { apiAddress, isTransient, openGitHost } from "../git-hosts/git-host.ts";
import type { CommitStatus } from "../git-hosts/dialects.ts";
import { commitStatus, repositoryAt } from "./commit-status.ts";
import {
  type ControllerConfig,
  type NotificationRoute,
  type NotificationTarget,
  readSecret,
  type StatusTarget,
} from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { type MailText, sendMail } from "./mail-channel.ts";
import {
  escapeSlack,
  messageOf,
  messageText,
  newsBetween,
  newsOf,
  notifiedState,
  signatureHeaders,
  signingKey,
} from "./notification-message.ts";
import type { DeliveryFailure, Letter } from "./notification-outbox.ts";
import type { NotificationType } from "./notification-types.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a receiver is told. */
export interface News {
  readonly type: string;
  readonly body: string;
  /** Of the news with the same subject, only the last counts. Undefined for news that all count. */
  readonly subject?: string;
}

/** When and until when a letter is sent. */
export interface Sending {
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** A receiver. */
export interface Channel {
  readonly name: string;
  /** Returns what a receiver knows of a source after a reconciliation; undefined if that says nothing. `before` is undefined at first. */
  stateAfter(before: string | undefined, event: ReconciliationEvent): string | undefined;
  /** Returns what is news. */
  news(before: string | undefined, event: ReconciliationEvent): readonly News[];
  /** Returns why a letter was not accepted, without the address, which may be a secret. */
  deliver(letter: Letter, sending: Sending): Promise<DeliveryFailure | undefined>;
}

/** Returns the receivers of a configuration, whose `sources` may change. Fails with `unauthenticated` or `usage` for a missing or wrong secret or address. */
export function openChannels(config: ControllerConfig, env: Env): readonly Channel[] {
  const { notify, statuses } = config;
  for (const target of notify) checkRoute(target, env);
  for (const target of statuses) checkStatusTarget(target, env);
  return [
    ...notify.map((target) => messageChannel(target, env)),
    ...statuses.map((target) => statusChannel(target, config, env)),
  ];
}

function messageChannel(target: NotificationTarget, env: Env): Channel {
  const { name, route, on, template } = target;
  return {
    name,
    stateAfter: (before = "ok", event) => notifiedState(before, event),
    news: (before = "ok", event) =>
      [...newsBetween(before, notifiedState(before, event) ?? before), ...newsOf(event)]
        .filter((type) => on.includes(type))
        .map((type) => ({ type, body: JSON.stringify(contentOf(route, type, event, template)) })),
    deliver: ({ id, body }, { now, signal }) =>
      failureOf(async () => {
        if (route.type === "mail") {
          const credential = route.password && readSecret(route.password, env);
          const mail = JSON.parse(body) as MailText;
          return sendMail(mail, { ...route.server, credential, id, signal });
        }
        const { url, key } = endpointOf(name, route, env);
        const seconds = Math.floor(now.getTime() / 1000);
        const headers = {
          "content-type": "application/json",
          ...(key && signatureHeaders(key, { id, seconds, body })),
        };
        const timeout = AbortSignal.timeout(limits.notificationMs);
        const response = await fetch(url, {
          method: "POST",
          headers,
          body,
          redirect: "manual",
          signal: AbortSignal.any([signal, timeout]),
        });
        await response.body?.cancel();
        return response.ok ? undefined : { error: `the status was ${response.status}` };
      }),
  };
}

function statusChannel(target: StatusTarget, config: ControllerConfig, env: Env): Channel {
  const { name, type, api, token } = target;
  const stateOf = (event: ReconciliationEvent): string | undefined => {
    const source = config.sources.find((one) => one.name === event.source);
    const repository = repositoryAt(target, source?.git?.url);
    const status = repository === undefined ? undefined : commitStatus(target, event);
    return status && JSON.stringify({ ...status, repository });
  };
  return {
    name,
    stateAfter: (_, event) => stateOf(event),
    news: (before, event) => {
      const body = stateOf(event);
      if (body === undefined || body === before) return [];
      return [{ type: "status", body, subject: `${event.source} ${event.commit}` }];
    },
    deliver: ({ body }, { signal }) =>
      failureOf(async () => {
        const { repository, ...status } = JSON.parse(body) as CommitStatus & {
          readonly repository: string;
        };
        const host = openGitHost({ type, api, repository, token: readSecret(token, env) });
        await host.setStatus(status, signal);
        return undefined;
      }, isTransient),
  };
}

function contentOf(
  { type: form }: NotificationRoute,
  type: NotificationType,
  event: ReconciliationEvent,
  template: string | undefined,
): JsonObject {
  if (form === "webhook") return messageOf(type, event, template);
  const text = messageText(type, event, template);
  if (form === "slack") return { text: escapeSlack(text) };
  return { subject: `svc: ${event.source} ${type}`, text: `${text}\n` };
}

function checkRoute({ name, route }: NotificationTarget, env: Env): void {
  if (route.type !== "mail") endpointOf(name, route, env);
  else if (route.password !== undefined) readSecret(route.password, env);
}

function endpointOf(
  name: string,
  route: Exclude<NotificationRoute, { readonly type: "mail" }>,
  env: Env,
): { readonly url: string; readonly key: Buffer | undefined } {
  const address = readSecret(route.url, env).reveal();
  return {
    url: parseEndpoint(`the address of the notification ${name}`, address),
    key: route.type === "webhook" ? signingKey(name, readSecret(route.secret, env)) : undefined,
  };
}

function checkStatusTarget({ name, type, api, token, link }: StatusTarget, env: Env): void {
  apiAddress({ type, api, repository: name, token: readSecret(token, env) });
  if (link !== undefined) parseEndpoint(`the link of ${name}`, link);
}

async function failureOf(
  deliver: () => Promise<DeliveryFailure | undefined>,
  canSucceedLater: typeof isTransient = () => true,
): Promise<DeliveryFailure | undefined> {
  try {
    return await deliver();
  } catch (error) {
    if (isFailure(error)) {
      const waitMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
      return { error: error.message, isFinal: !canSucceedLater(error), waitMs };
    }
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { error: isLate ? "there was no answer in time" : "it could not be reached" };
  }
}
