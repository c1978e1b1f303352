// Validates the members of a session request against each other, without the store.
import type { generateSession } from "../../../api/embed.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** The input of a new session. */
export type SessionRequest = RequestOf<typeof generateSession>["body"];

const externalOnlyMembers = [
  "groups",
  "userAttributes",
  "groupDefinitions",
  "userAttributeDefinitions",
  "securityContext",
  "userProfile",
  "email",
  "isEphemeral",
  "roles",
  "tenantGroups",
  "tenantGroupDefinitions",
] as const satisfies readonly (keyof SessionRequest)[];

const definitionMembers = ["groupDefinitions", "userAttributeDefinitions"] as const;

const namedMembers = ["userAttributes", "tenantGroupDefinitions", ...definitionMembers] as const;

/** Throws `invalid` for a request that no account can accept. A `null` member counts as absent. */
export function checkSessionRequest(request: SessionRequest): void {
  checkIdentity(request);
  checkDefinitions(request);
  checkTenantGroups(request);
  for (const member of namedMembers) {
    const twice = firstDuplicate((request[member] ?? []).map(({ name }) => name));
    if (twice === undefined) continue;
    throw new Failure(
      "invalid",
      `${member} contains ${JSON.stringify(twice)} more than once; send each name once`,
    );
  }
}

/** Returns true if the request contains group or attribute definitions, even an empty list. */
export function hasDefinitions(request: SessionRequest): boolean {
  return definitionMembers.some((member) => request[member] != null);
}

function checkIdentity(request: SessionRequest): void {
  const { externalId, internalId } = request;
  if (externalId != null) checkExternalId(externalId);
  if (internalId == null) return;
  const given = externalOnlyMembers.filter((member) => request[member] != null);
  if (given.length > 0) {
    throw new Failure(
      "invalid",
      `not allowed together with internalId: ${given.join(", ")}; an internal user has its own permissions`,
    );
  }
}

function checkDefinitions(request: SessionRequest): void {
  if (!hasDefinitions(request)) return;
  const given = definitionMembers.filter((member) => request[member] != null).join(" and ");
  if (request.creatorMode !== true) {
    throw new Failure("invalid", `${given}: creatorMode must be true`);
  }
  if (request.embedTenantName == null) {
    throw new Failure("invalid", `${given}: embedTenantName must be given`);
  }
}

/** In creator mode, `groups` and `groupDefinitions` already are those of the embed tenant. */
function checkTenantGroups(request: SessionRequest): void {
  const pairs = [
    ["groups", "tenantGroups"],
    ["groupDefinitions", "tenantGroupDefinitions"],
  ] as const;
  for (const [own, tenant] of pairs) {
    if (request.creatorMode !== true || request[own] == null || request[tenant] == null) continue;
    const what = `in creator mode, ${own} and ${tenant} are the same; send only one of them`;
    throw new Failure("invalid", what);
  }
  if (request.tenantGroupDefinitions != null && request.embedTenantName == null) {
    throw new Failure("invalid", "tenantGroupDefinitions: embedTenantName must be given");
  }
}

function firstDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}
