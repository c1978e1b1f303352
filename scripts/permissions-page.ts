// Generates the reference page of permissions: the roles and the actions.
import { allows } from "../core/operation/authorize.ts";
import { actionsOf, type Operation } from "../core/operation/operation.ts";
import {
  actionInfo,
  builtInRoles,
  type PermissionAction,
  permissionActions,
  type Role,
} from "../core/operation/permission-actions.ts";
import { page, table } from "./markdown.ts";

const roles: readonly Role[] = Object.values(builtInRoles);

/** Returns the page. */
export function permissionsPage(operations: readonly Operation[]): string {
  return page("Permissions", [
    "Each operation needs one action on one object. [Operations](operations.md) names both.",
    "A user has the actions of the user's roles; administrators have all. An [API key](api-key.md) has the permissions of its owner, within its deployments, its chosen permissions and its states. An embed token has the permissions of its user in one deployment. A request without the permission gets 403, and the message names the action.",
    "## Roles",
    `Administrators (\`isAdmin\`) have the role Admin, external users of embed tenants have EmbedUser.\n\n${roleTable()}`,
    "## Actions",
    "An action includes others: whoever has it has those too. Only administrators, and keys of administrators, have the actions without a role.",
    actionTable(operations),
  ]);
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
