// Authenticates the credential of a request and checks what its principal may do: 401 before 403, both before the handler.
import type { RequestParts } from "../../core/operation/authorize.ts";
import { Failure } from "../../core/errors.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { authorizeOperation } from "../security/authorize-call.ts";
import { identify, anonymousPrincipal, type Principal } from "../security/principal.ts";
import { refuse } from "../security/require-permission.ts";
import type { Db } from "../store/schema.ts";
import type { Tokens } from "../security/tokens.ts";

const credentialPattern = /^(?:Bearer|Api-Key) +([\x21-\x7e]+) *$/i;

/**
 * Returns the principal of the `Authorization` header. Throws `unauthenticated` if the header is missing or malformed,
 * or the credential is unknown or expired.
 */
export async function authenticate(
  operation: Operation,
  authorization: string | undefined,
  context: { db: Db; tokens: Tokens; now: () => Date },
): Promise<Principal> {
  if (operation.permission === "public") return anonymousPrincipal;
  if (authorization === undefined) {
    throw new Failure(
      "unauthenticated",
      "no credential; send `Authorization: Bearer <key>` or `Authorization: Api-Key <key>`",
    );
  }
  const credential =
    credentialPattern.exec(authorization)?.[1] ??
    (operation.basicAuth === true ? basicPassword(authorization) : undefined);
  if (credential === undefined) {
    throw new Failure(
      "unauthenticated",
      "the Authorization header is malformed; it must be `Bearer <key>` or `Api-Key <key>`",
    );
  }
  const principal = await identify(context.db, context, credential);
  if (principal) return principal;
  throw new Failure(
    "unauthenticated",
    "the credential is unknown or expired; use another one or create a new one",
  );
}

/** Returns the password of HTTP Basic; undefined for another scheme, or if the password cannot be a key. */
function basicPassword(authorization: string): string | undefined {
  const packed = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const text = packed && Buffer.from(packed, "base64").toString("latin1");
  return text === undefined ? undefined : /^[^:]*:([\x21-\x7e]+)$/.exec(text)?.[1];
}

/**
 * Throws `forbidden` if the principal may not call the operation on the objects that the request names. If the request
 * does not name an object, the check assumes one that the principal may use.
 */
export async function checkPermission(
  { db, principal }: { db: Db; principal: Principal },
  operation: Operation,
  request: RequestParts,
): Promise<void> {
  if (principal.blockedReason !== undefined)
    throw new Failure("forbidden", principal.blockedReason);
  if (operation.requiresApiKey === true && principal.credentialType === "embed-token") {
    throw new Failure("forbidden", "an embed token cannot call this operation; use an API key");
  }
  refuse(await authorizeOperation({ db, principal }, operation, request));
}
