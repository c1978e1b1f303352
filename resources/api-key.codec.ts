// Converts API keys between specs and requests: specs name owners by email and deployments by name, the API uses IDs.
import type { listApiKeys } from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import type { Prerequisite, Reader } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { deploymentIds, definedMembers } from "./codec.ts";

/** IDs of deployments by name and of users by email. */
export const idLookups: Prerequisite<{
  deployments: ReadonlyMap<string, number>;
  users: ReadonlyMap<string, number>;
}> = {
  operation: getDeployments,
  dependsOn: ["owner", "deployments"],
  read: async (reader, { owner }) => ({
    deployments: await deploymentIds.read(reader),
    users: owner === undefined ? new Map() : await userIds(reader),
  }),
  missingMessage: deploymentIds.missingMessage,
};

/** Returns a function that converts a key of the API. Looks up owners and deployments only if `interest` contains them. */
export async function observedApiKey(reader: Reader, interest: ReadonlySet<string>) {
  const emails = interest.has("owner") ? inverted(await userIds(reader)) : undefined;
  const names = interest.has("deployments")
    ? inverted(await deploymentIds.read(reader))
    : undefined;
  return (key: AnswerOf<typeof listApiKeys>) => ({
    id: String(key.id),
    spec: definedMembers({
      name: key.name,
      owner: emails?.get(key.ownerUserId),
      deployments: names && key.deploymentIds?.map((id) => names.get(id) ?? `#${id}`),
      permissions: key.permissions,
      states: key.states,
    }),
    status: definedMembers({ id: key.id, prefix: key.prefix, createdAt: key.createdAt }),
  });
}

/** Reads the users' IDs by lowercase email. */
async function userIds(reader: Reader): Promise<ReadonlyMap<string, number>> {
  return new Map(
    (await reader.all(listUsers, {})).map(({ email, id }) => [email.toLowerCase(), id]),
  );
}

/** Returns the ID of a user. Fails with `not_found` if no user has the email. */
export function userIdOf(users: ReadonlyMap<string, number>, email: string): number {
  const id = users.get(email);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no user with the email ${JSON.stringify(email)}`);
}

function inverted(byName: ReadonlyMap<string, number>): ReadonlyMap<number, string> {
  return new Map([...byName].map(([name, id]) => [id, name]));
}
