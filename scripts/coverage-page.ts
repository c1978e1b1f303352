// Generates the page of coverage: which of the known operations, members and settings the service does not have or use.
import type { Operation } from "../core/operation/operation.ts";
import { knownOperations, leftOut } from "./known-operations.ts";
import { leftOutMembers } from "./left-out-members.ts";
import { page, table } from "./markdown.ts";
import { recordedSettings } from "./recorded-settings.ts";

/** Routes that the OAuth server serves without a declared operation. */
const undeclared: ReadonlySet<string> = new Set([
  "POST /auth/device/code",
  "POST /auth/device/token",
  "POST /auth/oauth2/refresh",
]);

/** Returns the page. */
export function coveragePage(operations: readonly Operation[]): string {
  const served = new Set(operations.map(routeOf));
  const isServed = (name: string): boolean =>
    undeclared.has(name) || served.has(withoutNames(name));
  const known = Object.entries(knownOperations);
  const all = known.flatMap(([, names]) => names);
  const knownRoutes = new Set(all.map(withoutNames));
  const own = operations.filter((operation) => !knownRoutes.has(routeOf(operation)));
  return page("Coverage", [
    `The service has ${all.filter(isServed).length} of the ${all.length} operations that the specification and public facts name. ` +
      `It has ${own.length} more; [Operations](operations.md) lists all that it has.`,
    table(
      ["area", "known operations", "served"],
      known.map(([area, names]) => [
        area,
        String(names.length),
        String(names.filter(isServed).length),
      ]),
    ),
    "## Operations that are not served",
    table(
      ["operation", "reason"],
      all.filter((name) => !isServed(name)).map((name) => [`\`${name}\``, reasonOf(name)]),
    ),
    "## Members that are left out",
    table(
      ["of", "members", "reason"],
      leftOutMembers.map(({ of, members, reason }) => [
        of,
        members.map((name) => `\`${name}\``).join(", "),
        reason,
      ]),
    ),
    "## Settings that are only recorded",
    "The service stores and returns these settings, and does not act on them.",
    table(["reason", "settings", "of"], byReason(recordedSettings(operations))),
  ]);
}

/** Returns the settings of each reason in one row, and in another the operations that set them. */
function byReason(settings: ReturnType<typeof recordedSettings>): readonly (readonly string[])[] {
  const groups = Map.groupBy(settings, ([, , reason = ""]) => reason);
  const distinct = (texts: readonly string[]) => [...new Set(texts)].join(", ");
  return [...groups].map(([reason, rows]) => [
    reason,
    distinct(rows.map(([path = ""]) => path)),
    distinct(rows.flatMap(([, ids = ""]) => ids.split(", "))),
  ]);
}

/** Returns why an operation is not served. Fails without a reason. */
function reasonOf(name: string): string {
  const reason = Object.entries(leftOut).find(([beginning]) => name.startsWith(beginning))?.[1];
  if (reason === undefined) throw new Error(`${name} is not served, and no reason says why`);
  return reason;
}

function routeOf({ method, path }: Operation): string {
  return withoutNames(`${method} ${path}`);
}

/** Returns a method and path without the names of its parameters, which do not matter. */
function withoutNames(name: string): string {
  return name.replaceAll(/\{\w+\}/gu, "{}");
}
