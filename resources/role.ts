// Role: permissions that an administrator names, and assigns to users.
import type { Static } from "typebox";
import { createRole, deleteRole, getRole, listRoles, type Role, updateRole } from "../api/roles.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { changedFields, definedMembers, idOf } from "./codec.ts";
import { policyLookups } from "./policy-lookups.ts";
import { policyObjects } from "./policy-objects.ts";
import { requestPolicies, specPoliciesOf } from "./role.codec.ts";
import { policyCheck } from "./role-policy-check.ts";
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
            {
              resourceType: "Folder",
              actions: ["FolderEdit"],
              deployment: "production",
              folders: ["sales-folder", "europe-folder"],
            },
            {
              resourceType: "Workbook",
              actions: ["WorkbookRead"],
              deployment: "production",
              workbooks: ["sales-overview"],
            },
            {
              resourceType: "Report",
              actions: ["ReportRead"],
              deployment: "production",
              reports: ["orders-by-status"],
            },
            {
              resourceType: "Dashboard",
              actions: ["EmbedDashboardRead"],
              deployment: "production",
              workbooks: ["sales-overview"],
            },
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
      items: listRoles,
      needs: [
        ...new Set([listRoles, ...Object.values(policyObjects).flatMap(({ needs }) => needs)]),
      ],
      read: async (reader) => {
        const roles = await reader.all(listRoles, {});
        const policiesOf = await specPoliciesOf(reader, roles);
        return roles.map((one) => toObserved(one, policiesOf));
      },
      byId: {
        needs: [getRole],
        read: async (reader, roleId) => {
          const item = await reader.one(getRole, { params: { roleId } });
          return item && toObserved(item, await specPoliciesOf(reader, [item]));
        },
      },
    }),
    create: [
      bind.perObject(
        createRole,
        ({ spec: { name, description, policies } }, lookups) => ({
          body: {
            name,
            ...definedMembers({ description }),
            policies: requestPolicies(policies, lookups),
          },
        }),
        { prerequisite: policyLookups, refusesExisting: true },
      ),
    ],
    update: [
      bind.perObject(
        updateRole,
        (subject, lookups) => ({
          params: { roleId: idOf(subject) },
          body: {
            ...(subject.changed.has("name") && { name: subject.spec.name }),
            ...changedFields(subject, ["description"]),
            ...(subject.changed.has("policies") && {
              policies: requestPolicies(subject.spec.policies, lookups),
            }),
          },
        }),
        { prerequisite: policyLookups },
      ),
    ],
    delete: [bind.perObject(deleteRole, (subject) => ({ params: { roleId: idOf(subject) } }))],
  }),
);

function toObserved(
  { id, name, description, policies, userCount, createdAt }: Static<typeof Role>,
  policiesOf: (policies: Static<typeof Role>["policies"]) => Spec["policies"],
) {
  return {
    id: String(id),
    spec: definedMembers({ name, description, policies: policiesOf(policies) }),
    status: definedMembers({ id, userCount, createdAt }),
  };
}
