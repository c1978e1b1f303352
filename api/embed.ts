// Area embed: minting sessions for signed embedding, exchanging and revoking them.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import {
  AttributeValue,
  strictObject,
  DefaultValue,
  Description,
  EmbedAttributeType,
  EmbedTenantName,
  ExternalId,
  GroupName,
  nullish,
  Name,
  DisplayName,
  LookupName,
  UserProfile,
} from "./schemas.ts";

const area = "embed";

/** 32 hexadecimal characters. */
const SessionId = Type.String({ pattern: "^[0-9a-f]{32}$" });

/** A group to be there in the embed tenant; its description is updated when supplied, and never cleared. */
export const GroupDefinition = strictObject({
  name: GroupName,
  description: nullish(Description),
});

/** An attribute to be there in the embed tenant; its type never changes. */
export const UserAttributeDefinition = strictObject({
  name: Name,
  type: EmbedAttributeType,
  displayName: nullish(DisplayName),
  defaultValue: nullish(DefaultValue),
  description: nullish(Description),
});

/** Per-session overrides of embed behaviour. */
export const SessionSettings = strictObject({ showDashboardChat: nullish(Type.Boolean()) });

/** What a session is asked for; the rules between members are the behaviour's, for their exact messages. */
export const GenerateSessionRequest = strictObject({
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
  securityContext: nullish(Type.Record(Type.String(), Type.Unknown())),
  settings: nullish(SessionSettings),
});

/** Mint a session for signed embedding. */
export const generateSession = defineOperation({
  id: "generateSession",
  area,
  method: "POST",
  path: "/api/v1/embed/generate-session",
  summary: "Mint a session for signed embedding",
  description: "Repeating an identical request yields the same end state, and another session.",
  source: "specification",
  effect: "write",
  repeatable: true,
  access: "admin",
  requiresApiKey: true,
  scope: { deployment: "body.deploymentId" },
  body: GenerateSessionRequest,
  answer: strictObject({ sessionId: SessionId }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Exchange a session identifier for an embed token. */
export const exchangeSession = defineOperation({
  id: "exchangeSession",
  area,
  method: "POST",
  path: "/api/v1/embed/session/token",
  summary: "Exchange a session identifier for an embed token",
  description: "No credential: the session id is one. It works once; a second time it is unknown.",
  source: "public",
  effect: "write",
  access: "anyone",
  scope: "open",
  body: strictObject({ sessionId: Type.String({ minLength: 1, maxLength: 255 }) }),
  answer: strictObject({ token: Type.String() }),
  errorCodes: ["unauthenticated", "forbidden"],
});

/** Revoke a session. */
export const revokeSession = defineOperation({
  id: "revokeSession",
  area,
  method: "POST",
  path: "/api/v1/embed/session/revoke",
  summary: "Revoke a session",
  description: "Succeeds always, whether or not there is such a session.",
  source: "public",
  effect: "write",
  repeatable: true,
  access: "admin",
  scope: "account",
  body: strictObject({ sessionId: SessionId }),
});
