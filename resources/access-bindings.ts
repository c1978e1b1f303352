// Binds the kinds of access to the operations on the policies of an object.
import type { TSchema } from "typebox";
import { getResourcePolicies, type setGroupPolicy } from "../api/resource-policies.ts";
import type { JsonObject } from "../core/json.ts";
import {
  type BindingBuilder,
  type Bindings,
  defineObserve,
  type ObjectWrite,
  type Prerequisite,
  type Reader,
  type ScopeKey,
} from "../core/kind.ts";
import type { Operation, RequestShape } from "../core/operation.ts";
import type { PermissionAction, PolicyType } from "../core/permission-actions.ts";
import type { Subject } from "./access-subjects.ts";

/** Objects of a type that policies are set on: the fields that name one, and how its ID is found. */
export interface PolicyObject {
  readonly type: PolicyType;
  /** What a policy permits beside the object itself, as the end of a sentence. */
  readonly reach: string;
  /** The fields that name the object. */
  readonly fields: Readonly<Record<string, TSchema>>;
  /** The object's ID in the status. The other ID is that of its deployment. */
  readonly idField: string;
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  readonly ids: Prerequisite<Readonly<Record<string, number | null>>>;
  /** Finds the objects that the scope names; for types whose names are not unique. Without it, `ids` finds the only one. */
  readonly named?: (
    reader: Reader,
    scope: ScopeKey,
  ) => Promise<readonly Readonly<Record<string, number>>[]>;
}

/** Binds a kind of access to the operations on the policies of an object. */
export function accessBindings(
  bind: BindingBuilder<JsonObject>,
  object: PolicyObject,
  { needs, operation, read, idsOf, status }: Subject,
): Bindings {
  const { type: resourceType, idField, ids } = object;
  const write = operation as Operation as typeof setGroupPolicy;
  const subjectIds = Object.keys(status);
  const policyOf = ({ live }: ObjectWrite) => ({
    resourceType,
    resourceId: Number(live?.status[idField]),
    ...Object.fromEntries(subjectIds.map((name) => [name, Number(live?.status[name])])),
  });
  const lookups = {
    ...ids,
    read: async (reader: Reader, spec: JsonObject) => {
      const place = await ids.read(reader, spec);
      return place && { place, subjectOf: await idsOf(reader) };
    },
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
            action: spec["action"] as PermissionAction,
          } as never,
        }),
        { prerequisite: lookups },
      ),
    ],
    update: [
      bind.perObject(write, (subject) => ({
        body: { ...policyOf(subject), action: subject.spec["action"] } as never,
      })),
    ],
    delete: [bind.perObject(write, (subject) => ({ body: policyOf(subject) as never }))],
  };
}

function observePolicies(
  { type: resourceType, idField, ids, named, ...object }: PolicyObject,
  { needs, read }: Pick<Subject, "needs" | "read">,
) {
  return defineObserve<JsonObject>({
    cost: "perParent",
    needs: [...object.needs, ...needs, getResourcePolicies],
    read: async (reader, scope) => {
      const only = named === undefined ? await ids.read(reader, scope) : undefined;
      const places = (await named?.(reader, scope)) ?? (only === undefined ? [] : [only]);
      const found = places.map(async (place) => {
        const resourceId = Number(place[idField]);
        const query = { resourceType, resourceId };
        const policies = await reader.one(getResourcePolicies, { query });
        const own = policies === undefined ? [] : await read(reader, policies);
        return own.map((policy) => ({
          id: [resourceId, ...Object.values(policy.ids)].join("/"),
          spec: { ...scope, ...policy.fields, action: policy.action },
          status: { ...place, ...policy.ids },
        }));
      });
      return (await Promise.all(found)).flat();
    },
  });
}
