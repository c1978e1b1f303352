// Role: permissions that an administrator names, and assigns to users.
import type { Static } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { createRole, deleteRole, getRole, listRoles, type Role, updateRole } from "../api/roles.ts";
import { defineKind, defineObserve, type Reader } from "../core/kind.ts";
import { changedFields, definedMembers, deploymentIds, idOf } from "./codec.ts";
import { policyCheck, requestPolicies, specPolicies } from "./role.codec.ts";
import { type Spec, spec, status } from "./role.schema.ts";

/** The Role resource type. A change of its policies replaces all of them in one call. */
export const role = defineKind(
  {
    name: "Role",
    plural: "roles",
    doc: "Permissions under a name, for users of the account. Users get it with a RoleAssignment. Deleting it takes it from all users.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status,
    check: policyCheck,
    examples: [
      {
        title: "Editors of one deployment",
        name: "production-editors",
        spec: {
          name: "Production editors",
          description: "Edit the content of the production deployment.",
          policies: [
            {
              resourceType: "Deployment",
              actions: ["DeploymentRead", "WorkbookEdit", "ReportEdit"],
              deployments: ["production"],
            },
          ],
        },
        variations: {
          name: "Content editors",
          description: "Edit all content.",
          policies: [
            { resourceType: "Global", actions: ["AIBIDevelop"] },
            { resourceType: "Dashboard", actions: ["EmbedDashboardRead"], resources: ["1"] },
          ],
        },
      },
      {
        title: "Auditors",
        name: "auditors",
        spec: {
          name: "Auditors",
          policies: [{ resourceType: "Global", actions: ["AuditLogRead", "APMRead"] }],
        },
        variations: { policies: [] },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
      needs: [listRoles, getDeployments],
      read: async (reader) => {
        const toObserved = await observedRole(reader);
        return (await reader.all(listRoles, {})).map(toObserved);
      },
      byId: {
        needs: [getRole],
        read: async (reader, roleId) => {
          const item = await reader.one(getRole, { params: { roleId } });
          return item && (await observedRole(reader))(item);
        },
      },
    }),
    create: [
      bind.perObject(
        createRole,
        ({ spec: { name, description, policies } }, ids) => ({
          body: {
            name,
            ...definedMembers({ description }),
            policies: requestPolicies(policies, ids),
          },
        }),
        { prerequisite: deploymentIds },
      ),
    ],
    update: [
      bind.perObject(
        updateRole,
        (subject, ids) => ({
          params: { roleId: idOf(subject) },
          body: {
            ...(subject.changed.has("name") && { name: subject.spec.name }),
            ...changedFields(subject, ["description"]),
            ...(subject.changed.has("policies") && {
              policies: requestPolicies(subject.spec.policies, ids),
            }),
          },
        }),
        { prerequisite: deploymentIds },
      ),
    ],
    delete: [bind.perObject(deleteRole, (subject) => ({ params: { roleId: idOf(subject) } }))],
  }),
);

async function observedRole(reader: Reader) {
  const ids = await deploymentIds.read(reader);
  const names = new Map([...ids].map(([name, id]) => [String(id), name]));
  return ({ id, name, description, policies, userCount, createdAt }: Static<typeof Role>) => ({
    id: String(id),
    spec: definedMembers({ name, description, policies: specPolicies(policies, names) }),
    status: definedMembers({ id, userCount, createdAt }),
  });
}
