// Conversions between specs and requests that several kinds share.
import { type Static, Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { codeOf } from "../api/problems.ts";
import { type bulkCreated, EmbedTenantName } from "../api/schemas.ts";
import { Failure, invariant } from "../core/errors.ts";
import type { Prerequisite, Reader, ObjectWrite } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";

/** The reserved external user, one per embed tenant, that creates the tenant and writes its definitions. */
export const provisioner = "svc-provisioner";

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

/** The deployments' IDs by name. */
export const deploymentIds = {
  operation: getDeployments,
  read: async (reader: Reader): Promise<ReadonlyMap<string, number>> =>
    new Map((await reader.all(getDeployments, {})).map(({ name, id }) => [name, id])),
  missingMessage: "the deployments cannot be listed",
} satisfies Prerequisite<ReadonlyMap<string, number>>;

/** Returns the ID of a deployment. Fails with `not_found` if no deployment has the name. */
export function deploymentIdOf(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no deployment named ${JSON.stringify(name)}`);
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

/** Batches bulk creates: those with equal `groupBy` fields share calls, up to the API's limit. */
export function bulkCreate(...groupBy: readonly string[]) {
  return { groupBy, max: limits.bulkCreates, outcome: bulkOutcome };
}

/** Returns the failure of each object of a bulk create, which succeeds as a whole. */
function bulkOutcome(
  { failed }: Static<ReturnType<typeof bulkCreated>>,
  subjects: readonly unknown[],
): (Failure | undefined)[] {
  const errors = new Map(failed.map(({ index, error }) => [index, error]));
  return subjects.map((_, index) => {
    const error = errors.get(index);
    return error && itemFailure(error);
  });
}

/** Returns the failure of one object of a call that succeeds as a whole. */
export function itemFailure({ status, message }: { status: number; message: string }): Failure {
  // A 429 for one object is the account's limit.
  return new Failure(status === 429 ? "limit_reached" : codeOf(status, undefined), message);
}
