// Spec schema of ApiKey.
import { Type, type Static } from "typebox";
import { PermissionActions, StateAccess } from "../api/permission-schemas.ts";
import { Name } from "../api/schemas.ts";
import { limits } from "../core/limits/limits.ts";
import { field } from "../core/schema/traits.ts";
import { lowercasePattern } from "../core/text/text-patterns.ts";

const stateAccess = field(
  Type.Object(
    {
      name: field(StateAccess.properties.name, {
        doc: "Name of a state, or a prefix followed by `*`. The inventory of a stack is the state `svc-inventory.STACK`.",
      }),
      access: field(StateAccess.properties.access, {
        doc: "`read`, or `write`, which includes it.",
      }),
    },
    { additionalProperties: false },
  ),
  { doc: "Access to states by name.", typeName: "StateAccess" },
);

/**
 * Returns the fields for the owner of a credential, and for the limits on the owner's permissions. In the
 * documentation, `credential` names the credential, and `declared` names the object that the document declares.
 */
export function credentialFields(credential: string, declared: string) {
  return {
    owner: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 254, pattern: lowercasePattern }), {
        doc: `Email of the user whose permissions the ${credential} has. Defaults to the user who creates the ${declared}.`,
        refersTo: "User",
        cascadeDelete: true,
        serverChosen: true,
        onChange: "replace",
      }),
    ),
    deployments: Type.Optional(
      field(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 1,
          maxItems: limits.scopedDeployments,
        }),
        {
          doc: `Deployments that the ${credential} can access. \`null\` means all deployments.`,
          order: "set",
          refersTo: "Deployment",
          whenRemoved: "refuse",
        },
      ),
    ),
    permissions: Type.Optional(
      field(PermissionActions, {
        doc: `Permissions of the ${credential}, within those of its owner. \`ReadAll\` means all that only read, except \`StateRead\`. \`null\` means all of the owner's.`,
        order: "set",
        whenRemoved: "refuse",
      }),
    ),
    isDisabled: Type.Optional(
      field(Type.Boolean(), {
        doc: `Whether the ${declared} is disabled. A deactivation of its owner disables it, and it stays so until an administrator enables it: omit the field to leave that to them.`,
        neverCleared: true,
      }),
    ),
    states: Type.Optional(
      field(Type.Array(stateAccess, { minItems: 1, maxItems: limits.keyStates }), {
        doc: `States that the ${credential} can access, whatever its permissions and deployments are. \`null\` means those that its permissions allow.`,
        order: "set",
        whenRemoved: "refuse",
      }),
    ),
  };
}

/** The spec schema. */
export const spec = Type.Object({
  name: field(Name, {
    doc: "Name of the key. The API allows duplicate names, but the names of managed keys must be unique.",
  }),
  ...credentialFields("key", "key"),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;
