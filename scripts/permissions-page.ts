// Generates the reference page of permissions: each operation with its action and scope, the actions, and the roles.
import { allows } from "../core/authorize.ts";
import { actionsOf, type Operation, type PermissionScope } from "../core/operation.ts";
import {
  actionInfo,
  builtInRoles,
  type PermissionAction,
  permissionActions,
  type Role,
} from "../core/permission-actions.ts";
import { page, table } from "./reference-docs.ts";

const roles: readonly Role[] = Object.values(builtInRoles);

/** Returns the page. */
export function permissionsPage(operations: readonly Operation[]): string {
  return page("Permissions", [
    "Each operation needs one action on one object. A user has the actions of the user's roles; administrators have all. An [API key](api-key.md) has the permissions of its owner, within its deployments, its chosen permissions and its states. An embed token has the permissions of its user in one deployment. A request without the permission gets 403, and the message names the action.",
    "## Operations",
    "`self` needs any valid credential; `public` needs none.",
    operationTable(operations),
    "## Roles",
    `Administrators (\`isAdmin\`) have the role Admin, external users of embed tenants have EmbedUser.\n\n${roleTable()}`,
    "## Actions",
    "An action includes others: whoever has it has those too. Only administrators, and keys of administrators, have the actions without a role.",
    actionTable(operations),
  ]);
}

function operationTable(operations: readonly Operation[]): string {
  const rows = operations.map((operation) => {
    const { id, permission } = operation;
    if (typeof permission === "string") return [`\`${id}\``, `\`${permission}\``, "", ""];
    const needed = actionsOf(operation);
    const names = needed.map((action) => `\`${action}\``).join(" or ");
    return [
      `\`${id}\``,
      permission.readAll === true ? `${names} of the user; \`ReadAll\` of the credential` : names,
      scopeText(permission.scope),
      rolesWith(needed),
    ];
  });
  return table(["operation", "action", "on", "roles"], rows);
}

function scopeText(scope: PermissionScope): string {
  if (scope === "account") return "account";
  if ("resource" in scope) return `the object that the ${scope.resource} names`;
  return Object.entries(scope)
    .map(([type, field]) => (field === "any" ? `permitted ${type}s` : `${type} in \`${field}\``))
    .join(", ");
}

/** Returns the roles that grant one of the actions. */
function rolesWith(needed: readonly PermissionAction[]): string {
  const names = roles
    .filter(({ grants }) =>
      grants.some((grant) => needed.some((action) => allows(grant.actions, action))),
    )
    .map(({ name }) => name);
  return names.join(", ");
}

function roleTable(): string {
  return table(
    ["role", "what it is for"],
    roles.map(({ name, doc }) => [name, doc]),
  );
}

function actionTable(operations: readonly Operation[]): string {
  const needed = operations.flatMap(actionsOf);
  const rows = permissionActions.map((action) => {
    const { doc, includes = [], proposed } = actionInfo(action);
    const notes = [
      needed.some((one) => allows([action], one)) ? "" : "no operation needs it",
      proposed === true ? "our own choice" : "",
    ];
    return [
      `\`${action}\``,
      doc,
      includes.map((one) => `\`${one}\``).join(", "),
      rolesWith([action]),
      notes.filter((note) => note !== "").join("; "),
    ];
  });
  return table(["action", "allows to", "includes", "roles", "notes"], rows);
}
