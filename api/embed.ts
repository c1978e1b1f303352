// Operations on sessions of signed embedding: create, exchange for a token, revoke.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  anyDeployment,
  AttributeValue,
  strictObject,
  DefaultValue,
  Description,
  EmbedAttributeType,
  EmbedTenantName,
  ExternalId,
  Id,
  GroupName,
  nullish,
  Name,
  DisplayName,
  LookupName,
  UserProfile,
  Timestamp,
  TimeZone,
  signedToken,
} from "./schemas.ts";
import { Dashboard } from "./workbooks.ts";
import { recordedBecause } from "./recorded-because.ts";
import { exactlyOne, notBoth, requires } from "../core/schema/member-rules.ts";
import { localePattern, sessionIdPattern } from "../core/text/text-patterns.ts";
import { field, recordedOnly } from "../core/schema/traits.ts";

const area = "embed";
const sessionsPath = "/api/v1/embed/sessions";

/** 32 hexadecimal characters. */
const SessionId = Type.String({ pattern: sessionIdPattern });

/** A group to create or update in the embed tenant. A description is updated when given, and never cleared. */
export const GroupDefinition = strictObject({
  name: GroupName,
  description: nullish(Description),
});

/** An attribute to create or update in the embed tenant. Its type never changes. */
export const UserAttributeDefinition = strictObject({
  name: Name,
  type: EmbedAttributeType,
  displayName: nullish(DisplayName),
  defaultValue: nullish(DefaultValue),
  description: nullish(Description),
});

/** A BCP 47 language tag. */
const Locale = Type.String({ maxLength: 35, pattern: localePattern });

const creatorFlag = (doc: string) =>
  nullish(field(recordedOnly(Type.Boolean(), recordedBecause.creatorMode), { doc }));
const chatFlag = (doc: string) =>
  nullish(field(recordedOnly(Type.Boolean(), recordedBecause.chat), { doc }));

/** Settings that override the account's for one session. An omitted setting inherits the account's. */
export const SessionSettings = strictObject({
  allowAi: nullish(
    field(Type.Boolean(), {
      doc: "Whether the page offers AI features; `false` hides AI widgets.",
    }),
  ),
  allowChatWorkspaceAuthoring: chatFlag(
    "Whether the chat may create and change workbooks, dashboards and reports.",
  ),
  locale: nullish(Locale),
  showAiWidgets: nullish(
    field(Type.Boolean(), { doc: "Whether the page shows the AI widgets of dashboards." }),
  ),
  showDashboardChat: chatFlag("Whether embedded dashboards show the chat."),
  showDashboardSettings: creatorFlag(
    "Whether the editor of dashboards offers its settings: slug, time zone, grid and theme.",
  ),
  showGroupByCube: creatorFlag(
    "Whether creators may group the members of the data model by cube or by folder.",
  ),
  showMemberNames: creatorFlag(
    "Whether creators may see the names of members in place of their titles.",
  ),
  showWorkbookChat: chatFlag("Whether workbooks show the chat to creators."),
  showWorkbookShare: creatorFlag("Whether creators are offered to share what they create."),
  timezone: nullish(
    field(TimeZone, { doc: "IANA time zone of the page, and of exports that the session starts." }),
  ),
});

/** Members that are not allowed for an internal user. */
const externalOnlyMembers = [
  "groups",
  "userAttributes",
  "groupDefinitions",
  "userAttributeDefinitions",
  "securityContext",
  "userProfile",
  "email",
  "isEphemeral",
  "roles",
  "tenantGroups",
  "tenantGroupDefinitions",
] as const;

const ownPermissions = "an internal user has its own permissions";
const definedInTenant = ["groupDefinitions", "userAttributeDefinitions"] as const;

/** In creator mode, `groups` and `groupDefinitions` already name groups of the embed tenant. */
const sameInCreatorMode = [
  ["groups", "tenantGroups"],
  ["groupDefinitions", "tenantGroupDefinitions"],
] as const;

/** Request to create a session. */
export const GenerateSessionRequest = strictObject(
  {
    deploymentId: Type.Number(),
    externalId: nullish(ExternalId),
    internalId: nullish(LookupName),
    email: nullish(Type.String({ maxLength: 254, format: "email" })),
    userProfile: nullish(UserProfile),
    embedTenantName: nullish(EmbedTenantName),
    embedTenantProfile: nullish(strictObject({ displayName: nullish(DisplayName) })),
    creatorMode: nullish(Type.Boolean()),
    userAttributes: nullish(
      Type.Array(strictObject({ name: LookupName, value: Type.Optional(AttributeValue) }), {
        maxItems: limits.definitions,
      }),
    ),
    groups: nullish(Type.Array(LookupName, { maxItems: limits.definitions })),
    userAttributeDefinitions: nullish(
      Type.Array(UserAttributeDefinition, { maxItems: limits.definitions }),
    ),
    groupDefinitions: nullish(Type.Array(GroupDefinition, { maxItems: limits.definitions })),
    tenantGroups: nullish(Type.Array(LookupName, { maxItems: limits.definitions })),
    tenantGroupDefinitions: nullish(Type.Array(GroupDefinition, { maxItems: limits.definitions })),
    securityContext: nullish(Type.Record(Type.String(), Type.Unknown())),
    settings: nullish(SessionSettings),
    isEphemeral: nullish(Type.Boolean()),
    branchName: nullish(Type.String({ minLength: 1, maxLength: 255 })),
    roles: nullish(Type.Array(LookupName, { maxItems: limits.sessionRoles })),
    publicDashboardId: nullish(LookupName),
    embedTheme: nullish(LookupName),
  },
  {
    rules: [
      exactlyOne("externalId", "internalId"),
      ...externalOnlyMembers.map((name) => notBoth("internalId", name, ownPermissions)),
      ...definedInTenant.flatMap((name) => [
        requires(name, "creatorMode", "creatorMode: true"),
        requires(name, "embedTenantName"),
      ]),
      requires("tenantGroupDefinitions", "embedTenantName"),
      ...sameInCreatorMode.map(([own, tenant]) => ({
        notTogether: ["creatorMode", own, tenant] as const,
        message: `must not have both ${own} and ${tenant} in creator mode, where they are the same; send only one of them`,
      })),
    ],
  },
);

