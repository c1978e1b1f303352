// Tokens of SCIM integrations: random secrets that are stored as hashes. They have no user.
import { randomBytes } from "node:crypto";
import type { PermissionAction } from "../../core/operation/permission-actions.ts";
import { Secret } from "../../core/secret.ts";
import { toTimestamp } from "../store/codec.ts";
import { keptQuery } from "../store/prepared-query.ts";
import type { Db, Row } from "../store/schema.ts";
import { secretHash } from "./secret-hash.ts";

/** The actions of a token, a subset of the actions of administrators. */
const actions: readonly PermissionAction[] = ["ScimManage"];

/** The integration of a token. */
export type ScimIntegration = Pick<
  Row<"scim_integrations">,
  "id" | "name" | "default_roles" | "last_request_at"
>;

/** Number of characters of a token that identify it in lists. */
const shownPrefixLength = 9;

/** Generates a token: 32 random bytes with a recognizable prefix. */
export function generateScimToken(): Secret {
  return new Secret(`scim-${randomBytes(32).toString("base64url")}`);
}

/** Returns the columns that a token is stored in. */
export function scimTokenColumns(token: Secret) {
  const text = token.reveal();
  return { token_prefix: text.slice(0, shownPrefixLength), token_hash: secretHash(text) };
}

/** Returns whether a credential has the form of a token of an integration. */
export function isScimToken(credential: string): boolean {
  return /^scim-[\w-]{43}$/.test(credential);
}

function selectIntegrations(db: Db) {
  return db
    .selectFrom("scim_integrations")
    .select(["id", "name", "is_enabled", "default_roles", "last_request_at"])
    .select("previous_token_expires_at");
}

const byToken = keptQuery((db: Db, value: { hash: string }) =>
  selectIntegrations(db).where("token_hash", "=", value.hash),
);

const byPreviousToken = keptQuery((db: Db, value: { hash: string }) =>
  selectIntegrations(db).where("previous_token_hash", "=", value.hash),
);

/** Returns the principal of a token; undefined if it is unknown or its integration meanwhile has another token. */
export async function identifyByScimToken(db: Db, credential: string, now: Date) {
  const hash = secretHash(credential);
  const [current] = await byToken(db, { hash });
  const [previous] = current ? [] : await byPreviousToken(db, { hash });
  const found = current ?? previous;
  if (!found) return undefined;
  const expiresAt = previous?.previous_token_expires_at;
  if (expiresAt != null && expiresAt <= toTimestamp(now)) return undefined;
  const { id, name, default_roles, last_request_at } = found;
  return {
    credentialType: "scim-token" as const,
    credentialId: `scim:${id}`,
    userId: 0,
    deactivations: 0,
    ...(expiresAt != null && { expiresAt }),
    isAdmin: true,
    grants: [],
    limits: { actions },
    actor: { username: null, email: null, keyName: name },
    blockedReason:
      found.is_enabled === 1
        ? undefined
        : `the SCIM integration ${JSON.stringify(name)} is disabled; enable it, or use another one`,
    scimIntegration: { id, name, default_roles, last_request_at },
  };
}
