// Conversions between specs and requests that several kinds share.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { EmbedTenantName } from "../api/schemas.ts";
import { listUserGroups } from "../api/user-groups.ts";
import { Failure, invariant } from "../core/errors.ts";
import type { Prerequisite, Reader, ObjectWrite } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { memoizePerObject } from "../core/memoize.ts";
import { provisioner } from "../core/text/provisioner.ts";
import { lowercasePattern } from "../core/text/text-patterns.ts";
import { field } from "../core/schema/traits.ts";

/** The field for the embed tenant that an object belongs to. */
export const embedTenantField = field(EmbedTenantName, {
  doc: "Embed tenant that the object belongs to.",
  refersTo: "EmbedTenant",
  onChange: "replace",
});

/** The field for the deployment that an object belongs to. */
export const deploymentField = field(Type.String({ minLength: 1, maxLength: 255 }), {
  doc: "Deployment that the object belongs to.",
  refersTo: "Deployment",
  onChange: "replace",
});

/** The field for the user of the account that an object belongs to. */
export const userField = field(
  Type.String({ minLength: 1, maxLength: 254, pattern: lowercasePattern }),
  {
    doc: "Email of the user, in lowercase. The user must exist.",
    refersTo: "User",
    cascadeDelete: true,
    onChange: "replace",
  },
);

/** Returns the live object's numeric ID. */
export function idOf(subject: ObjectWrite<unknown>): number {
  const id = Number(subject.live?.id);
  invariant(Number.isSafeInteger(id), "an update or delete without the live object's ID");
  return id;
}

/** Returns the values of `fields` that change; `null` for a cleared field. */
export function changedFields<Spec extends object, Field extends keyof Spec & string>(
  subject: ObjectWrite<Spec>,
  fields: readonly Field[],
): { [F in Field]?: NonNullable<Spec[F]> | null } {
  const changed: { [F in Field]?: NonNullable<Spec[F]> | null } = {};
  for (const name of fields)
    if (subject.changed.has(name)) changed[name] = subject.spec[name] ?? null;
  return changed;
}

/** Returns the members that are neither `null` nor undefined. */
export function definedMembers<T extends object>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as never;
}

/** The ID of any deployment. Creating a session requires one. */
export const firstDeployment: Prerequisite<number> = {
  operation: getDeployments,
  read: async (reader) => (await reader.all(getDeployments, {}))[0]?.id,
  missingMessage:
    "creating a session for an embed tenant requires a deployment; create a deployment first",
};

/**
 * Returns the IDs of listed objects by name. A reader returns the same array for the same list, so that observing many parents
 * builds each map once.
 */
export const idsByName = memoizePerObject(
  (items: readonly { readonly name: string; readonly id: number }[]): ReadonlyMap<string, number> =>
    new Map(items.map(({ name, id }) => [name, id])),
);

/** The deployments' IDs by name. */
export const deploymentIds = {
  operation: getDeployments,
  read: async (reader: Reader) => idsByName(await reader.all(getDeployments, {})),
  missingMessage: "the deployments cannot be listed",
} satisfies Prerequisite<ReadonlyMap<string, number>>;

/** Returns the ID of a deployment. Fails with `not_found` if no deployment has the name. */
export function deploymentIdOf(ids: ReadonlyMap<string, number>, name: string): number {
  return idNamed(ids, "deployment", name);
}

/** The IDs of account-wide groups by name. */
export const groupIds = {
  operation: listUserGroups,
  read: async (reader: Reader) => idsByName(await reader.all(listUserGroups, {})),
  missingMessage: "the groups cannot be listed",
} satisfies Prerequisite<ReadonlyMap<string, number>>;

/** Returns the ID of an object by name. Fails with `not_found` if there is none. `what` is a noun. */
export function idNamed(
  ids: Pick<ReadonlyMap<string, number>, "get">,
  what: string,
  name: string,
): number {
  const id = ids.get(name);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no ${what} named ${JSON.stringify(name)}`);
}

/** Returns the failure of a reference by a name that several objects have. `what` is a plural noun. */
export function severalNamed(
  what: string,
  name: string,
  found: readonly { readonly id: number }[],
): Failure {
  const ids = found.map(({ id }) => id).join(", ");
  return new Failure("conflict", `${found.length} ${what} have the name ${name}: IDs ${ids}`, {
    remedy: "Rename or delete all but one of them on the server.",
  });
}

/** Returns the members common to all sessions that write a tenant's definitions. */
export function definitionSession(embedTenantName: string, deploymentId: number) {
  return { deploymentId, embedTenantName, externalId: provisioner, creatorMode: true };
}

/**
 * Batches definitions: one session per tenant, up to the API's limit. A session costs as much as several creates, and upserts. A
 * new definition has no description unless the request sets one.
 */
export const batchByTenant = {
  groupBy: ["embedTenant"],
  max: limits.definitions,
  cost: 10,
  prerequisite: firstDeployment,
  upserts: ["description"],
};