/** Create a session for signed embedding. */
export const generateSession = defineOperation({
  id: "generateSession",
  area,
  method: "POST",
  path: "/api/v1/embed/generate-session",
  summary: "Create a session for signed embedding",
  description:
    "Creates a session. Identifies the user by exactly one of `externalId` and `internalId`. An external user that does not exist is created, and so is the embed tenant of `embedTenantName`. The token of the session queries the data API of the deployment with its `securityContext`, in production or in the environment of `branchName`. Repeating the request creates another session and leaves everything else unchanged.",
  source: "specification",
  effect: "write",
  // The log would consist of what sessions give their users again and again.
  audited: { except: ["user-group-members", "user-attribute-values"] },
  permission: { action: "EmbedSessionsManage", scope: { deployment: "body.deploymentId" } },
  repeatable: true,
  requiresApiKey: true,
  body: GenerateSessionRequest,
  answer: strictObject({ sessionId: SessionId }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Exchange a session ID for an embed token. */
export const exchangeSession = defineOperation({
  id: "exchangeSession",
  area,
  method: "POST",
  path: "/api/v1/embed/session/token",
  summary: "Exchange a session ID for an embed token",
  description:
    "Needs no other credential than the session ID. A session ID can be exchanged once; it is unknown afterwards. With `dashboardPublicId`, it also returns that dashboard, if the token may see it.",
  source: "public",
  effect: "write",
  permission: "public",
  crossOrigin: true,
  body: strictObject({
    sessionId: Type.String({ minLength: 1, maxLength: 255 }),
    dashboardPublicId: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 255 }), {
        doc: "Public ID of the dashboard that the page of the session shows.",
      }),
    ),
  }),
  answer: strictObject({
    token: signedToken(),
    dashboard: Type.Optional(
      field(Dashboard, {
        doc: "The dashboard of `dashboardPublicId`; absent if the token may not see it.",
      }),
    ),
  }),
  errorCodes: ["unauthenticated", "forbidden"],
});

/** Revoke a session. */
export const revokeSession = defineOperation({
  id: "revokeSession",
  area,
  method: "POST",
  path: "/api/v1/embed/session/revoke",
  summary: "Revoke a session",
  description:
    "Revokes the session. Succeeds even when no such session exists. Returns 403 for a key that is not for its deployment.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedSessionsManage", scope: anyDeployment },
  repeatable: true,
  body: strictObject({ sessionId: SessionId }),
});

/** A session in responses: its user, without the values that it was created with. */
const EmbedSession = strictObject({
  id: Id,
  deploymentId: Id,
  userId: Id,
  username: Type.String(),
  externalId: Type.Optional(Type.String()),
  embedTenantName: Type.Optional(Type.String()),
  creatorMode: Type.Boolean(),
  createdAt: Timestamp,
  exchangedAt: Type.Optional(
    field(Timestamp, { doc: "When it was exchanged for a token; missing if it was not yet." }),
  ),
  expiresAt: field(Timestamp, { doc: "When the session ends, and its token with it." }),
});

/** List the sessions that have not ended. */
export const listEmbedSessions = defineOperation({
  id: "listEmbedSessions",
  area,
  method: "GET",
  path: sessionsPath,
  summary: "List sessions",
  description:
    "Returns the sessions that have neither expired nor been revoked, newest first. The session IDs with which pages get their tokens are secrets that are not stored: `id` only ends a session. The query can select a deployment, an embed tenant and a user.",
  source: "proposed",
  effect: "read",
  permission: { action: "EmbedSessionsManage", scope: anyDeployment },
  query: strictObject({
    deploymentId: Type.Optional(Id),
    embedTenantName: Type.Optional(LookupName),
    externalId: Type.Optional(ExternalId),
  }),
  answer: EmbedSession,
  list: "cursor",
});

/** End a session. */
export const endEmbedSession = defineOperation({
  id: "endEmbedSession",
  area,
  method: "DELETE",
  path: `${sessionsPath}/{id}`,
  summary: "End a session",
  description:
    "Ends the session with an `id` of `listEmbedSessions`, and its token, as `revokeSession` does for whoever knows the session ID. Returns 404 for a session that has ended.",
  source: "proposed",
  effect: "write",
  permission: { action: "EmbedSessionsManage", scope: anyDeployment },
  params: strictObject({ id: Id }),
  errorCodes: ["not_found"],
});
