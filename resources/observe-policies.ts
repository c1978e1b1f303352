// Reads the policies of the objects that specs name: of one object, or of many in a deployment with one list.
import type { TSchema } from "typebox";
import { getResourcePolicies, listResourcePolicies } from "../api/resource-policies.ts";
import type { JsonObject } from "../core/json.ts";
import type { Observe, Reader } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { policyActions } from "../core/operation/permission-actions.ts";
import type { Subject } from "./access-subjects.ts";
import { textOf } from "./field-text.ts";
import { type EachList, observeEach, type Place } from "./observe-each.ts";
import { objectsNamed, type PolicyObject } from "./policy-objects.ts";

/** Objects that policies are set on, and the fields that name one. */
export interface NamedPolicyObject extends PolicyObject {
  /** The fields that name the object. */
  readonly fields: Readonly<Record<string, TSchema>>;
  /** The object's ID in the status. The other ID identifies its deployment. */
  readonly idField: string;
}

/** Returns the name of the object in a spec: the value of the last field that names it. */
export function nameIn({ fields }: NamedPolicyObject, spec: JsonObject): string {
  return textOf(spec[Object.keys(fields).at(-1) ?? ""]);
}

/** Returns the IDs of the objects that a spec names. Several can have one name: a policy on a managed one is known by ID. */
export async function placesOf(
  object: NamedPolicyObject,
  reader: Reader,
  spec: JsonObject,
): Promise<readonly Place[]> {
  const found = await object.list(reader, textOf(spec["deployment"]));
  if (found === undefined) return [];
  return objectsNamed(found, nameIn(object, spec)).map(({ id, parents }) => ({
    deploymentId: found.deploymentId,
    ...parents,
    [object.idField]: id,
  }));
}

/** Declares how the policies of one type of subject are observed. */
export function observePolicies(
  object: NamedPolicyObject,
  subject: Pick<Subject, "needs" | "read">,
): Observe {
  const { type: resourceType } = object;
  const hasActions = policyActions(resourceType).length > 1;
  const idIn = (place: Place) => Number(place[object.idField]);
  return observeEach<Place, OwnPolicies, ListedPolicies, JsonObject>(
    {
      needs: [...object.needs, ...subject.needs, getResourcePolicies],
      placesOf: async (reader, scope) => placesOf(object, reader, scope),
      one: async (reader, place) => {
        const query = { resourceType, resourceId: idIn(place) };
        return reader.one(getResourcePolicies, { query });
      },
      observed: async (reader, policies, { scope, place }) =>
        (await subject.read(reader, policies)).map((policy) => ({
          id: [idIn(place), ...Object.values(policy.ids)].join("/"),
          spec: { ...scope, ...policy.fields, ...(hasActions && { action: policy.action }) },
          status: { ...place, ...policy.ids },
        })),
    },
    listOf(resourceType, idIn),
  );
}

type OwnPolicies = Parameters<Subject["read"]>[1];
type ListedPolicies = AnswerOf<typeof listResourcePolicies>;

/** Returns the list of the policies on all objects of a type. Deployments are few, and no list has their policies. */
function listOf(
  resourceType: PolicyObject["type"],
  idIn: (place: Place) => number,
): EachList<Place, ListedPolicies> | undefined {
  if (resourceType === "Deployment") return undefined;
  return {
    read: async (reader, deploymentId, pages) => {
      const input = { params: { deploymentId }, query: { resourceType } };
      return reader.allWithin(pages, listResourcePolicies, input);
    },
    idOf: ({ resourceId }) => resourceId,
    idIn,
  };
}
