// Operations on account-wide user attributes and the users' values.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import {
  AttributeType,
  AttributeValue,
  bulkCreated,
  bulkCreateRules,
  bulkItems,
  strictObject,
  DefaultValue,
  Description,
  StoredAttributeValue,
  Id,
  nullish,
  Name,
  DisplayName,
  LookupName,
  UserAttribute,
} from "./schemas.ts";
import { idTextPattern } from "../core/text/text-patterns.ts";

const area = "user-attributes";
const byId = strictObject({ id: Id });
const texts = {
  displayName: nullish(DisplayName),
  description: nullish(Description),
  defaultValue: nullish(DefaultValue),
};

const NewAttribute = strictObject({ name: Name, type: AttributeType, ...texts });

/** List user attributes. */
export const listUserAttributes = defineOperation({
  id: "listUserAttributes",
  area,
  method: "GET",
  path: "/api/v1/user-attributes",
  summary: "List user attributes",
  description:
    "Returns user attributes, newest first. The query can filter by exact name and type.",
  source: "public",
  effect: "read",
  permission: { action: "DirectoryRead", scope: "account" },
  query: strictObject({ name: Type.Optional(LookupName), type: Type.Optional(AttributeType) }),
  answer: UserAttribute,
  list: "transitional",
  selectable: true,
});

/** Create a user attribute. */
export const createUserAttribute = defineOperation({
  id: "createUserAttribute",
  area,
  method: "POST",
  path: "/api/v1/user-attributes",
  summary: "Create a user attribute",
  description: "Returns 409 when the name is already in use in the account.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: NewAttribute,
  answer: UserAttribute,
  errorCodes: ["conflict"],
});

/** Create user attributes in bulk. */
export const createUserAttributes = defineOperation({
  id: "createUserAttributes",
  area,
  method: "POST",
  path: "/api/v1/user-attributes/bulk",
  summary: "Create user attributes in bulk",
  description: bulkCreateRules,
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: strictObject({
    attributes: bulkItems(NewAttribute, "Attributes"),
  }),
  answer: bulkCreated(UserAttribute),
});

/** Update a user attribute. */
export const updateUserAttribute = defineOperation({
  id: "updateUserAttribute",
  area,
  method: "PUT",
  path: "/api/v1/user-attributes/{id}",
  summary: "Update a user attribute",
  description:
    "Omitted members are kept; `null` clears a member. The name and the type cannot be changed.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  body: strictObject(texts),
  answer: UserAttribute,
  errorCodes: ["not_found"],
});

/** Delete a user attribute. */
export const deleteUserAttribute = defineOperation({
  id: "deleteUserAttribute",
  area,
  method: "DELETE",
  path: "/api/v1/user-attributes/{id}",
  summary: "Delete a user attribute",
  description: "Deletes the attribute definition and all its values.",
  source: "public",
  unlisted: true,
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found"],
});

const UserAttributeValue = strictObject({
  userId: optionalForClient(Id),
  userAttributeId: optionalForClient(Id),
  name: Type.String(),
  type: optionalForClient(AttributeType),
  value: Type.Optional(AttributeValue),
  formattedValue: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
});

/** List a user's attribute values. */
export const listUserAttributeValues = defineOperation({
  id: "listUserAttributeValues",
  area,
  method: "GET",
  path: "/api/v1/user-attribute-values/{userId}",
  summary: "List a user's attribute values",
  description: "Returns one entry for each attribute that has a value for the user.",
  source: "public",
  effect: "read",
  permission: { action: "UsersRead", scope: "account" },
  params: strictObject({ userId: Id }),
  answer: UserAttributeValue,
  list: "array",
  errorCodes: ["not_found"],
});

/** Set a user's attribute value. */
export const setUserAttributeValue = defineOperation({
  id: "setUserAttributeValue",
  area,
  method: "POST",
  path: "/api/v1/user-attribute-values",
  summary: "Set a user's attribute value",
  description: "The IDs are strings. Without `value`, or with `null`, the value is cleared.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  repeatable: true,
  body: strictObject({
    userId: Type.String({ pattern: idTextPattern }),
    userAttributeId: Type.String({ pattern: idTextPattern }),
    value: Type.Optional(AttributeValue),
  }),
  answer: UserAttributeValue,
  errorCodes: ["not_found"],
});

/** Replace a user's attribute values. */
export const replaceUserAttributeValues = defineOperation({
  id: "replaceUserAttributeValues",
  area,
  method: "PUT",
  path: "/api/v1/user-attribute-values/{userId}",
  summary: "Replace a user's attribute values",
  description:
    "Replaces all of the user's values of account-wide attributes. Values of an embed tenant's attributes do not change.",
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: strictObject({ userId: Id }),
  body: strictObject({
    userAttributes: Type.Array(strictObject({ name: LookupName, value: StoredAttributeValue }), {
      maxItems: limits.definitions,
    }),
  }),
  answer: strictObject({ items: optionalForClient(Type.Array(UserAttributeValue)) }),
  errorCodes: ["not_found"],
});
