// Schemas shared by several areas of the API.
import { Type, type TSchema } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { type MemberRule, memberRulesKeyword } from "../core/schema/member-rules.ts";
import {
  embedTenantNamePattern,
  externalIdPattern,
  httpUrlPattern,
  timeZonePattern,
  trimmedPattern,
  unreservedNamePattern,
} from "../core/text/text-patterns.ts";
import {
  documentedRule,
  field,
  oneOf,
  optionalForClient,
  type ValuePatterns,
} from "../core/schema/traits.ts";
import { withDefaultDescriptions } from "./field-descriptions.ts";

/** Returns an optional schema that also accepts `null`, with the meaning of an omitted member. */
export function nullish<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** Options of an object schema. */
interface ObjectOptions<Member extends string> {
  readonly description?: string;
  readonly deprecated?: boolean;
  /** Rules between members that the service checks and the document says. `null`, `""` and `false` count as absent. */
  readonly rules?: readonly MemberRule<Member>[];
}

/** Returns an object schema without additional members. Members without a description get the default one of their name. */
export function strictObject<P extends Record<string, TSchema>>(
  properties: P,
  { rules, ...options }: ObjectOptions<keyof P & string> = {},
) {
  return withDefaultDescriptions(
    Type.Object(properties, {
      additionalProperties: false,
      ...options,
      ...(rules === undefined ? {} : { [memberRulesKeyword]: rules }),
    }),
  );
}

/** Returns whether a value can be an ID. PostgreSQL fails for a larger number. */
export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= limits.idMax;
}

/** Parses a text as an ID without leading zeros or a sign. Returns undefined for any other text. */
export function parseId(text: string): number | undefined {
  const id = Number(text);
  return /^[1-9]\d{0,9}$/.test(text) && isId(id) ? id : undefined;
}

/** A numeric ID, unique in its account. */
export const Id = Type.Integer({ minimum: 1, maximum: limits.idMax });

/** A time in UTC, ISO 8601 with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

/** The name of a new object, without surrounding white space, so that no two names look alike. */
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: trimmedPattern });

/** A name to look up: any text, so that an unknown name is `not_found` instead of `invalid`. */
export const LookupName = Type.String({ minLength: 1, maxLength: 255 });

/** The name of a time zone. The service looks it up. */
export const TimeZone = documentedRule(Type.String({ minLength: 1, maxLength: 64 }), {
  pattern: timeZonePattern,
});

/** A display name, stored unchanged. An empty string means no display name. */
export const DisplayName = Type.String({ maxLength: 255 });

/** A description, stored unchanged. An empty string means no description. */
export const Description = Type.String({ maxLength: 500 });

/** An embed tenant's name. */
export const EmbedTenantName = Type.String({
  minLength: 5,
  maxLength: 36,
  pattern: embedTenantNamePattern,
  description:
    "Name of an embed tenant: lowercase letters, digits and hyphens. Starts with a letter and ends with a letter or digit.",
});

/** An embed tenant's name in a path. */
export const EmbedTenantPath = strictObject({ embedTenantName: LookupName });

/** A group's name, account-wide or in an embed tenant. The prefix `system:` is reserved. */
export const GroupName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: unreservedNamePattern,
});

/** The manager of an object that clients of the API do not manage. */
export const ManagedBy = field(oneOf(["scim"]), {
  doc: "What manages the object instead of clients of the API: `scim` is an identity provider that uses SCIM. Omitted if nothing does.",
});

/** The SCIM integration that manages an object. */
export const ScimIntegrationName = field(Type.String(), {
  doc: "Name of the SCIM integration that manages the object. Omitted if nothing does, or an identity provider with an API key.",
});

/** The name of the SCIM integration that an administrator lets manage an object. */
export const LinkedIntegration = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    "Name of the SCIM integration that manages the object from now on. `null` lets none manage it.",
});

/** Who created or refreshed content. */
export const ContentUser = strictObject({
  id: Id,
  email: Type.String(),
  firstName: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
});

/** A group in responses. */
export const UserGroup = strictObject({
  id: Id,
  name: Type.String(),
  description: Type.Optional(Type.String()),
  userCount: Type.Optional(Type.Integer({ minimum: 0 })),
});

/** Attribute types in an embed tenant: the four of the specification. */
export const embedAttributeTypes = ["string", "number", "string_array", "number_array"] as const;

/** Account-wide attribute types: the types of an embed tenant's attributes, and `boolean`. */
export const attributeTypes = [
  "string",
  "number",
  "boolean",
  "string_array",
  "number_array",
] as const;

