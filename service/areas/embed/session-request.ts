// A session request by itself: what its members forbid each other, before the store is asked anything.
import type { generateSession } from "../../../api/embed.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** What a session is asked for. */
export type SessionRequest = RequestOf<typeof generateSession>["body"];

const externalOnlyMembers = [
  "groups",
  "userAttributes",
  "groupDefinitions",
  "userAttributeDefinitions",
  "securityContext",
  "userProfile",
  "email",
] as const satisfies readonly (keyof SessionRequest)[];

const definitionMembers = ["groupDefinitions", "userAttributeDefinitions"] as const;

const namedMembers = ["userAttributes", ...definitionMembers] as const;

/** Throws `invalid` for a request that can be right in no account. A `null` member is an absent one. */
export function checkSessionRequest(request: SessionRequest): void {
  checkIdentity(request);
  checkDefinitions(request);
  for (const member of namedMembers) {
    const twice = firstDuplicate((request[member] ?? []).map(({ name }) => name));
    if (twice === undefined) continue;
    throw new Failure("invalid", `${member} names ${JSON.stringify(twice)} more than once`);
  }
}

/** True when the request defines groups or attributes, even none. */
export function hasDefinitions(request: SessionRequest): boolean {
  return definitionMembers.some((member) => request[member] != null);
}

function checkIdentity(request: SessionRequest): void {
  const { externalId, internalId } = request;
  if ((externalId == null) === (internalId == null)) {
    throw new Failure("invalid", "exactly one of externalId and internalId has to be given");
  }
  if (externalId != null) checkExternalId(externalId);
  if (internalId == null) return;
  const given = externalOnlyMembers.filter((member) => request[member] != null);
  if (given.length > 0) {
    throw new Failure(
      "invalid",
      `with internalId these are not allowed: ${given.join(", ")}; the user's own permissions apply`,
    );
  }
}

function checkDefinitions(request: SessionRequest): void {
  if (!hasDefinitions(request)) return;
  const given = definitionMembers.filter((member) => request[member] != null).join(" and ");
  if (request.creatorMode !== true) {
    throw new Failure("invalid", `${given}: creatorMode has to be true`);
  }
  if (request.embedTenantName == null) {
    throw new Failure("invalid", `${given}: an embedTenantName has to be given`);
  }
}

function firstDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}
