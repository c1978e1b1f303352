// API keys between wish and wire: owners by their emails and deployments by their names, where the API has ids.
import type { listApiKeys } from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import type { Given, Reader } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { deploymentIds, present } from "./codec.ts";

/** Ids of deployments and of users, by what specs call them. */
export const ids: Given<{
  deployments: ReadonlyMap<string, number>;
  users: ReadonlyMap<string, number>;
}> = {
  operation: getDeployments,
  by: ["owner", "deployments"],
  read: async (reader, { owner }) => ({
    deployments: await deploymentIds.read(reader),
    users: owner === undefined ? new Map() : await userIds(reader),
  }),
  missing: deploymentIds.missing,
};

/** Shows keys, with the names of those that they only hold ids of where anyone asks about them. */
export async function seeing(reader: Reader, interest: ReadonlySet<string>) {
  const emails = interest.has("owner") ? flipped(await userIds(reader)) : undefined;
  const names = interest.has("deployments") ? flipped(await deploymentIds.read(reader)) : undefined;
  return (key: AnswerOf<typeof listApiKeys>) => ({
    id: String(key.id),
    spec: present({
      name: key.name,
      owner: emails?.get(key.ownerUserId),
      deployments: names && key.deploymentIds?.map((id) => names.get(id) ?? `#${id}`),
    }),
    status: present({ id: key.id, prefix: key.prefix, createdAt: key.createdAt }),
  });
}

/** The users' ids by email in lower case. */
async function userIds(reader: Reader): Promise<ReadonlyMap<string, number>> {
  return new Map(
    (await reader.all(listUsers, {})).map(({ email, id }) => [email.toLowerCase(), id]),
  );
}

/** The id of a user; fails with `not_found` where nobody has the email. */
export function userIdOf(users: ReadonlyMap<string, number>, email: string): number {
  const id = users.get(email);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no user with the email ${JSON.stringify(email)}`);
}

function flipped(byName: ReadonlyMap<string, number>): ReadonlyMap<number, string> {
  return new Map([...byName].map(([name, id]) => [id, name]));
}
