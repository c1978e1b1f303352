// Failures in words for an engine's user: what went wrong, what the server answered, and what can be done about it.
import type { ErrorCode, Failure } from "../../core/errors.ts";

/** The message with the status and request id that it does not name itself, and with what to do. */
export function formatFailure(failure: Failure): string {
  const { message, code, details = {} } = failure;
  const { status, requestId } = details;
  const facts = [
    ...(isOverloadOrServerError(status) ? [["status", String(status)]] : []),
    ...(typeof requestId === "string" ? [["request id", requestId]] : []),
  ].filter(([, fact = ""]) => !message.includes(fact));
  const told = facts.map((fact) => fact.join(" ")).join(", ");
  const said = told === "" ? message : `${message.replace(/\.$/, "")} (${told}).`;
  const remedy = failure.remedy ?? defaultRemedies[code]?.(failure);
  return remedy === undefined ? said : `${/[.!?]$/u.test(said) ? said : `${said}.`} ${remedy}`;
}

/** A server that is overloaded or broken says little else. */
function isOverloadOrServerError(status: unknown): status is number {
  return typeof status === "number" && (status === 429 || status >= 500);
}

/** For what a run may meet at any time, and which is no fault of what was declared. */
const defaultRemedies: Readonly<Partial<Record<ErrorCode, (failure: Failure) => string>>> = {
  internal: () => "Run it again; if that does not help, ask the server's operator.",
  unavailable: () => "Run it again in a while.",
  timeout: () => "Check that the server can be reached from here, and run it again.",
  unreachable: () => "Check that the server can be reached from here, and run it again.",
  rate_limited: ({ retryAfter }) =>
    `Run it again in ${retryAfter === undefined ? "a while" : `${retryAfter} s`}, with fewer requests a second.`,
  unauthenticated: () => "Check the API key.",
  unknown_outcome: () =>
    "A plan shows what became of it; what was made all the same has to be imported.",
};
