// `svc embed`: sessions of signed embedding, embed tenants with their contents, and embedded dashboards.
import {
  createDashboardComment,
  deleteDashboardComment,
  listDashboardComments,
  listMentionableUsers,
  resolveDashboardComment,
  updateDashboardComment,
} from "../../api/dashboard-comments.ts";
import {
  endEmbedSession,
  exchangeSession,
  generateSession,
  listEmbedSessions,
  revokeSession,
} from "../../api/embed.ts";
import {
  addEmbedTenantGroupUsers,
  createEmbedTenantGroup,
  createEmbedTenantGroups,
  createEmbedUsers,
  deleteEmbedTenant,
  deleteEmbedTenantGroup,
  deleteEmbedTenantUserAttribute,
  deleteEmbedUser,
  getEmbedTenantGroup,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedTenants,
  listEmbedTenantUserAttributes,
  listEmbedUsers,
  provisionEmbedUser,
  provisionEmbedUsers,
  removeEmbedTenantGroupUsers,
  updateEmbedTenantGroup,
} from "../../api/embed-tenants.ts";
import {
  getEmbedAccess,
  getEmbeddedDashboard,
  getLinkedDashboard,
  listEmbedAccess,
  listEmbedTenantWorkbooks,
  setEmbedAccess,
} from "../../api/embed-dashboards.ts";
import { setDashboardEmbedding } from "../../api/workbooks.ts";
import type { Operation } from "../../core/operation/operation.ts";
import {
  type Area,
  command,
  type ExtraValues,
  type Outcome,
  type RunContext,
} from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { isId } from "../shared/lookup/lookup.ts";
import { workbookLookup } from "./lookups.ts";

const group = {
  lookups: {
    id: {
      label: "group",
      list: listEmbedTenantGroups,
      listCommand: "embed groups list",
      names: ["name"],
    },
  },
};

const groupUsers = {
  ...group,
  flags: { members: false },
  extraArguments: [
    { syntax: "<users...>", doc: "external ID of each user; digits are the ID of an embed user" },
  ],
  complete: async ({ args: [given] }: ExtraValues) => ({
    body: {
      members: [given]
        .flat()
        .map((one) =>
          isId(String(one)) ? { embedUserId: Number(one) } : { externalId: String(one) },
        ),
    },
  }),
} as const;

const inDeployment = { deploymentId: deploymentLookup };
const ofWorkbook = {
  ...inDeployment,
  workbookId: workbookLookup,
};

/** Returns the run of a command that creates a tenant that does not exist. */
function createsTenant(operation: Operation): (context: RunContext) => Promise<Outcome> {
  return async (context) => {
    const { callReportingTenant } = await import("../operations/created-tenant.ts");
    return callReportingTenant(operation, context);
  };
}

