// Generates the pages of coverage: every known operation, whether the service has it, and the tests that call it.
import type { Operation } from "../core/operation/operation.ts";
import { knownOperations, leftOut } from "./known-operations.ts";
import { leftOutMembers } from "./left-out-members.ts";
import { page, table } from "./markdown.ts";
import { operationTests } from "./operation-tests.ts";
import { recordedSettings } from "./recorded-settings.ts";

/** Routes that the service serves without a declared operation, each with its test. */
const oauthServer = "test/contract/oauth-server.test.ts";
const undeclared: Readonly<Record<string, string>> = {
  "POST /auth/device/code": oauthServer,
  "POST /auth/device/token": oauthServer,
  "POST /auth/oauth2/refresh": oauthServer,
};

const folder = "docs/reference/coverage";

/** Returns every page by its path in the repository. `root` is the repository. */
export function coveragePages(
  operations: readonly Operation[],
  root: string,
): ReadonlyMap<string, string> {
  const served = Map.groupBy(operations, routeOf);
  const known = Object.entries(knownOperations);
  const knownRoutes = new Set(known.flatMap(([, names]) => names.map(withoutNames)));
  const own = operations.filter((operation) => !knownRoutes.has(routeOf(operation)));
  const testOf = operationTests(root, operations);
  const row = (name: string, operation: Operation | undefined): Row => {
    const file = operation === undefined ? undeclared[name] : testOf(operation);
    const servedAs = operation === undefined ? "the OAuth server" : `\`${operation.id}\``;
    return file === undefined ? { name, lacks: lackText(name) } : { name, servedAs, file };
  };
  const areas = new Map(
    known.map(([area, names]) => [
      area,
      names.map((name) => row(name, served.get(withoutNames(name))?.[0])),
    ]),
  );
  const ownRows = own.map((one) => row(nameOf(one), one));
  return new Map([
    [`${folder}.md`, indexPage(areas, own.length)],
    ...[...areas].map(
      ([area, rows]) => [`${folder}/${fileOf(area)}`, areaPage(`Coverage: ${area}`, rows)] as const,
    ),
    [`${folder}/more-operations.md`, areaPage("Operations beyond the known ones", ownRows)],
    [`${folder}/left-out-members.md`, leftOutPage()],
    [`${folder}/recorded-settings.md`, recordedPage(operations)],
  ]);
}

/** A known operation: how it is served, with its test, or why it is not served. */
type Row =
  | { readonly name: string; readonly servedAs: string; readonly file: string }
  | { readonly name: string; readonly lacks: string };

function indexPage(areas: ReadonlyMap<string, readonly Row[]>, own: number): string {
  const isServed = (row: Row): boolean => "servedAs" in row;
  const rows = [...areas.values()].flat();
  return page("Coverage", [
    `The service has ${rows.filter(isServed).length} of the ${rows.length} operations that the specification and public facts name. ` +
      `It has [${own} more](coverage/more-operations.md). ` +
      "The pages list the operations of each area with their tests.",
    table(
      ["area", "known operations", "served"],
      [...areas].map(([area, all]) => [
        `[${area}](coverage/${fileOf(area)})`,
        String(all.length),
        String(all.filter(isServed).length),
      ]),
    ),
    "[operation-responses.test.ts](../../test/contract/operation-responses.test.ts) and " +
      "[permissions.test.ts](../../test/contract/permissions.test.ts) call every operation; the column `test` names another one that sends requests to it, if there is any.",
    "- [Members that are left out](coverage/left-out-members.md) of known objects and requests\n" +
      "- [Settings that are only recorded](coverage/recorded-settings.md)",
  ]);
}

function areaPage(title: string, rows: readonly Row[]): string {
  return subpage(title, [
    table(
      ["operation", "served as", "test"],
      rows.map((row) =>
        "servedAs" in row
          ? [`\`${row.name}\``, row.servedAs, linkTo(row.file)]
          : [`\`${row.name}\``, row.lacks, ""],
      ),
    ),
  ]);
}

function leftOutPage(): string {
  return subpage("Members that are left out", [
    table(
      ["of", "members", "reason"],
      leftOutMembers.map(({ of, members, reason }) => [
        of,
        members.map((name) => `\`${name}\``).join(", "),
        reason,
      ]),
    ),
  ]);
}

function recordedPage(operations: readonly Operation[]): string {
  return subpage("Settings that are only recorded", [
    "The service stores and returns these settings, and does not act on them: a page or an add-on does, or only the hosted platform could.",
    table(["setting", "of", "reason"], recordedSettings(operations)),
  ]);
}

function subpage(title: string, parts: readonly string[]): string {
  return page(title, [...parts, "[Coverage](../coverage.md)"]);
}

function lackText(name: string): string {
  const why = Object.entries(leftOut).find(([beginning]) => name.startsWith(beginning))?.[1];
  return why === undefined ? "no" : `no: ${why}`;
}

function fileOf(area: string): string {
  return `${area.toLowerCase().replaceAll(" ", "-")}.md`;
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function routeOf(operation: Operation): string {
  return withoutNames(nameOf(operation));
}

/** Returns a method and path without the names of its parameters, which do not matter. */
function withoutNames(name: string): string {
  return name.replaceAll(/\{\w+\}/gu, "{}");
}

function linkTo(file: string): string {
  return `[${file.replace(/^test\//u, "")}](../../../${file})`;
}
