// What an answer means: the JSON it holds, or the failure it stands for, told in words that are safe to show.
import { codeOf, messageOf, namedCodeOf, type ProblemCode } from "../api/problems.ts";
import { Failure, type FailureDetail } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { validationErrorsIn } from "./validation-errors.ts";
import type { ReceivedAnswer, Exchange, NoAnswer } from "./exchange.ts";
import { sanitize } from "./sanitize.ts";
import { serverRequestedWaitMs, errorCodeOf } from "./retry.ts";

/** What was asked, as far as messages tell it. */
export interface RequestDescription {
  /** The operation's summary; undefined for a bare request. */
  readonly summary: string | undefined;
  readonly method: string;
  /** The path with its `{param}`s: values stay out of messages. */
  readonly path: string;
  readonly origin: string;
  /** Never shown, not even where the server repeats them. */
  readonly secrets: readonly string[];
}

/** What a body turned out to be. */
export type Body =
  | { readonly form: "json"; readonly value: JsonValue }
  | { readonly form: "empty" }
  | { readonly form: "html" }
  | { readonly form: "torn" }
  | { readonly form: "other"; readonly type: string; readonly text: string };

/** Reads a body by its content type, and by its first character: the web app answers 200 on routes that do not exist. */
export function readBody({ headers, body }: ReceivedAnswer): Body {
  const given = headers["content-type"];
  const type = (Array.isArray(given) ? given[0] : given)?.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return { form: "other", type: `${type} (${String(encoding)})`, text: "" };
  }
  if (body.length === 0) return { form: "empty" };
  const text = body.toString("utf8");
  if (type === "text/html" || /^\s*</.test(text.slice(0, 200))) return { form: "html" };
  if (type !== "" && !/^application\/(?:.+\+)?json$/.test(type))
    return { form: "other", type, text };
  try {
    return { form: "json", value: JSON.parse(text) as JsonValue };
  } catch {
    return { form: "torn" };
  }
}

/** `Create an account group (POST /api/v1/user-groups)`. */
export function titleOf({ summary, method, path }: RequestDescription): string {
  return summary === undefined ? `${method} ${sanitize(path)}` : `${summary} (${method} ${path})`;
}

/** True for a web page, which the API never answers with. */
export function isHtmlPage(answer: ReceivedAnswer): boolean {
  return readBody(answer).form === "html";
}

/** The code a refusing answer means; undefined for one that does not refuse. */
export function problemCodeOf(ended: Exchange): ProblemCode | undefined {
  if (!ended.answered || ended.status < 400) return undefined;
  return codeOf(ended.status, jsonOf(ended));
}

/** The code that a refusing answer names itself; undefined also where the body is not the API's, as of something in front of it. */
export function namedProblemCodeOf(ended: Exchange): ProblemCode | undefined {
  if (!ended.answered || ended.status < 400) return undefined;
  return namedCodeOf(ended.status, jsonOf(ended));
}

function jsonOf(answer: ReceivedAnswer): JsonValue | undefined {
  const body = readBody(answer);
  return body.form === "json" ? body.value : undefined;
}

/** An answer that is not what the API describes. */
export function unexpectedAnswer(
  asked: RequestDescription,
  what: string,
  detail: FailureDetail = {},
): Failure {
  return new Failure("unexpected_answer", `${titleOf(asked)}: ${what}`, detail);
}

/** The server has no such operation. */
export function notOfferedFailure(asked: RequestDescription): Failure {
  return new Failure(
    "not_offered",
    `This server does not offer ${asked.method} ${sanitize(asked.path)}.`,
  );
}

/** The failure that a final exchange stands for: redirected, refused or lost. `uncertain` is {@link Verdict}'s. */
export function failureOf(asked: RequestDescription, ended: Exchange, uncertain: boolean): Failure {
  if (uncertain) return unknownOutcomeFailure(asked, ended);
  if (!ended.answered) return noAnswerFailure(asked, ended);
  if (ended.status < 400) return redirectFailure(asked, ended);
  return errorAnswerFailure(asked, ended);
}

function unknownOutcomeFailure(asked: RequestDescription, ended: Exchange): Failure {
  const what = ended.answered ? `the server answered ${ended.status}` : "no answer came";
  return new Failure(
    "unknown_outcome",
    `${titleOf(asked)}: ${what}, so it may or may not have been carried out.`,
    ended.answered ? { details: factsOf(ended) } : { cause: ended.cause },
  );
}

function redirectFailure(asked: RequestDescription, { status, headers }: ReceivedAnswer): Failure {
  const location = headers["location"];
  const target =
    typeof location === "string" ? URL.parse(location, asked.origin)?.origin : undefined;
  const where = target === undefined ? "nowhere" : `to ${sanitize(target)}`;
  return unexpectedAnswer(asked, `the server redirected (${status}) ${where}.`, {
    remedy:
      "Redirects are not followed, and keys are not sent to other origins; give the right origin.",
  });
}

function errorAnswerFailure(asked: RequestDescription, answer: ReceivedAnswer): Failure {
  const body = readBody(answer);
  const value = body.form === "json" ? body.value : undefined;
  const code = codeOf(answer.status, value);
  const noRoute = body.form === "html" && code === "not_found";
  // Who asked for a path, and not for an operation, is to see what the server says.
  const isUnknown = code === "unknown_route" || code === "method_not_allowed";
  if (noRoute || (isUnknown && asked.summary !== undefined)) {
    return notOfferedFailure(asked);
  }
  const said = sanitize(messageOf(value) ?? `the server answered ${answer.status}`, asked.secrets);
  const wait = serverRequestedWaitMs(answer.headers, Date.now());
  const errors = validationErrorsIn(value, asked.secrets);
  return new Failure(code, `${asked.summary ?? titleOf(asked)}: ${said}`, {
    details: { ...factsOf(answer), ...(errors.length > 0 && { errors }) },
    ...(wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) }),
    ...(code === "unauthenticated"
      ? { remedy: "Check the API key, and that it is for this server." }
      : {}),
  });
}

function factsOf({ status, headers }: ReceivedAnswer): JsonObject {
  const id = headers["x-request-id"];
  return { status, ...(typeof id === "string" ? { requestId: sanitize(id) } : {}) };
}

function noAnswerFailure(
  asked: RequestDescription,
  { reason: why, cause, sent }: NoAnswer,
): Failure {
  const detail = cause === undefined ? {} : { cause };
  if (why === "aborted") return new Failure("aborted", `${titleOf(asked)}: stopped.`);
  if (why === "timeout") {
    return new Failure("timeout", `${titleOf(asked)}: ${asked.origin} did not answer in time.`);
  }
  if (why === "too_large") {
    return unexpectedAnswer(asked, `the answer is larger than ${limits.answerBytes} bytes.`);
  }
  const reason = reasonOf(cause, sent);
  return new Failure("unreachable", `Cannot reach ${asked.origin}: ${reason}.`, detail);
}

const connectionErrorReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name could not be looked up",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to its network",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ETIMEDOUT: "no connection was made in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection was made in time",
  CERT_HAS_EXPIRED: "its TLS certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its TLS certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its TLS certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its TLS certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its TLS certificate is signed by an unknown authority",
};

function reasonOf(cause: unknown, sent: boolean): string {
  const code = errorCodeOf(cause);
  const known = code === undefined ? undefined : connectionErrorReasons[code];
  if (known !== undefined) return known;
  if (code !== undefined) return code;
  return sent ? "the connection broke" : "no connection could be made";
}
