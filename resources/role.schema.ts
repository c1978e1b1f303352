// Spec and status schemas of Role.
import { Type, type Static } from "typebox";
import { RolePolicy } from "../api/roles.ts";
import { Id, Name, Timestamp } from "../api/schemas.ts";
import { limits } from "../core/limits.ts";
import { isForAdministrators, permissionActions } from "../core/permission-actions.ts";
import { idTextPattern } from "../core/text-patterns.ts";
import { field, oneOf } from "../core/traits.ts";
import { statusSchema, userCountField } from "./status-schema.ts";

const grantable = permissionActions.filter(
  (action) => action === "All" || !isForAdministrators(action),
);

const policy = field(
  Type.Object(
    {
      resourceType: field(RolePolicy.properties.resourceType, {
        doc: "Type of the objects; `Global` for everything in the account.",
      }),
      actions: field(Type.Array(oneOf(grantable), { minItems: 1, maxItems: grantable.length }), {
        doc: "Permissions.",
        order: "set",
      }),
      deployments: Type.Optional(
        field(
          Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
            minItems: 1,
            maxItems: limits.roleResources,
          }),
          {
            doc: "For the type `Deployment`: the deployments. Defaults to all.",
            order: "set",
            refersTo: "Deployment",
          },
        ),
      ),
      resources: Type.Optional(
        field(
          Type.Array(Type.String({ pattern: idTextPattern }), {
            minItems: 1,
            maxItems: limits.roleResources,
          }),
          {
            doc: "For other types except `Global`: IDs of the objects. Omit it for all, which the API calls `All`.",
            order: "set",
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  { doc: "What the role permits on objects of a type.", typeName: "RolePolicy" },
);

/** The spec schema. */
export const spec = Type.Object({
  name: field(Name, {
    doc: "Name, unique in the account in any case. Names of built-in roles are reserved. A change renames the role and its users keep it.",
  }),
  description: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 255 }), { doc: "Description." }),
  ),
  policies: field(Type.Array(policy, { maxItems: limits.rolePolicies }), {
    doc: "What the role permits. The list replaces all policies of the role.",
    order: "set",
  }),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  userCount: Type.Optional(userCountField),
  createdAt: Type.Optional(Timestamp),
});
