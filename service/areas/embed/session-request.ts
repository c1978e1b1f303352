// Validates the members of a session request against each other, without the store.
import type { generateSession } from "../../../api/embed.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** The input of a new session. */
export type SessionRequest = RequestOf<typeof generateSession>["body"];

const namedMembers = [
  "userAttributes",
  "tenantGroupDefinitions",
  "groupDefinitions",
  "userAttributeDefinitions",
] as const;

/** Throws `invalid` for a request that no account can accept. Its schema contains the rules between members. */
export function checkSessionRequest(request: SessionRequest): void {
  if (request.externalId != null) checkExternalId(request.externalId);
  for (const member of namedMembers) {
    const twice = firstDuplicate((request[member] ?? []).map(({ name }) => name));
    if (twice === undefined) continue;
    throw new Failure(
      "invalid",
      `${member} contains ${JSON.stringify(twice)} more than once; send each name once`,
    );
  }
}

function firstDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}
