// Converts API keys between specs and requests: specs name owners by email and deployments by name, the API uses IDs.
import type { listApiKeys } from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { listUsers } from "../api/users.ts";
import type { ObjectWrite, Prerequisite, Reader } from "../core/kind/kind.ts";
import { allowsLess, type ChangedField } from "../core/kind/run-credential.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { Spec } from "./api-key.schema.ts";
import { changedFields, definedMembers, deploymentIdOf, deploymentIds, idNamed } from "./codec.ts";
import { emailById, type UserIds, userIds } from "./user-ids.ts";

/** IDs of deployments by name, and of users by email. */
type Ids = ReadonlyMap<string, number>;

/** The prerequisites of a create. */
export const idLookups: Prerequisite<{ deployments: Ids; users: UserIds }> = {
  operation: getDeployments,
  dependsOn: ["owner", "deployments"],
  read: async (reader, { owner }) => ({
    deployments: await deploymentIds.read(reader),
    users: owner === undefined ? new Map() : await userIds.read(reader),
  }),
  missingMessage: deploymentIds.missingMessage,
};

/** The owner of a credential of the API, and the limits on the owner's permissions. */
interface CredentialScope {
  readonly ownerUserId?: number;
  readonly deploymentIds?: readonly number[] | null;
  readonly permissions?: Spec["permissions"] | null;
  readonly states?: Spec["states"] | null;
  readonly isDisabled?: boolean;
}

/** The fields of specs that limit a credential. */
type SpecScope = Pick<Spec, "deployments" | "permissions" | "states" | "isDisabled">;

/** Returns whether the change of a field takes rights from a credential. */
export function takesRights({ field, ...values }: ChangedField): boolean {
  if (field === "isDisabled") return values.after === true;
  return ["deployments", "permissions", "states"].includes(field) && allowsLess(values);
}

/** Returns the members of a request that limit a new credential and name its owner. */
export function scopeInput(
  { owner, deployments, permissions, states, isDisabled }: SpecScope & Pick<Spec, "owner">,
  { users, deployments: known }: { readonly deployments: Ids; readonly users: UserIds },
) {
  return {
    ...definedMembers({ permissions, states, isDisabled }),
    ...(owner !== undefined && { ownerUserId: idNamed(users, "user", owner) }),
    deploymentIds: deployments?.map((one) => deploymentIdOf(known, one)) ?? null,
  };
}

/** Returns the members of a request for the limits that change. */
export function changedScope(subject: ObjectWrite<SpecScope>, known: Ids) {
  const { deployments, ...limits } = {
    ...changedFields(subject, ["deployments", "permissions", "states"]),
    ...definedMembers(changedFields(subject, ["isDisabled"])),
  };
  if (deployments === undefined) return limits;
  const ids = deployments?.map((one) => deploymentIdOf(known, one)) ?? null;
  return { ...limits, deploymentIds: ids };
}

/** Returns a function that converts the scope of a credential. Looks up owners and deployments only if `interest` contains them. */
export async function observedScope(reader: Reader, interest: ReadonlySet<string>) {
  const emails = interest.has("owner") ? emailById(await reader.all(listUsers, {})) : undefined;
  const names = interest.has("deployments")
    ? inverted(await deploymentIds.read(reader))
    : undefined;
  return ({ ownerUserId, deploymentIds: ids, permissions, states, isDisabled }: CredentialScope) =>
    definedMembers({
      owner: ownerUserId === undefined ? undefined : emails?.get(ownerUserId),
      deployments: names && ids?.map((id) => names.get(id) ?? `#${id}`),
      permissions,
      states,
      isDisabled,
    });
}

/** Returns a function that converts a key of the API. */
export async function observedApiKey(reader: Reader, interest: ReadonlySet<string>) {
  const scopeOf = await observedScope(reader, interest);
  return (key: AnswerOf<typeof listApiKeys>) => ({
    id: String(key.id),
    spec: { name: key.name, ...scopeOf(key) },
    status: definedMembers({ id: key.id, prefix: key.prefix, createdAt: key.createdAt }),
  });
}

function inverted(byName: ReadonlyMap<string, number>): ReadonlyMap<number, string> {
  return new Map([...byName].map(([name, id]) => [id, name]));
}
