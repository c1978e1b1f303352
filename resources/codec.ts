// Small codecs between wishes and the wire that several kinds share.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { EmbedTenantName } from "../api/schemas.ts";
import { Failure, invariant } from "../core/errors.ts";
import type { Prerequisite, Reader, ObjectWrite } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";

/** The reserved external user, one per embed tenant, in whose name a tenant is made and its definitions are written. */
export const provisioner = "svc-provisioner";

/** One character that has no other in lower case, whatever its script, as a pattern. */
export const lowercase = "[^\\p{Changes_When_Lowercased}]";

const lowercaseVisible = "[^\\p{Changes_When_Lowercased}\\s]";

/** Text in lower case without white space at its ends, as a pattern. */
export const lowercaseTrimmed = `${lowercaseVisible}(${lowercase}*${lowercaseVisible})?`;

/** The field that says which embed tenant an object belongs to. */
export const embedTenantField = field(EmbedTenantName, {
  doc: "The tenant it belongs to.",
  refersTo: "EmbedTenant",
  onChange: "replace",
});

/** The field that says which deployment an object belongs to. */
export const deploymentField = field(Type.String({ minLength: 1, maxLength: 255 }), {
  doc: "The deployment that it belongs to.",
  refersTo: "Deployment",
  onChange: "replace",
});

/** The live object's numeric id. */
export function idOf(subject: ObjectWrite<unknown>): number {
  const id = Number(subject.live?.id);
  invariant(Number.isSafeInteger(id), "an update or delete without the live object's id");
  return id;
}

/** Those of `fields` that are to change, a cleared one as `null`. */
export function changedFields<Spec extends object, Field extends keyof Spec & string>(
  subject: ObjectWrite<Spec>,
  fields: readonly Field[],
): { [F in Field]?: NonNullable<Spec[F]> | null } {
  const changed: { [F in Field]?: NonNullable<Spec[F]> | null } = {};
  for (const name of fields)
    if (subject.changed.has(name)) changed[name] = subject.spec[name] ?? null;
  return changed;
}

/** The members that have a value: what an answer leaves out stays out. */
export function definedMembers<T extends object>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as never;
}

/** A deployment that a session can be minted for; any will do, the first is taken. */
export const firstDeployment: Prerequisite<number> = {
  operation: getDeployments,
  read: async (reader) => (await reader.all(getDeployments, {}))[0]?.id,
  missingMessage:
    "embed tenants are provisioned through a session, which needs a deployment: create one first",
};

/** The deployments' ids by name, which is how specs call them. */
export const deploymentIds = {
  operation: getDeployments,
  read: async (reader: Reader): Promise<ReadonlyMap<string, number>> =>
    new Map((await reader.all(getDeployments, {})).map(({ name, id }) => [name, id])),
  missingMessage: "the deployments cannot be listed",
} satisfies Prerequisite<ReadonlyMap<string, number>>;

/** The id of a deployment; fails with `not_found` where there is none of the name. */
export function deploymentIdOf(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no deployment named ${JSON.stringify(name)}`);
}

/** The part that every session has which writes a tenant's definitions. */
export function definitionSession(embedTenantName: string, deploymentId: number) {
  return { deploymentId, embedTenantName, externalId: provisioner, creatorMode: true };
}

/** How definitions are batched: one session a tenant, up to the API's bound. */
export const batchByTenant = {
  groupBy: ["embedTenant"],
  max: limits.definitions,
  prerequisite: firstDeployment,
};
