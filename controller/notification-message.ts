// What a notification says: which changes of the state of a source are news, and the text and the JSON about them.
import { createHmac } from "node:crypto";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { Secret } from "../core/secret.ts";
import { diagnosticText, type ReconciliationEvent } from "./events.ts";
import { healthOf } from "./history.ts";
import { renderTemplate } from "./message-text.ts";
import { type NotificationType, notificationTypes } from "./notification-types.ts";

/**
 * The state of a source that notifications compare: its health in lines, which are a type, with the plan of a held one or the reasons
 * that a failing one had so far, or `ok`; and after an empty line the approvals and pull requests that its pipelines wait for.
 */
export type NotifiedState = string;

/** Returns the state after a reconciliation; undefined if it says nothing about the source. */
export function notifiedState(
  before: NotifiedState,
  event: ReconciliationEvent,
): NotifiedState | undefined {
  const [healthBefore, waitingBefore] = partsOf(before);
  const health = healthAfter(healthBefore, event);
  // One line each, whatever the names contain.
  const waiting = event.approvals?.map((approval) => JSON.stringify(approval));
  if (health === undefined && waiting === undefined) return undefined;
  return [health ?? healthBefore, (waiting ?? waitingBefore).join("\n")].join("\n\n");
}

function partsOf(state: NotifiedState): readonly [string, readonly string[]] {
  const [health = "", waiting = ""] = state.split("\n\n");
  return [health, waiting.split("\n").filter((line) => line !== "")];
}

function healthAfter(before: string, event: ReconciliationEvent): string | undefined {
  const { result, held, drift } = event;
  switch (result) {
    case "suspended":
    case "closed":
    case "waiting":
    case "stopped":
      return undefined;
    case "held":
      return held === undefined || held.rejected !== undefined ? "ok" : `held\n${held.plan}`;
    default:
      if (healthOf(event) === "failing") return failingState(before, failingReason(event));
      return drift !== undefined && drift.drifted + drift.conflict > 0 ? "drift" : "ok";
  }
}

/** Keeps each reason, so that one which comes back while the source fails is no news. */
function failingState(before: NotifiedState, reason: string): NotifiedState {
  const [type, ...told] = before.split("\n");
  const reasons = type === "failing" ? told : [];
  if (reasons.includes(reason)) return before;
  return ["failing", ...[...reasons, reason].slice(-limits.controllerHistory)].join("\n");
}

/** Returns the reason without the texts of a server, which may differ from attempt to attempt, such as by a time. */
function failingReason({ failure, diagnostics, changes, checks }: ReconciliationEvent): string {
  const error = diagnostics?.find(({ severity }) => severity === "error");
  const change = changes?.find((candidate) => candidate.failure !== undefined);
  const check = checks?.find(({ passed }) => !passed);
  const isInFile = error?.place !== undefined;
  const problem = [
    isInFile ? diagnosticText(error) : error?.address,
    change?.address,
    check?.check,
  ];
  return JSON.stringify([failure?.code, error?.code, ...problem]);
}

/** Returns what to tell about a change of the state, `ok` if there was none before. */
export function newsBetween(
  before: NotifiedState,
  after: NotifiedState,
): readonly NotificationType[] {
  const [healthBefore, waitingBefore] = partsOf(before);
  const [health, waiting] = partsOf(after);
  const isRecovered = healthBefore.startsWith("failing") && !health.startsWith("failing");
  const type = notificationTypes.find((name) => name === health.split("\n")[0]);
  return [
    ...(isRecovered ? (["recovered"] as const) : []),
    ...(type === undefined || health === healthBefore ? [] : [type]),
    ...(waiting.every((line) => waitingBefore.includes(line)) ? [] : (["approval"] as const)),
  ];
}

/** Returns what to tell about a reconciliation by itself, whatever was before. */
export function newsOf({ expanded }: ReconciliationEvent): readonly NotificationType[] {
  return expanded?.removed === undefined ? [] : ["removed"];
}

/** Returns the content of a notification. It contains no secret, as events do not. */
export function messageOf(
  type: NotificationType,
  event: ReconciliationEvent,
  template?: string,
): JsonObject {
  const { time, source, mode, result, commit, drift, failure, held, approvals, expanded } = event;
  const [diagnostic] = (event.diagnostics ?? []).filter(({ severity }) => severity === "error");
  const text = template && renderTemplate(template, type, event);
  const about = {
    held,
    approvals: type === "approval" ? approvals : undefined,
    removed: type === "removed" ? expanded?.removed : undefined,
  };
  const data = { source, mode, result, commit, drift, failure, diagnostic, ...about, text };
  // JSON leaves out undefined members.
  return JSON.parse(
    JSON.stringify({ type: `source.${type}`, timestamp: time, data }),
  ) as JsonObject;
}

const defaultTemplates: Readonly<Record<NotificationType, string>> = {
  failing: "{{source}} fails: {{reason}}",
  drift: "{{source}} differs on the server: {{drifted}} changed there, {{conflicts}} on both sides",
  held: "{{source}} waits for an approval of plan {{plan}}: {{reason}}",
  approval: "{{source}} waits for a person: {{reason}}",
  recovered: "{{source}} works again",
  removed: "{{source}}: {{reason}}",
};

/** Returns the text for people. */
export function messageText(
  type: NotificationType,
  event: ReconciliationEvent,
  template?: string,
): string {
  const place = event.commit === undefined ? "" : " (commit {{commit}})";
  return renderTemplate(template ?? `${defaultTemplates[type]}${place}`, type, event);
}

/** Escapes a text for Slack. */
export function escapeSlack(text: string): string {
  return text.replace(/[&<>]/gu, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[one] ?? one);
}

/** Returns the headers of Standard Webhooks: id, time in seconds, and a signature of both and the body. */
export function signatureHeaders(
  key: Buffer,
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): Readonly<Record<string, string>> {
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}

/** Returns the key of a secret `whsec_BASE64`. Fails with `usage` for another form, or fewer than 24 bytes. */
export function signingKey(name: string, secret: Secret): Buffer {
  const [, text = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret.reveal()) ?? [];
  const key = Buffer.from(text, "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  throw new Failure(
    "usage",
    `the secret of the notification ${name} is not one of Standard Webhooks`,
    {
      remedy: 'Make one with `echo "whsec_$(openssl rand -base64 32)"`.',
    },
  );
}
