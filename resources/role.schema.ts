// Spec and status schemas of Role.
import { Type, type Static } from "typebox";
import { RolePolicy } from "../api/roles.ts";
import { Id, Name, Timestamp } from "../api/schemas.ts";
import { limits } from "../core/limits/limits.ts";
import { isForAdministrators, permissionActions } from "../core/operation/permission-actions.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { statusSchema, userCountField } from "./status-schema.ts";

const grantable = permissionActions.filter(
  (action) => action === "All" || !isForAdministrators(action),
);

const objectName = Type.String({ minLength: 1, maxLength: 255 });

/** Returns the field with the objects of a policy on one type. */
function objects(refersTo: string, what: string) {
  const names = Type.Array(objectName, { minItems: 1, maxItems: limits.roleResources });
  const unnamed =
    refersTo === "Deployment"
      ? "One that no longer exists shows as `#` with its ID."
      : "Objects that no name identifies have a policy of their own, without a deployment: the key `#12` is the one with ID 12.";
  return Type.Optional(
    field(names, {
      doc: `${what} Defaults to all. ${unnamed}`,
      order: "set",
      refersTo,
      ...(refersTo !== "Deployment" && { within: { deployment: "deployment" } }),
    }),
  );
}

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
      deployment: Type.Optional(
        field(objectName, {
          doc: "Deployment of the folders, workbooks or reports that the policy names.",
          refersTo: "Deployment",
        }),
      ),
      deployments: objects("Deployment", "For the type `Deployment`: the deployments."),
      folders: objects("Folder", "For the types `Folder` and `ReportFolder`: the folders."),
      workbooks: objects(
        "Workbook",
        "For the type `Workbook`: the workbooks. For the type `Dashboard`: the workbooks that have the published dashboards.",
      ),
      reports: objects("Report", "For the type `Report`: the reports."),
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
