// Binds the kinds of access to the operations on the policies of an object.
import { getResourcePolicies, type setGroupPolicy } from "../api/resource-policies.ts";
import type { JsonObject } from "../core/json.ts";
import type { BindingBuilder, Bindings, ObjectWrite, Reader } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import { policyActions } from "../core/operation/permission-actions.ts";
import type { ValueCheck } from "../core/kind/server-checks.ts";
import type { Subject } from "./access-subjects.ts";
import { severalNamed } from "./codec.ts";
import { nameIn, type NamedPolicyObject, observePolicies, placesOf } from "./observe-policies.ts";

/** The objects of access: those that policies are set on, and the fields that name one. */
export interface AccessObject extends NamedPolicyObject {
  /** The additional effect of a policy, as the end of a sentence. */
  readonly reach: string;
  /** The IDs of the objects that contain it in its deployment, in the status. */
  readonly parentIds?: readonly string[];
  /** Checks new access before the first write. */
  readonly check?: ValueCheck<Reader>;
}

/** Binds a kind of access to the operations on the policies of an object. */
export function accessBindings(
  bind: BindingBuilder<JsonObject>,
  object: AccessObject,
  { needs, operation, read, idsOf, status }: Subject,
): Bindings {
  const { type: resourceType, idField, fields } = object;
  const what = resourceType.toLowerCase();
  const [only, ...others] = policyActions(resourceType);
  const write = operation as Operation as typeof setGroupPolicy;
  const subjectIds = Object.keys(status);
  const policyOf = ({ live }: ObjectWrite) => ({
    resourceType,
    resourceId: Number(live?.status[idField]),
    ...Object.fromEntries(subjectIds.map((name) => [name, Number(live?.status[name])])),
  });
  const lookups = {
    operation: object.needs.at(-1) ?? getResourcePolicies,
    dependsOn: Object.keys(fields),
    read: async (reader: Reader, spec: JsonObject) => {
      const places = await placesOf(object, reader, spec);
      const ids = places.map((place) => ({ id: Number(place[idField]) }));
      if (ids.length > 1) throw severalNamed(`${what}s`, nameIn(object, spec), ids);
      const [place] = places;
      return place && { place, subjectOf: await idsOf(reader) };
    },
    missingMessage:
      resourceType === "Deployment"
        ? "the deployment does not exist"
        : `the deployment or the ${what} does not exist`,
  };
  return {
    observe: observePolicies(object, { needs, read }),
    create: [
      bind.perObject(
        write,
        ({ spec }, { place, subjectOf }) => ({
          body: {
            resourceType,
            resourceId: Number(place[idField]),
            ...subjectOf(spec),
            action: spec["action"] ?? only,
          } as never,
        }),
        { prerequisite: lookups },
      ),
    ],
    update:
      others.length === 0
        ? []
        : [
            bind.perObject(write, (subject) => ({
              body: { ...policyOf(subject), action: subject.spec["action"] } as never,
            })),
          ],
    delete: [bind.perObject(write, (subject) => ({ body: policyOf(subject) as never }))],
  };
}
