// Binds the kinds of access to the operations on the policies of an object.
import type { TSchema } from "typebox";
import { getResourcePolicies, type setGroupPolicy } from "../api/resource-policies.ts";
import type { JsonObject } from "../core/json.ts";
import {
  type BindingBuilder,
  type Bindings,
  defineObserve,
  type ObjectWrite,
  type Reader,
} from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import { policyActions } from "../core/permission-actions.ts";
import type { ValueCheck } from "../core/server-checks.ts";
import type { Subject } from "./access-subjects.ts";
import { severalNamed } from "./codec.ts";
import { textOf } from "./field-text.ts";
import { objectsNamed, type PolicyObject } from "./policy-objects.ts";

/** What access is to: objects that policies are set on, and the fields that name one. */
export interface AccessObject extends PolicyObject {
  /** What a policy permits in addition to the object itself, as the end of a sentence. */
  readonly reach: string;
  /** The fields that name the object. */
  readonly fields: Readonly<Record<string, TSchema>>;
  /** The object's ID in the status. The other ID identifies its deployment. */
  readonly idField: string;
  /** The IDs of what contains it in its deployment, in the status. */
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

/** Returns the name of the object in a spec: the value of the last field that names it. */
function nameIn({ fields }: AccessObject, spec: JsonObject): string {
  return textOf(spec[Object.keys(fields).at(-1) ?? ""]);
}

/** Returns the IDs of the objects that a spec names. Several can have one name: a policy on a managed one is known by ID. */
async function placesOf(
  object: AccessObject,
  reader: Reader,
  spec: JsonObject,
): Promise<readonly Readonly<Record<string, number>>[]> {
  const found = await object.list(reader, textOf(spec["deployment"]));
  if (found === undefined) return [];
  return objectsNamed(found, nameIn(object, spec)).map(({ id, parents }) => ({
    deploymentId: found.deploymentId,
    ...parents,
    [object.idField]: id,
  }));
}

function observePolicies(object: AccessObject, { needs, read }: Pick<Subject, "needs" | "read">) {
  const { type: resourceType, idField } = object;
  const hasActions = policyActions(resourceType).length > 1;
  return defineObserve<JsonObject>({
    cost: "perParent",
    needs: [...object.needs, ...needs, getResourcePolicies],
    read: async (reader, scope) => {
      const places = await placesOf(object, reader, scope);
      const found = places.map(async (place) => {
        const resourceId = Number(place[idField]);
        const query = { resourceType, resourceId };
        const policies = await reader.one(getResourcePolicies, { query });
        const own = policies === undefined ? [] : await read(reader, policies);
        return own.map((policy) => ({
          id: [resourceId, ...Object.values(policy.ids)].join("/"),
          spec: { ...scope, ...policy.fields, ...(hasActions && { action: policy.action }) },
          status: { ...place, ...policy.ids },
        }));
      });
      return (await Promise.all(found)).flat();
    },
  });
}
