// Formats a failure for the engine's user: what happened, the server's response, and what to do next.
import type { ErrorCode, Failure } from "../../core/errors.ts";

/** Returns the message with the status, the request id and the remedy. */
export function formatFailure(failure: Failure): string {
  const { message, code, details = {} } = failure;
  const { status, requestId } = details;
  const facts = [
    ...(isOverloadOrServerError(status) ? [["status", String(status)]] : []),
    ...(typeof requestId === "string" ? [["request id", requestId]] : []),
  ].filter(([, fact = ""]) => !message.includes(fact));
  const addition = facts.map((fact) => fact.join(" ")).join(", ");
  const text = addition === "" ? message : `${message.replace(/\.$/, "")} (${addition}).`;
  const remedy = failure.remedy ?? defaultRemedies[code]?.(failure);
  return remedy === undefined ? text : `${/[.!?]$/u.test(text) ? text : `${text}.`} ${remedy}`;
}

/** True if the status is the most useful part of the response. */
function isOverloadOrServerError(status: unknown): status is number {
  return typeof status === "number" && (status === 429 || status >= 500);
}

/** Remedies for failures that the configuration did not cause. */
const defaultRemedies: Readonly<Partial<Record<ErrorCode, (failure: Failure) => string>>> = {
  internal: () => "Try again. If the error persists, contact the server's operator.",
  unavailable: () => "Try again later.",
  timeout: () => "Check the network connection to the server, then try again.",
  unreachable: () => "Check the network connection to the server, then try again.",
  rate_limited: ({ retryAfter }) =>
    `Try again ${retryAfter === undefined ? "later" : `in ${retryAfter} s`}, with a lower request rate.`,
  unauthenticated: () => "Check the credential.",
  unknown_outcome: () => "Run a plan to see the result. If the object was created, import it.",
};
