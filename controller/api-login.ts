// Checks the tokens of people who signed in at the platform: asks its server, with the token, whose it is.
import { createHash } from "node:crypto";
import { getCurrentUser } from "../api/users.ts";
import { createClient } from "../client/client.ts";
import { sanitize } from "../client/sanitize.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { createLruCache } from "../core/lru-cache.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { Secret } from "../core/secret.ts";
import type { Caller, LoginConfig } from "./config.ts";
import { unknownTokenLimit } from "./request-rate-limit.ts";

/**
 * Returns the user of a token that came from an address; undefined if the server does not accept it. Fails with `forbidden` for a token that does not
 * stand for a person or for a user without a role, with `rate_limited` after too many unknown tokens from there or from all, and with `unavailable`
 * if the server cannot say whose it is.
 */
export type CheckLogin = (token: string, address: string) => Promise<Caller | undefined>;

/** Creates the check. `monotonicMs` is a clock that is never set back. */
export function createLoginCheck(login: LoginConfig, monotonicMs: () => number): CheckLogin {
  const answers = createLruCache<CurrentUser | undefined>(limits.controllerLoginsKept);
  // Of users with a role. Someone who tries tokens does not use up what these users need.
  const accepted = new Set<string>();
  const unknown = unknownTokenLimit(monotonicMs);
  return async (token, address) => {
    const hash = createHash("sha256").update(token).digest("base64url");
    const period = Math.floor(monotonicMs() / limits.controllerLoginMs);
    const key = `${period} ${hash}`;
    const wait = answers.has(key) || accepted.has(hash) ? undefined : unknown(address);
    if (wait !== undefined) throw tooManyTokens(wait);
    const user = await answers.get(key, () => askServer(login.server, token));
    if (user === undefined) return undefined;
    const caller = callerOf(login, user);
    accepted.delete(hash);
    accepted.add(hash);
    const [oldest = ""] = accepted;
    if (accepted.size > limits.controllerLoginsKept) accepted.delete(oldest);
    return caller;
  };
}

type CurrentUser = AnswerOf<typeof getCurrentUser>;

/** Returns the user with the role of the configuration. Fails with `forbidden`. */
function callerOf({ users, server }: LoginConfig, { email, groups, ...user }: CurrentUser): Caller {
  const { credential, permissions } = user;
  if (credential?.type !== "access-token") {
    const type = credential?.type ?? "unknown";
    throw new Failure("forbidden", `this is no login of a person; type of the token: ${type}`, {
      remedy: "Sign in with `svc login`, or use a token of listen.tokens.",
    });
  }
  // Another program may have it, for less than what the roles here permit.
  if (permissions === undefined || Object.keys(permissions.limits).length > 0) {
    throw new Failure("forbidden", "this login is limited to a part of what the user may do", {
      remedy: "Sign in with the scope api, as `svc login` does.",
    });
  }
  const known = users.find(
    (one) => one.email.toLowerCase() === email.toLowerCase() && (one.id ?? user.id) === user.id,
  );
  if (known !== undefined) {
    return { name: known.email, email: known.email, role: known.role, login: { server, groups } };
  }
  const name = sanitize(email);
  throw new Failure(
    "forbidden",
    `${name} (ID ${user.id}) of ${server} is not among listen.login.users`,
    {
      remedy: "Ask the operator of the controller to add the address with a role.",
    },
  );
}

/** Returns undefined if the server knows no user of the token. */
async function askServer(url: string, token: string): Promise<CurrentUser | undefined> {
  const credential = new Secret(token);
  const timeoutMs = limits.controllerAnswerMs;
  const client = createClient({ url, credential, scheme: "bearer", attempts: 1, timeoutMs });
  try {
    return await client.reader.call(getCurrentUser, {});
  } catch (cause) {
    // The token of a SCIM integration has no user.
    if (isFailure(cause, "unauthenticated") || isFailure(cause, "not_found")) return undefined;
    const why = isFailure(cause) ? cause.code : "internal";
    throw new Failure("unavailable", `the login cannot be checked at ${url} now: ${why}`, {
      cause,
      remedy: "Try again later. Tokens of listen.tokens work without that server.",
    });
  } finally {
    await client.close();
  }
}

function tooManyTokens(retryAfter: number): Failure {
  return new Failure("rate_limited", "too many unknown tokens", {
    retryAfter,
    remedy: `Try again in ${retryAfter} seconds.`,
  });
}