/** An attribute's type, account-wide. */
export const AttributeType = field(oneOf(attributeTypes), {
  doc: "Type of the attribute's values. It cannot be changed.",
});

/** An attribute's type in an embed tenant. */
export const EmbedAttributeType = field(oneOf(embedAttributeTypes), {
  doc: "Type of the attribute's values. It cannot be changed.",
});

const number = "-?(?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?";
const text = '"(?:[^"\\\\]|\\\\.)*"';
const listOf = (item: string): string => `${item}(?:\\s*,\\s*${item})*`;

/** Patterns of default values as text, by attribute type. The type `string` accepts any text. */
export const defaultValuePatterns: ValuePatterns = {
  number: { pattern: `^${number}$`, expectation: "a number, such as 2.5" },
  boolean: { pattern: "^(?:true|false)$", expectation: "true or false" },
  string_array: {
    pattern: `^(?!\\[)|^\\[\\s*(?:${listOf(text)}\\s*)?\\]$`,
    expectation: 'strings separated by commas, or a JSON list such as ["a", "b"]',
  },
  number_array: {
    pattern: `^(?:${listOf(number)}|\\[\\s*(?:${listOf(number)}\\s*)?\\])$`,
    expectation: "numbers separated by commas, or a JSON list such as [1, 2]",
  },
};

/** A default value as text. The service checks it, because an update does not contain the attribute's type. */
export const DefaultValue = Type.String({ maxLength: 10_000 });

/** An attribute definition in responses. */
export const UserAttribute = strictObject({
  id: Id,
  name: Type.String(),
  type: AttributeType,
  displayName: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  defaultValue: Type.Optional(Type.String()),
});

const values = [
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 1000 }),
  Type.Array(Type.Number(), { maxItems: 1000 }),
] as const;

/** A stored value of an attribute. */
export const StoredAttributeValue = Type.Union([...values], {
  description: "Value of the attribute, of the attribute's type.",
});

/** A value of an attribute, or `null` to clear it. */
export const AttributeValue = Type.Union([...values, Type.Null()], {
  description: "Value of the attribute, of the attribute's type. `null` clears it.",
});

/** Names of a user's groups. */
export const GroupNames = Type.Array(LookupName, { maxItems: limits.members });

/** Returns the schema of an HTTP or HTTPS URL, with characters of any script. */
export const httpUrl = (description?: string) =>
  Type.String({
    maxLength: 2048,
    format: "iri",
    pattern: httpUrlPattern,
    ...(description !== undefined && { description }),
  });

/** HTTP or HTTPS URL of a picture, stored unchanged. */
export const Picture = httpUrl();

/** An external user's profile. Omitted members are kept. */
export const UserProfile = strictObject({
  displayName: nullish(DisplayName),
  picture: nullish(Picture),
});

/** An external user's stable ID: lowercase, without surrounding white space. */
export const ExternalId = documentedRule(Type.String({ minLength: 1, maxLength: 255 }), {
  pattern: externalIdPattern,
});

/** An external user of an embed tenant. */
export const EmbedUser = strictObject({
  id: Id,
  username: optionalForClient(Type.String()),
  externalId: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  firstName: Type.Optional(Type.String()),
  createdAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(Timestamp),
});

/** The objects of a bulk create. */
export function bulkItems<S extends TSchema>(item: S, plural: string) {
  const description = `${plural} to create, 1 to ${limits.bulkCreates}.`;
  return Type.Array(item, { minItems: 1, maxItems: limits.bulkCreates, description });
}

/** The response of a bulk create: an object is in `succeeded` only if the call created it. */
export function bulkCreated<S extends TSchema>(created: S) {
  return strictObject({
    succeeded: Type.Array(created),
    failed: Type.Array(
      strictObject({
        index: Type.Integer({ minimum: 0, description: "Position in the request, from 0." }),
        error: strictObject({ status: Type.Integer(), message: Type.String() }),
      }),
    ),
  });
}

/** Description that all bulk creates share. */
export const bulkCreateRules = `Up to ${limits.bulkCreates} in one call. The call continues when one cannot be created and reports it in \`failed\`; one that exists already is reported with status 409 and not changed.`;

/** The scope of operations on one deployment and its contents. */
export const deploymentScope = { deployment: "params.deploymentId" } as const;

/** The scope of operations on deployments that the handler finds. */
export const anyDeployment = { deployment: "any" } as const;

/** Returns the schema of a signed token, a JSON Web Token. */
export function signedToken(options: { readonly description?: string } = {}) {
  return Type.String({ ...options, examples: ["eyJhbGciOiJIUzI1NiJ9.eyJ1IjoxN30.c2lnbmF0dXJl"] });
}
