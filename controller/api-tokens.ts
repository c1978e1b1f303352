// The tokens of the API of a controller: who sends a request, and what that permits.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isFailure } from "../core/errors.ts";
import type { Role } from "./api-types.ts";
import { type ApiToken, type ControllerConfig, readSecret } from "./config.ts";
import { errorResponse, type HttpResponse } from "./http.ts";

/** The options of {@link authenticate}. */
export interface TokenOptions {
  readonly config: ControllerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, approver: 2 };

/** Returns the refusal of an action that needs a higher role; undefined if the token permits it. */
export function refuseRole(token: ApiToken, action: string, role: Role): HttpResponse | undefined {
  if (ranks[token.role] >= ranks[role]) return undefined;
  return errorResponse(403, {
    code: "forbidden",
    message: `the token ${token.name} is a ${token.role}; ${action} needs the role ${role}`,
    remedy: `Use a token with the role ${role}.`,
  });
}

export const unauthenticated = errorResponse(
  401,
  {
    code: "unauthenticated",
    message: "the token is missing or unknown",
    remedy: "Send a token of the controller's configuration as `Authorization: Bearer TOKEN`.",
  },
  { "www-authenticate": "Bearer" },
);

/** Returns the token of a request. Compares in constant time. */
export function authenticate(
  { headers }: IncomingMessage,
  { config, env }: TokenOptions,
): ApiToken | undefined {
  const [, sent = ""] = /^Bearer (\S+)$/iu.exec(headers.authorization ?? "") ?? [];
  if (sent === "") return undefined;
  const hash = (value: string): Buffer => createHash("sha256").update(value).digest();
  const wanted = hash(sent);
  const matching = (config.listen?.tokens ?? []).filter((token) => {
    const value = secretOf(token, env);
    return value !== undefined && timingSafeEqual(hash(value), wanted);
  });
  return matching[0];
}

/** Returns undefined if the secret cannot be read any more: a token whose file is removed is revoked. */
function secretOf({ secret }: ApiToken, env: TokenOptions["env"]): string | undefined {
  try {
    return readSecret(secret, env).reveal();
  } catch (error) {
    if (isFailure(error, "unauthenticated")) return undefined;
    throw error;
  }
}
