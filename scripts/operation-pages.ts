// Generates the reference of the operations with their permissions, and the page of the proposed ones.
import { actionsOf, type Operation, type PermissionScope } from "../core/operation/operation.ts";
import { costsByItems, itemsPerCost } from "../core/operation/operation-cost.ts";
import { page, table } from "./markdown.ts";

/** Returns the page of all operations, by area. */
export function operationsPage(operations: readonly Operation[]): string {
  const areas = Map.groupBy(operations, ({ area }) => area);
  return page("Operations", [
    "What each operation of the API does, costs and needs. `schemas/openapi.json` describes requests and responses.",
    [
      "- Operations marked † are served but not listed in the server's own description.",
      "- `source` is the specification, public facts about the product family, or a [choice of our own](proposed.md).",
      "- `cost` is what a call takes of the [rate limits](server.md#rates); items are counted in the lists of its body.",
      "- `action` is one of the [permissions](permissions.md), on the object in parentheses; `self` needs any valid credential, `public` none.",
    ].join("\n"),
    ...[...areas].flatMap(([area, all]) => [`## ${area}`, operationTable(all)]),
  ]);
}

function operationTable(operations: readonly Operation[]): string {
  const rows = operations.map((one) => [
    `\`${one.id}\`${one.unlisted === true ? " †" : ""}`,
    methodAndPath(one),
    `${one.summary}${one.list === undefined ? "" : " (pages)"}`,
    permissionText(one),
    one.source,
    costsByItems(one) ? `${one.cost} + items / ${itemsPerCost}` : String(one.cost),
    one.errorCodes.map((code) => `\`${code}\``).join(", "),
  ]);
  return table(
    ["operation", "request", "what it does", "action", "source", "cost", "may fail with"],
    rows,
  );
}

function permissionText(operation: Operation): string {
  const { permission } = operation;
  if (typeof permission === "string") return `\`${permission}\``;
  const names = actionsOf(operation)
    .map((action) => `\`${action}\``)
    .join(" or ");
  const needed =
    permission.readAll === true ? `${names} of the user; \`ReadAll\` of the credential` : names;
  return `${needed} (${scopeText(permission.scope)})`;
}

function scopeText(scope: PermissionScope): string {
  if (scope === "account") return "account";
  if ("resource" in scope) return `the object that the ${scope.resource} names`;
  return Object.entries(scope)
    .map(([type, field]) => (field === "any" ? `permitted ${type}s` : `${type} in \`${field}\``))
    .join(", ");
}

/** Returns the page of operations that neither the specification nor public facts show. */
export function proposedPage(operations: readonly Operation[]): string {
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
