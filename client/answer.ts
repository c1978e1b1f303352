// Interprets responses: reads the JSON body, or converts the response to a failure with a safe message.
import { codeOf, messageOf, namedCodeOf, type ProblemCode } from "../api/problems.ts";
import { certificateProblem } from "../core/system/certificate-problems.ts";
import { connectionProblem } from "../core/system/connection-problems.ts";
import { Failure, type FailureDetail } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { lowerFirst } from "../core/text/naming.ts";
import { validationErrorsIn } from "./validation-errors.ts";
import type { ReceivedAnswer, Exchange, NoAnswer } from "./types.ts";
import { sanitize } from "./sanitize.ts";
import { serverRequestedWaitMs, errorCodeOf } from "./retry.ts";

/** The request, as shown in messages. */
export interface RequestDescription {
  /** The operation's summary; undefined for a bare request. */
  readonly summary: string | undefined;
  readonly method: string;
  /** Path with `{param}` placeholders, so that messages contain no values. */
  readonly path: string;
  readonly origin: string;
  /** Whether the request carries no credential, so that a status of 401 is about its content. */
  readonly isPublic: boolean;
  /** See `credentialOrigin` of the options of the client. */
  readonly credentialOrigin?: string | undefined;
  /** Secrets that messages must not contain, even if the server returns them. */
  readonly secrets: readonly string[];
}

/** How often a request was sent, and how long each time may take. */
interface Tried {
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** A parsed response body. */
export type Body =
  | { readonly form: "json"; readonly value: JsonValue }
  | { readonly form: "empty" }
  | { readonly form: "html" }
  | { readonly form: "invalid-json" }
  | { readonly form: "other"; readonly type: string; readonly text: string };

/** Parses a body by content type and first character, because the web app returns 200 with HTML for unknown routes. */
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
    return { form: "invalid-json" };
  }
}

/** Returns the title of a request: `Create an account group (POST /api/v1/user-groups)`. */
export function titleOf({
  summary,
  method,
  path,
}: Pick<RequestDescription, "summary" | "method" | "path">): string {
  return summary === undefined ? `${method} ${sanitize(path)}` : `${summary} (${method} ${path})`;
}

/** Returns whether the response is a web page, which the API never returns. */
export function isHtmlPage(answer: ReceivedAnswer): boolean {
  return readBody(answer).form === "html";
}

/** Returns the error code of a response; undefined for a status below 400. */
export function problemCodeOf(ended: Exchange): ProblemCode | undefined {
  if (!ended.answered || ended.status < 400) return undefined;
  return codeOf(ended.status, jsonOf(ended));
}

/** Returns the error code in the body; undefined if a proxy sent the response. */
export function namedProblemCodeOf(ended: Exchange): ProblemCode | undefined {
  if (!ended.answered || ended.status < 400) return undefined;
  return namedCodeOf(ended.status, jsonOf(ended));
}

function jsonOf(answer: ReceivedAnswer): JsonValue | undefined {
  const body = readBody(answer);
  return body.form === "json" ? body.value : undefined;
}

/** Returns the failure for a response that does not match the API's schema. */
export function unexpectedAnswer(
  request: RequestDescription,
  what: string,
  detail: FailureDetail = {},
): Failure {
  return new Failure("unexpected_answer", `${titleOf(request)}: ${what}`, detail);
}

/** Returns the failure for an operation that the server does not offer. */
export function notOfferedFailure(request: RequestDescription): Failure {
  return new Failure(
    "not_offered",
    `this server does not offer ${request.method} ${sanitize(request.path)}`,
  );
}

/** Returns the failure for a web page in place of an answer: the web app answers unknown routes. */
export function webPageFailure(request: RequestDescription): Failure {
  const { method, path, origin } = request;
  return new Failure(
    "not_offered",
    `${method} ${sanitize(path)} is not available on this tenant: the server returned a web page`,
    {
      remedy: `Check that ${origin} is the address of the API; svc spec lists what the server offers.`,
    },
  );
}

/** Returns the failure of a final exchange: redirect, error response or no response. See {@link RetryDecision} for `uncertain`. */
export function failureOf(
  request: RequestDescription,
  ended: Exchange,
  { uncertain, ...tried }: Tried & { readonly uncertain: boolean },
): Failure {
  if (uncertain) return unknownOutcomeFailure(request, ended);
  if (!ended.answered) return noAnswerFailure(request, ended, tried);
  if (ended.status < 400) return redirectFailure(request, ended);
  return errorAnswerFailure(request, ended);
}

function unknownOutcomeFailure(request: RequestDescription, ended: Exchange): Failure {
  const what = ended.answered
    ? `the server returned status ${ended.status}`
    : "no response arrived";
  return new Failure(
    "unknown_outcome",
    `${titleOf(request)}: ${what}, so the request may or may not have been executed`,
    ended.answered ? { details: factsOf(ended) } : { cause: ended.cause },
  );
}