/** Commands that create sessions of signed embedding, manage embed tenants, and let dashboards be embedded. */
export const embed: Area = {
  name: "embed",
  description:
    "Create sessions of signed embedding, manage embed tenants with their groups, users and attributes, and let dashboards be embedded.",
  groups: {
    sessions: "sessions of the users of embed tenants",
    tenants: "embed tenants and what they view",
    groups: "groups of an embed tenant",
    "groups users": "users in a group of an embed tenant",
    users: "users of an embed tenant",
    attributes: "attributes of an embed tenant",
    access: "which embed tenants view a workbook",
    dashboards: "published dashboards that allow embedding",
    comments: "comments of viewers on dashboards",
  },
  commands: [
    command("sessions create", generateSession, {
      arguments: ["deploymentId"],
      lookups: { deploymentId: deploymentLookup },
      run: createsTenant(generateSession),
    }),
    // The ID is a credential: it comes from --data.
    command("sessions exchange", exchangeSession, { flags: { sessionId: false } }),
    command("sessions revoke", revokeSession, { arguments: ["sessionId"] }),
    command("sessions list", listEmbedSessions, {
      description:
        "List the sessions that have neither expired nor been revoked, newest first. Session IDs are secrets and not listed; `svc embed sessions end` takes the numbers of this list.",
      lookups: inDeployment,
    }),
    command("sessions end", endEmbedSession, {
      description: "End a session of `svc embed sessions list`, and its token.",
      confirm: (_, { values: [id] }) => `End embed session ${String(id)} and its token`,
    }),
    command("tenants list", listEmbedTenants, {
      description:
        "List embed tenants, newest first. A tenant is created by its manifest, its first session, or its first user (`svc embed users provision`).",
    }),
    command("tenants delete", deleteEmbedTenant),
    command("groups list", listEmbedTenantGroups),
    command("groups get", getEmbedTenantGroup, group),
    command("groups create", createEmbedTenantGroup, { arguments: ["name"] }),
    command("groups bulk-create", createEmbedTenantGroups),
    command("groups update", updateEmbedTenantGroup, group),
    command("groups delete", deleteEmbedTenantGroup, group),
    command("groups users list", listEmbedTenantGroupUsers, group),
    command("groups users add", addEmbedTenantGroupUsers, groupUsers),
    command("groups users remove", removeEmbedTenantGroupUsers, groupUsers),
    command("users list", listEmbedUsers),
    command("users provision", provisionEmbedUser, {
      arguments: ["externalId"],
      run: createsTenant(provisionEmbedUser),
    }),
    command("users bulk-provision", provisionEmbedUsers, {
      run: createsTenant(provisionEmbedUsers),
    }),
    command("users bulk-create", createEmbedUsers),
    command("users delete", deleteEmbedUser, {
      lookups: {
        id: {
          label: "user",
          list: listEmbedUsers,
          listCommand: "embed users list",
          names: ["externalId", "username"],
        },
      },
    }),
    command("attributes list", listEmbedTenantUserAttributes),
    command("attributes delete", deleteEmbedTenantUserAttribute, {
      lookups: {
        id: {
          label: "attribute",
          list: listEmbedTenantUserAttributes,
          listCommand: "embed attributes list",
          names: ["name"],
        },
      },
    }),
    command("tenants workbooks", listEmbedTenantWorkbooks, {
      lookups: inDeployment,
      columns: { ID: "id", NAME: "name", SLUG: "slug" },
    }),
    command("access list", listEmbedAccess, {
      lookups: inDeployment,
      columns: {
        WORKBOOK: "workbookId",
        EMBEDDING: "allowEmbed",
        ALL: ({ allEmbedUsers }) => allEmbedUsers.enabled,
        TENANTS: ({ tenants }) => tenants.map(({ embedTenantName }) => embedTenantName).join(", "),
      },
    }),
    command("access get", getEmbedAccess, { lookups: ofWorkbook }),
    command("access set", setEmbedAccess, {
      lookups: ofWorkbook,
      flags: { allEmbedUsers: { value: true } },
    }),
    command("dashboards get", getEmbeddedDashboard),
    command("dashboards linked", getLinkedDashboard),
    command("comments list", listDashboardComments, {
      columns: {
        ID: "id",
        AUTHOR: ({ author }) => author?.name,
        TEXT: "body",
        REPLIES: ({ replies }) => replies.length,
        CREATED: "createdAt",
        RESOLVED: "resolvedAt",
      },
    }),
    command("comments create", createDashboardComment, { arguments: ["body"] }),
    command("comments update", updateDashboardComment),
    command("comments delete", deleteDashboardComment),
    command("comments resolve", resolveDashboardComment),
    command("comments mentionable-users", listMentionableUsers),
    command("dashboards enable", setDashboardEmbedding, {
      description: "Allow signed embedding of a published dashboard.",
      fixed: { allowEmbed: true },
    }),
    command("dashboards disable", setDashboardEmbedding, {
      description: "Refuse signed embedding of a published dashboard.",
      fixed: { allowEmbed: false },
    }),
  ],
};
