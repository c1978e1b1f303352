// Generates the page of coverage: every known operation, whether the service has it, and the tests that call it.
import type { Operation } from "../core/operation.ts";
import { knownOperations, leftOut } from "./known-operations.ts";
import { leftOutMembers } from "./left-out-members.ts";
import { operationTests } from "./operation-tests.ts";
import { recordedSettings } from "./recorded-settings.ts";
import { page, table } from "./reference-docs.ts";

/** What the service serves without declaring an operation, with the test of each. */
const oauthServer = "test/contract/oauth-server.test.ts";
const undeclared: Readonly<Record<string, string>> = {
  "POST /auth/device/code": oauthServer,
  "POST /auth/device/token": oauthServer,
  "POST /auth/oauth2/refresh": oauthServer,
};

/** Returns the page. `root` is the repository. */
export function coveragePage(operations: readonly Operation[], root: string): string {
  const served = Map.groupBy(operations, ({ method, path }) => routeOf(`${method} ${path}`));
  const known = Object.values(knownOperations).flat();
  const isServed = (one: string) => served.has(routeOf(one)) || Object.hasOwn(undeclared, one);
  const count = known.filter(isServed).length;
  const knownRoutes = new Set(known.map(routeOf));
  const own = operations.filter(
    ({ method, path }) => !knownRoutes.has(routeOf(`${method} ${path}`)),
  );
  const testOf = operationTests(root, operations);
  const row = (one: string, operation: Operation | undefined) => [
    `\`${one}\``,
    operation === undefined ? absence(one) : `\`${operation.id}\``,
    operation === undefined ? "" : linkTo(testOf(operation)),
  ];
  return page("Coverage", [
    `The service has ${count} of the ${known.length} operations that the specification and public facts name. ` +
      `It has ${own.length} more. [operation-responses.test.ts](../../test/contract/operation-responses.test.ts) and ` +
      "[permissions.test.ts](../../test/contract/permissions.test.ts) call every operation; the column `test` names another one that sends requests to it, if there is any.",
    ...Object.entries(knownOperations).flatMap(([area, names]) => [
      `## ${area}`,
      areaTable(names.map((one) => undeclaredRow(one) ?? row(one, served.get(routeOf(one))?.[0]))),
    ]),
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
    "The service stores and returns these settings, and does not act on them: a page or an add-on does, or only the hosted platform could.",
    table(["setting", "of", "reason"], recordedSettings(operations)),
    "## Operations beyond these",
    areaTable(own.map((operation) => row(`${operation.method} ${operation.path}`, operation))),
  ]);
}

function undeclaredRow(one: string): readonly string[] | undefined {
  const file = undeclared[one];
  return file === undefined ? undefined : [`\`${one}\``, "the OAuth server", linkTo(file)];
}

function absence(one: string): string {
  const why = Object.entries(leftOut).find(([beginning]) => one.startsWith(beginning))?.[1];
  return why === undefined ? "no" : `no: ${why}`;
}

function areaTable(rows: readonly (readonly string[])[]): string {
  return table(["operation", "served as", "test"], rows);
}

function routeOf(name: string): string {
  return name.replaceAll(/\{\w+\}/gu, "{}");
}

function linkTo(file: string): string {
  return `[${file.replace(/^test\//u, "")}](../../${file})`;
}
