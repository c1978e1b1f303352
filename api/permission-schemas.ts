// Schemas of permissions: the permissions of a credential, and the chosen actions and states of an API key.
import { Type, type TUnsafe } from "typebox";
import type { Rights } from "../core/operation/authorize.ts";
import { limits } from "../core/limits/limits.ts";
import { permissionActions, resourceTypes } from "../core/operation/permission-actions.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { Id, strictObject } from "./schemas.ts";
import { stateSelectorPattern } from "../core/text/text-patterns.ts";

/** The name of a permission action. */
export const PermissionActionName = oneOf(permissionActions);

/** A list of permission actions. */
export const PermissionActions = Type.Array(PermissionActionName, {
  minItems: 1,
  maxItems: permissionActions.length,
});

/** Access to the states that match a name. */
export const StateAccess = strictObject({
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: stateSelectorPattern,
    description: "Name of a state, or a prefix followed by `*`.",
  }),
  access: Type.Union([Type.Literal("read"), Type.Literal("write")], {
    description: "`read`, or `write`, which includes it.",
  }),
});

/** A list of states with the access to each. */
export const StateAccessList = Type.Array(StateAccess, {
  minItems: 1,
  maxItems: limits.keyStates,
});

const CredentialLimits = strictObject(
  {
    actions: Type.Optional(
      Type.Array(PermissionActionName, { description: "Chosen permissions of the key." }),
    ),
    deployments: Type.Optional(
      Type.Array(Id, { description: "IDs of the deployments in the scope of the credential." }),
    ),
    states: Type.Optional(Type.Array(StateAccess, { description: "States of the key." })),
  },
  { description: "What limits the credential. Absent members do not limit it." },
);

/** The permissions of the caller, as the service checks them before each call, and a plan in advance. */
export const CurrentRights: TUnsafe<Rights> = Type.Unsafe(
  strictObject(
    {
      isAdmin: Type.Boolean({
        description:
          "Whether the credential has all permissions of an administrator, within `limits`.",
      }),
      grants: Type.Array(
        strictObject({
          resourceType: field(oneOf(resourceTypes), {
            doc: "Type of the objects; `Global` for all.",
          }),
          actions: Type.Array(oneOf(permissionActions), { description: "Permission actions." }),
          resources: Type.Union([Type.Literal("All"), Type.Array(Type.String())], {
            description: `IDs of the objects, or \`All\`. Of more than ${limits.shownGrantResources} with a policy, only the first ones.`,
          }),
          omittedResources: Type.Optional(
            Type.Integer({
              minimum: 1,
              description:
                "How many more objects the grant is on, which `resources` does not name.",
            }),
          ),
        }),
        { description: "Permissions of the user's roles, and of policies for the user." },
      ),
      limits: CredentialLimits,
    },
    {
      description:
        "Permissions of the credential: those of its user, within the limits of the key.",
    },
  ),
);
