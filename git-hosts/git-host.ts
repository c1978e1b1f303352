// Sets the status of commits, and keeps comments on pull requests, at a Git host. Nothing that it answers is trusted.
import { fetchText, type TextAnswer } from "../client/fetch-text.ts";
import { parseEndpoint } from "../client/request-url.ts";
import { serverRequestedWaitMs } from "../client/retry.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { memberAt } from "../core/pointer.ts";
import type { Secret } from "../core/secret.ts";
import { escapeInvisible, truncate } from "../core/text/escape-text.ts";
import { type CommitStatus, dialects, type GitHostType, type HostCall } from "./dialects.ts";

/** A repository at a host. */
export interface GitHostOptions {
  readonly type: GitHostType;
  /** Address of the API; by default that of the public host. */
  readonly api?: string | undefined;
  /** `owner/name`; for GitLab also with groups, or the ID of the project. */
  readonly repository: string;
  readonly token: Secret;
}

/** A comment on a pull request. */
export interface RequestComment {
  /** Number of the pull request. */
  readonly request: number;
  /** The first line, which a later comment is found by. */
  readonly marker: string;
  readonly body: string;
}

/** A repository at a host. Its operations fail as {@link isTransient} tells, with `retryAfter` where the host sent it. */
export interface GitHost {
  /** Characters of a comment. */
  readonly commentLength: number;
  setStatus(status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** Replaces the first comment with the marker that the user of the token wrote, or creates one. Returns whether there was one. */
  upsertComment(comment: RequestComment, signal: AbortSignal): Promise<boolean>;
}

/** Returns whether another attempt may succeed after a failure of a host. */
export function isTransient({ code }: Failure): boolean {
  return code === "unavailable" || code === "rate_limited" || code === "unreachable";
}

/** Returns the address of the API. Fails with `usage` for a wrong one, or none. */
export function apiAddress({ type, api = dialects[type].api }: GitHostOptions): string {
  if (api === undefined) throw new Failure("usage", `${type} needs the address of its API`);
  return parseEndpoint("the address of the API of a Git host", api).replace(/\/+$/u, "");
}

/** Opens a repository. Fails with `usage` for an address that is not https, or http to this machine. */
export function openGitHost(options: GitHostOptions): GitHost {
  const { type, repository, token } = options;
  const dialect = dialects[type];
  const api = apiAddress(options);
  const isRepository = /^[\w.-]+(?:\/[\w.-]+)*$/u.test(repository);
  if (!isRepository) throw new Failure("usage", "the repository is not one such as owner/name");
  const send = async ({ method, path, body }: HostCall, signal: AbortSignal) => {
    const headers = {
      ...dialect.headers(token.reveal()),
      "content-type": "application/json",
      "user-agent": "svc",
    };
    try {
      const request = {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.notificationMs)]),
      };
      return await fetchText(`${api}${path}`, request, limits.controllerAnswerBytes);
    } catch (cause) {
      if (signal.aborted) throw new Failure("aborted", "the call of the Git host was stopped");
      throw new Failure("unreachable", `no answer from ${new URL(api).host}`, { cause });
    }
  };
  const call = async (of: HostCall, signal: AbortSignal): Promise<JsonValue> => {
    const answer = await send(of, signal);
    if (answer.status < 300) return parse(answer.text);
    throw failureOf(of, answer);
  };
  return {
    commentLength: dialect.commentLength,
    setStatus: async (status, signal) => {
      const description = cut(status.description, dialect.descriptionLength);
      const of = dialect.status(repository, { ...status, description });
      const answer = await send(of, signal);
      if (answer.status >= 300 && !dialect.isSet(status, answer)) throw failureOf(of, answer);
    },
    upsertComment: async ({ request, marker, body }, signal) => {
      const calls = dialect.comments(repository, request);
      const author = memberAt(await call(dialect.user, signal), dialect.userAt);
      if (!Number.isSafeInteger(author))
        throw new Failure("unexpected_answer", "the host does not name the user of the token");
      const isOurs = (comment: JsonObject): boolean => {
        const { body: text } = comment;
        const begins = typeof text === "string" && text.split(/\r?\n/u, 1)[0] === marker;
        return begins && memberAt(comment, dialect.authorAt) === author;
      };
      const id = await findComment(isOurs, (page) => call(calls.list(page), signal));
      const whole = `${marker}\n${body}`;
      await call(id === undefined ? calls.create(whole) : calls.change(id, whole), signal);
      return id !== undefined;
    },
  };
}

/** Returns the ID of the first comment that matches. Hosts without pages answer each with all comments. */
async function findComment(
  matches: (comment: JsonObject) => boolean,
  list: (page: number) => Promise<JsonValue>,
): Promise<number | undefined> {
  let first: JsonValue | undefined;
  for (let page = 1; page <= limits.gitHostPages; page++) {
    const listed = await list(page);
    if (!Array.isArray(listed))
      throw new Failure("unexpected_answer", "the host lists no comments");
    const comments = listed.filter(isObject);
    const [start] = comments;
    if (start === undefined || start["id"] === first) return undefined;
    first = start["id"];
    const same = comments.find((one) => Number.isSafeInteger(one["id"]) && matches(one));
    if (same !== undefined) return Number(same["id"]);
  }
  throw new Failure("limit_reached", "the pull request has too many comments to find one");
}

const codes: Readonly<Record<number, ErrorCode>> = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  422: "invalid",
  429: "rate_limited",
};

function failureOf({ method, path }: HostCall, { status, headers, text }: TextAnswer): Failure {
  const wait = serverRequestedWaitMs(Object.fromEntries(headers), Date.now());
  const limited = status === 403 && wait !== undefined;
  const code = limited ? "rate_limited" : (codes[status] ?? "unavailable");
  const answer = parse(text);
  const said = isObject(answer) && typeof answer["message"] === "string" ? answer["message"] : "";
  const words = said === "" ? "" : `: ${truncate(escapeInvisible(said), limits.messageCharacters)}`;
  const [place] = path.split("?");
  return new Failure(code, `${method} ${place} answered ${status}${words}`, {
    ...(wait !== undefined && { retryAfter: Math.ceil(wait / 1000) }),
  });
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
