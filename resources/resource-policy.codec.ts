// What the kinds of group policies share: FolderAccess and the like, each one entry in the policies of an object.
import { getResourcePolicies, setGroupPolicy } from "../api/resource-policies.ts";
import { GroupName } from "../api/schemas.ts";
import { listUserGroups } from "../api/user-groups.ts";
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
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf, Operation, RequestShape } from "../core/operation.ts";
import {
  type PermissionAction,
  policyActions,
  type PolicyType,
} from "../core/permission-actions.ts";
import { field, oneOf } from "../core/traits.ts";
import { groupIds, idNamed } from "./codec.ts";

/** Returns the fields that all such kinds have, for policies on objects of the type. */
export function policyFields(type: PolicyType) {
  return {
    group: field(GroupName, {
      doc: "Account-wide group that gets the access.",
      refersTo: "UserGroup",
      cascadeDelete: true,
      onChange: "replace",
    }),
    action: field(oneOf(policyActions(type)), {
      doc: "What the members of the group may do. An action includes lesser ones; a group has one action on an object.",
    }),
  };
}

/** The object that a policy is on: how its ID is found by the fields of the scope, and its name in the status. */
interface PolicyObject<Id extends string> {
  readonly type: PolicyType;
  readonly idField: Id;
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  readonly ids: Prerequisite<Readonly<Record<Id, number | null>>>;
  /** Finds the objects that the scope names; for types whose names are not unique. Without it, `ids` finds the only one. */
  readonly named?: (
    reader: Reader,
    scope: ScopeKey,
  ) => Promise<readonly Readonly<Record<Id, number>>[]>;
}

interface GroupPolicy {
  readonly group: string;
  readonly action: PermissionAction;
}

/** Binds a kind of group policies to the operations on the policies of an object. */
export function policyBindings<Spec extends GroupPolicy, Id extends string>(
  bind: BindingBuilder<Spec>,
  { type: resourceType, idField, needs, ids, named }: PolicyObject<Id>,
): Bindings {
  const policyOf = ({ live }: ObjectWrite<Spec>) => ({
    resourceType,
    resourceId: Number(live?.status[idField]),
    groupId: Number(live?.status["groupId"]),
  });
  const lookups = {
    ...ids,
    read: async (reader: Reader, spec: JsonObject) => {
      const place = await ids.read(reader, spec);
      return place && { place, groups: await groupIds.read(reader) };
    },
  };
  return {
    observe: defineObserve<GroupPolicy>({
      cost: "perParent",
      needs: [...needs, listUserGroups, getResourcePolicies],
      read: async (reader, scope) => {
        const only = named === undefined ? await ids.read(reader, scope) : undefined;
        const places = (await named?.(reader, scope)) ?? (only === undefined ? [] : [only]);
        const policies = places.map(async (place) => {
          const resourceId = Number(place[idField]);
          const found = await groupPoliciesOf(reader, { resourceType, resourceId });
          return found.map(({ groupId, group, action }) => ({
            id: `${resourceId}/${groupId}`,
            spec: { ...scope, group, action },
            status: { ...place, groupId },
          }));
        });
        return (await Promise.all(policies)).flat();
      },
    }),
    create: [
      bind.perObject(
        setGroupPolicy,
        ({ spec: { group, action } }, { place, groups }) => ({
          body: {
            resourceType,
            resourceId: Number(place[idField]),
            groupId: idNamed(groups, "group", group),
            action,
          },
        }),
        { prerequisite: lookups },
      ),
    ],
    update: [
      bind.perObject(setGroupPolicy, (subject) => ({
        body: { ...policyOf(subject), action: subject.spec.action },
      })),
    ],
    delete: [bind.perObject(setGroupPolicy, (subject) => ({ body: policyOf(subject) }))],
  };
}

const groupNames = memoizePerObject(
  (groups: readonly AnswerOf<typeof listUserGroups>[]): ReadonlyMap<number, string> =>
    new Map(groups.map(({ id, name }) => [id, name])),
);

/** Returns the policies of account-wide groups on an object. Those of embed tenants can have the same names. */
async function groupPoliciesOf(
  reader: Reader,
  query: { readonly resourceType: PolicyType; readonly resourceId: number },
) {
  const policies = await reader.one(getResourcePolicies, { query });
  const names = groupNames(await reader.all(listUserGroups, {}));
  return (policies?.groupPolicies ?? []).flatMap(({ groupId, action }) => {
    const group = names.get(groupId);
    return group === undefined ? [] : [{ groupId, group, action }];
  });
}
