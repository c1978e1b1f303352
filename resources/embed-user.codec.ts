// Converts external users from specs to requests, and reads their groups and the results of bulk responses.
import {
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  type listEmbedUsers,
  type provisionEmbedUsers,
} from "../api/embed-tenants.ts";
import { appendTo } from "../core/append-to.ts";
import type { ObjectWrite, Reader } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { WriteOutcome } from "../core/operation/write-outcome.ts";
import { itemFailure } from "./bulk-create.codec.ts";
import { definedMembers } from "./codec.ts";
import type { Spec } from "./embed-user.schema.ts";

/** Returns the request that provisions a user. */
export function provisionedState({ spec }: ObjectWrite<Spec>) {
  const { embedTenant: _tenant, displayName, picture, userAttributes: _values, ...rest } = spec;
  return { ...rest, userProfile: definedMembers({ displayName, picture }) };
}

/** Returns the failure of each user of a bulk call, which succeeds as a whole. */
export function outcome(
  { failed }: AnswerOf<typeof provisionEmbedUsers>,
  subjects: readonly ObjectWrite<Spec>[],
): readonly WriteOutcome[] {
  const errors = new Map(failed.map(({ externalId, error }) => [externalId, error]));
  return subjects.map(({ spec: { externalId } }) => {
    const error = errors.get(externalId);
    return { failure: error && itemFailure(error) };
  });
}

/** Returns group names by user ID: from the users, or with one list per group if they lack them. The reader shares these lists. */
export async function groupMemberships(
  reader: Reader,
  tenant: string,
  users: readonly AnswerOf<typeof listEmbedUsers>[],
): Promise<ReadonlyMap<number, string[]>> {
  if (users.every(({ tenantGroups }) => tenantGroups !== undefined)) {
    return new Map(users.map(({ id, tenantGroups }) => [id, tenantGroups]));
  }
  const params = { embedTenantName: tenant };
  const byUser = new Map<number, string[]>();
  const readGroup = async ({ id, name }: { id: number; name: string }) => {
    const members = await reader.all(listEmbedTenantGroupUsers, { params: { ...params, id } });
    for (const user of members) appendTo(byUser, user.id, name);
  };
  const groups = await reader.all(listEmbedTenantGroups, { params });
  await Promise.all(groups.filter(({ userCount }) => userCount !== 0).map(readGroup));
  return byUser;
}
