// Generates the reference of the operations: an index, a page for each area with its permissions, and the proposed ones.
import { actionsOf, type Operation, type PermissionScope } from "../core/operation/operation.ts";
import { costsByItems, itemsPerCost } from "../core/operation/operation-cost.ts";
import { page, table } from "./markdown.ts";
import { rolesWith } from "./permissions-page.ts";

const folder = "docs/reference";

/** Returns every page by its path in the repository. */
export function operationPages(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const areas = Map.groupBy(operations, ({ area }) => area);
  return new Map([
    [`${folder}/operations.md`, indexPage(areas)],
    ...[...areas].map(
      ([area, all]) => [`${folder}/${operationsPath(area)}`, areaPage(area, all)] as const,
    ),
    [`${folder}/proposed.md`, proposedPage(operations)],
  ]);
}

/** Returns the path of an area's page in the reference folder. */
export function operationsPath(area: string): string {
  return `operations/${area}.md`;
}

function indexPage(areas: ReadonlyMap<string, readonly Operation[]>): string {
  return page("Operations", [
    "A page for each area of the API, with what each operation does, costs and needs.",
    table(
      ["area", "operations"],
      [...areas].map(([area, all]) => [
        `[${area}](${operationsPath(area)})`,
        all.map(({ id }) => `\`${id}\``).join(", "),
      ]),
    ),
    "## The tables",
    [
      "- Operations marked † are served but not listed in the server's own description.",
      "- `source` is the specification, public facts about the product family, or a [choice of our own](proposed.md).",
      "- `cost` is what a call takes of the [rate limits](server.md#rates); items are counted in the lists of its body.",
      "- `action` is one of the [permissions](permissions.md); `self` needs any valid credential, `public` none.",
    ].join("\n"),
  ]);
}

function areaPage(area: string, operations: readonly Operation[]): string {
  return page(`Operations: ${area}`, [
    operationTable(operations),
    "## Permissions",
    permissionTable(operations),
    "[All operations](../operations.md) · [What the columns mean](../operations.md#the-tables) · [Permissions](../permissions.md)",
  ]);
}

function operationTable(operations: readonly Operation[]): string {
  const rows = operations.map((one) => [
    `\`${one.id}\`${one.unlisted === true ? " †" : ""}`,
    methodAndPath(one),
    `${one.summary}${one.list === undefined ? "" : " (pages)"}`,
    one.source,
    costsByItems(one) ? `${one.cost} + items / ${itemsPerCost}` : String(one.cost),
    one.errorCodes.map((code) => `\`${code}\``).join(", "),
  ]);
  return table(["operation", "request", "what it does", "source", "cost", "may fail with"], rows);
}

function permissionTable(operations: readonly Operation[]): string {
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

/** Returns the page of operations that neither the specification nor public facts show. */
function proposedPage(operations: readonly Operation[]): string {
  const proposed = operations.filter((operation) => operation.source === "proposed");
  const rows = proposed.map((one) => [`\`${one.id}\``, methodAndPath(one), one.summary]);
  return page("Proposed operations", [
    "These operations are our own choice: neither the specification nor public facts show them. A server with `--surface public` treats them as unknown paths. No feature requires them.",
    rows.length === 0
      ? "There are no such operations."
      : table(["operation", "request", "what it does"], rows),
  ]);
}

function methodAndPath({ method, path }: Operation): string {
  return `\`${method} ${path}\``;
}
