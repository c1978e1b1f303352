// Area embed: minting sessions for signed embedding, exchanging and revoking them.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import {
  AttributeValue,
  closed,
  DefaultValue,
  Description,
  EmbedAttributeType,
  EmbedTenantName,
  ExternalId,
  GroupName,
  maybe,
  Name,
  ShownName,
  SoughtName,
  UserProfile,
} from "./schemas.ts";

const area = "embed";

/** 32 hexadecimal characters. */
const SessionId = Type.String({ pattern: "^[0-9a-f]{32}$" });

/** A group to be there in the embed tenant; its description is updated when supplied, and never cleared. */
export const GroupDefinition = closed({
  name: GroupName,
  description: maybe(Description),
});

/** An attribute to be there in the embed tenant; its type never changes. */
export const UserAttributeDefinition = closed({
  name: Name,
  type: EmbedAttributeType,
  displayName: maybe(ShownName),
  defaultValue: maybe(DefaultValue),
  description: maybe(Description),
});

/** Per-session overrides of embed behaviour. */
export const SessionSettings = closed({ showDashboardChat: maybe(Type.Boolean()) });

/** What a session is asked for; the rules between members are the behaviour's, for their exact messages. */
export const GenerateSessionRequest = closed({
  deploymentId: Type.Number(),
  externalId: maybe(ExternalId),
  internalId: maybe(SoughtName),
  email: maybe(Type.String({ maxLength: 254, format: "email" })),
  userProfile: maybe(UserProfile),
  embedTenantName: maybe(EmbedTenantName),
  embedTenantProfile: maybe(closed({ displayName: maybe(ShownName) })),
  creatorMode: maybe(Type.Boolean()),
  userAttributes: maybe(
    Type.Array(closed({ name: SoughtName, value: Type.Optional(AttributeValue) }), {
      maxItems: limits.definitions,
    }),
  ),
  groups: maybe(Type.Array(SoughtName, { maxItems: limits.definitions })),
  userAttributeDefinitions: maybe(
    Type.Array(UserAttributeDefinition, { maxItems: limits.definitions }),
  ),
  groupDefinitions: maybe(Type.Array(GroupDefinition, { maxItems: limits.definitions })),
  securityContext: maybe(Type.Record(Type.String(), Type.Unknown())),
  settings: maybe(SessionSettings),
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
  byApiKey: true,
  scope: { deployment: "body.deploymentId" },
  body: GenerateSessionRequest,
  answer: closed({ sessionId: SessionId }),
  fails: ["not_found", "limit_reached"],
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
  body: closed({ sessionId: Type.String({ minLength: 1, maxLength: 255 }) }),
  answer: closed({ token: Type.String() }),
  fails: ["unauthenticated", "forbidden"],
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
  body: closed({ sessionId: SessionId }),
});
