// Who sends a request to the API of a controller, and what that permits.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isFailure } from "../core/errors.ts";
import { createLoginCheck } from "./api-login.ts";
import type { Role } from "./api-types.ts";
import {
  type ApiToken,
  type Caller,
  type ControllerConfig,
  type Env,
  type LoginConfig,
  readSecret,
} from "./config.ts";
import { errorResponse, type HttpResponse } from "./http.ts";

/** The options of {@link createAuthentication}. */
export interface AuthenticationOptions {
  readonly config: Pick<ControllerConfig, "listen">;
  readonly env: Env;
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number;
}

/** Returns who sends a request, or the response that refuses it. */
export type Authenticate = (request: IncomingMessage) => Promise<Caller | HttpResponse>;

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, approver: 2 };

/** Returns the refusal of an action that needs a higher role; undefined if the caller has it. */
export function refuseRole(caller: Caller, action: string, role: Role): HttpResponse | undefined {
  if (ranks[caller.role] >= ranks[role]) return undefined;
  return errorResponse(403, {
    code: "forbidden",
    message: `${caller.name} is a ${caller.role}; ${action} needs the role ${role}`,
    remedy: `Act as someone with the role ${role}.`,
  });
}

/** Creates the check of requests: for a token of the configuration, or the login of one of its users. */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const login = options.config.listen?.login;
  const checkLogin = login && createLoginCheck(login, options.monotonicMs);
  return async ({ headers, socket }) => {
    const [, sent = ""] = /^Bearer (\S+)$/iu.exec(headers.authorization ?? "") ?? [];
    if (sent === "") return unauthenticated(login);
    const caller = configuredToken(sent, options);
    if (caller !== undefined) return caller;
    // Other characters are in no access token.
    if (checkLogin === undefined || !/^[\w.~+/-]+=*$/u.test(sent)) return unauthenticated(login);
    try {
      return (await checkLogin(sent, socket.remoteAddress ?? "")) ?? unauthenticated(login);
    } catch (error) {
      if (isFailure(error, "forbidden")) return errorResponse(403, error);
      throw error;
    }
  };
}

/** The realm tells commands and people where to sign in. */
function unauthenticated(login: LoginConfig | undefined): HttpResponse {
  const header = "as `Authorization: Bearer TOKEN`";
  const remedy =
    login === undefined
      ? `Send a token of the controller's configuration ${header}.`
      : `Send a token of the controller's configuration, or one of a login at ${login.server}, ${header}.`;
  const message = "the token is missing or unknown";
  const scheme = login === undefined ? "Bearer" : `Bearer realm="${login.server}"`;
  const error = { code: "unauthenticated", message, remedy };
  return errorResponse(401, error, { "www-authenticate": scheme });
}

/** Returns the token of the configuration with a value. Compares in constant time. */
function configuredToken(sent: string, { config, env }: AuthenticationOptions): Caller | undefined {
  const hash = (value: string): Buffer => createHash("sha256").update(value).digest();
  const wanted = hash(sent);
  const matching = (config.listen?.tokens ?? []).filter((token) => {
    const value = secretOf(token, env);
    return value !== undefined && timingSafeEqual(hash(value), wanted);
  });
  return matching[0];
}

/** Returns undefined if the secret cannot be read any more: a token whose file is removed is revoked. */
function secretOf({ secret }: ApiToken, env: Env): string | undefined {
  try {
    return readSecret(secret, env).reveal();
  } catch (error) {
    if (isFailure(error, "unauthenticated")) return undefined;
    throw error;
  }
}
