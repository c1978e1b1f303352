// Shapes that several areas of the API share.
import { Type, type TSchema } from "typebox";
import { limits } from "../core/limits.ts";
import { trimmedPattern, unreservedNamePattern, httpUrlPattern } from "../core/text-patterns.ts";
import { field, oneOf, optionalForClient, type ValuePatterns } from "../core/traits.ts";
import { describeMembers } from "./field-descriptions.ts";

/** An optional member that may also be `null`, which means the same as leaving it out. */
export function nullish<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** An object that refuses members it does not name; each is described, by itself or by what its name means everywhere. */
export function strictObject<P extends Record<string, TSchema>>(
  properties: P,
  options: { description?: string; deprecated?: boolean } = {},
) {
  return Type.Object(describeMembers(properties), { additionalProperties: false, ...options });
}

/** Largest id: what a signed 32-bit column and every JSON reader can hold. */
export const idMax = 2_147_483_647;

/** A numeric id, unique in its account. */
export const Id = Type.Integer({ minimum: 1, maximum: idMax });

/** A moment in UTC, ISO 8601 with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

/** A name that an object is made under: with no white space around it, for a name that looks like another is a trap. */
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: trimmedPattern });

/** A name that somebody looks for: any text, so that an unknown one is "not found" and not "invalid". */
export const LookupName = Type.String({ minLength: 1, maxLength: 255 });

/** A name for people, kept to the letter; an empty one is none. */
export const DisplayName = Type.String({ maxLength: 255 });

/** What something is for, kept to the letter; an empty text is none. */
export const Description = Type.String({ maxLength: 500 });

/** An embed tenant's name. */
export const EmbedTenantName = Type.String({
  minLength: 5,
  maxLength: 36,
  pattern: "^[a-z][a-z0-9-]*[a-z0-9]$",
  description:
    "Lowercase, starts with a letter, ends with a letter or digit; letters, digits and hyphens.",
});

/** An embed tenant's name in a path. */
export const EmbedTenantPath = strictObject({ embedTenantName: LookupName });

/** A group's name, account-wide or in an embed tenant; the prefix `system:` is reserved. */
export const GroupName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: unreservedNamePattern,
});

/** A group as the API shows it. */
export const UserGroup = strictObject({
  id: Id,
  name: Type.String(),
  description: Type.Optional(Type.String()),
  userCount: Type.Optional(Type.Integer({ minimum: 0 })),
});

/** Attribute types of an embed tenant: the four of the specification. */
export const embedAttributeTypes = ["string", "number", "string_array", "number_array"] as const;

/** Attribute types account-wide: the four and `boolean`. */
export const attributeTypes = [
  "string",
  "number",
  "boolean",
  "string_array",
  "number_array",
] as const;

/** An attribute's type, account-wide. */
export const AttributeType = field(oneOf(attributeTypes), {
  doc: "Type of its values; it never changes.",
});

/** An attribute's type in an embed tenant. */
export const EmbedAttributeType = field(oneOf(embedAttributeTypes), {
  doc: "Type of its values; it never changes.",
});

const number = "-?(?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?";
const text = '"(?:[^"\\\\]|\\\\.)*"';
const listOf = (item: string): string => `${item}(?:\\s*,\\s*${item})*`;

/** How a default is written as text, by the attribute's type; a text of type `string` is any. */
export const defaultValuePatterns: ValuePatterns = {
  number: { pattern: `^${number}$`, expectation: "a number, such as 2.5" },
  boolean: { pattern: "^(?:true|false)$", expectation: "true or false" },
  string_array: {
    pattern: `^(?!\\[)|^\\[\\s*(?:${listOf(text)}\\s*)?\\]$`,
    expectation: 'texts with commas between, or a JSON list such as ["a", "b"]',
  },
  number_array: {
    pattern: `^(?:${listOf(number)}|\\[\\s*(?:${listOf(number)}\\s*)?\\])$`,
    expectation: "numbers with commas between, or a JSON list such as [1, 2]",
  },
};

/** A default written as text; an empty one is none. The service itself checks it, as only it knows the type on an update. */
export const DefaultValue = Type.String({ maxLength: 10_000 });

/** An attribute definition as the API shows it. */
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

/** A value that somebody has of an attribute: of one of its five types. */
export const StoredAttributeValue = Type.Union([...values], {
  description: "Value of the attribute's type.",
});

/** A value of an attribute, or `null`, which clears it. */
export const AttributeValue = Type.Union([...values, Type.Null()], {
  description: "Value of the attribute's type; `null` clears it.",
});

/** Names of groups that a user is to be in. */
export const GroupNames = Type.Array(LookupName, { maxItems: limits.members });

/** An http or https address of a picture, in any script, kept to the letter. */
export const Picture = Type.String({ maxLength: 2048, format: "iri", pattern: httpUrlPattern });

/** An external user's profile; both members are kept when they are left out. */
export const UserProfile = strictObject({
  displayName: nullish(DisplayName),
  picture: nullish(Picture),
});

/** An external user's stable id: lowercase and trimmed. */
export const ExternalId = Type.String({ minLength: 1, maxLength: 255 });

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

const deploymentScope = { deployment: "params.deploymentId" } as const;

/** Of operations on one deployment: who is in its scope may read. */
export const deploymentReaders = { access: "user", scope: deploymentScope } as const;

/** Of operations on the inside of one deployment: who is in its scope may read, but no viewer of embedded dashboards. */
export const deploymentReadersExceptViewers = {
  ...deploymentReaders,
  hiddenFromViewers: true,
} as const;

/** Of operations on one deployment: administrators in its scope may change it. */
export const deploymentAdmins = { access: "admin", scope: deploymentScope } as const;