function redirectFailure(
  request: RequestDescription,
  { status, headers }: ReceivedAnswer,
): Failure {
  const location = headers["location"];
  const target =
    typeof location === "string" ? URL.parse(location, request.origin)?.origin : undefined;
  const where = target === undefined ? "without a location" : `to ${sanitize(target)}`;
  return unexpectedAnswer(request, `the server redirected (${status}) ${where}`, {
    remedy:
      "Set the URL to the origin of the server. Redirects are not followed, and keys are not sent to other origins.",
  });
}

function errorAnswerFailure(request: RequestDescription, answer: ReceivedAnswer): Failure {
  const body = readBody(answer);
  const value = body.form === "json" ? body.value : undefined;
  const code = codeOf(answer.status, value);
  if (body.form === "html" && code === "not_found") return webPageFailure(request);
  // For a plain path, the message of the server is more useful.
  const isUnknown =
    code === "unknown_route" || code === "method_not_allowed" || answer.status === 501;
  if (isUnknown && request.summary !== undefined) return notOfferedFailure(request);
  const text = sanitize(
    messageOf(value) ?? `the server returned status ${answer.status}`,
    request.secrets,
  );
  const wait = serverRequestedWaitMs(answer.headers, Date.now());
  const errors = validationErrorsIn(value, request.secrets);
  // A refused credential is not about the operation, which may be one that the user did not name.
  const isRefusedCredential = code === "unauthenticated" && !request.isPublic;
  const title = isRefusedCredential ? request.origin : failedTitle(request);
  // The API answers with JSON; proxies answer plain HTTP on a port for TLS with their own text.
  const mayBeTls = answer.status === 400 && body.form !== "json";
  const remedy = isRefusedCredential
    ? refusedCredentialRemedy(request)
    : mayBeTls
      ? tlsRemedy(request.origin)
      : undefined;
  return new Failure(code, `${title}: ${text}`, {
    details: { ...factsOf(answer), ...(errors.length > 0 && { errors }) },
    ...(wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) }),
    ...(remedy !== undefined && { remedy }),
  });
}

/** Says what failed: `cannot create a user group`. The path of a raw request has no summary. */
function failedTitle(request: RequestDescription): string {
  return request.summary === undefined ? titleOf(request) : `cannot ${lowerFirst(request.summary)}`;
}

/** Names where the credential comes from, never the credential. */
function refusedCredentialRemedy({ credentialOrigin }: RequestDescription): string {
  const named =
    credentialOrigin === undefined ? "the credential" : `the credential ${credentialOrigin}`;
  return `Check that ${named} belongs to this server and is not revoked.`;
}

/** Returns the remedy if plain HTTP was sent to a port for TLS. */
function tlsRemedy(origin: string): string | undefined {
  if (!origin.startsWith("http:")) return undefined;
  return `If the server speaks TLS, use ${origin.replace("http:", "https:")} as its URL.`;
}

function factsOf({ status, headers }: ReceivedAnswer): JsonObject {
  const id = headers["x-request-id"];
  return { status, ...(typeof id === "string" ? { requestId: sanitize(id) } : {}) };
}

function noAnswerFailure(
  request: RequestDescription,
  { reason, cause, sent }: NoAnswer,
  { attempts, timeoutMs }: Tried,
): Failure {
  const detail = cause === undefined ? {} : { cause };
  if (reason === "aborted") return new Failure("aborted", `${titleOf(request)}: canceled`);
  if (reason === "timeout") {
    const last = attempts === 1 ? "" : `, the last of ${attempts} attempts`;
    const text = `${request.origin} did not respond within ${timeoutMs / 1000} s${last}`;
    return new Failure("timeout", `${titleOf(request)}: ${text}`);
  }
  if (reason === "too_large") {
    return unexpectedAnswer(request, `the response is larger than ${limits.answerBytes} bytes`);
  }
  const description = connectionErrorText(cause, sent);
  const remedy = connectionRemedy(request, errorCodeOf(cause));
  return new Failure("unreachable", `cannot reach ${request.origin}: ${description}`, {
    ...detail,
    ...(remedy !== undefined && { remedy }),
  });
}

/** Returns the remedy for a failed connection; undefined if the code of the error does not show one. */
function connectionRemedy(
  { origin }: RequestDescription,
  code: string | undefined = "",
): string | undefined {
  const certificate = certificateProblem(code);
  if (certificate !== undefined) return certificate.remedy;
  if (notReachedCodes.test(code)) {
    return "Check the URL, and that the server is running and can be reached from this machine.";
  }
  const remedy = mayBeTlsCodes.test(code) ? tlsRemedy(origin) : undefined;
  return remedy && `Try again. ${remedy}`;
}

/** No server answered at all. */
const notReachedCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/u;

/** The errors of plain HTTP to a TLS server, which closes the connection or does not answer in HTTP. */
const mayBeTlsCodes = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_.+)$/u;

const noTlsCodes = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/u;

function connectionErrorText(cause: unknown, sent: boolean): string {
  const code = errorCodeOf(cause);
  if (code !== undefined) {
    const problem = connectionProblem(code) ?? code;
    return noTlsCodes.test(code)
      ? `${problem}; if that is intended, use http:// in the URL`
      : problem;
  }
  return sent ? "the connection was interrupted" : "the connection failed";
}
