// Generates the page of coverage: every known operation, whether the service has it, and the tests that call it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../core/operation.ts";
import { knownOperations, leftOut } from "./known-operations.ts";
import { page, table } from "./reference-docs.ts";

const testFolders = ["contract", "rules", "wire"];
/** Tests that call operations to test something else. */
const general = /\/(?:commands|malformed-requests|account-isolation|idempotency|paging)\./u;
/** The test that calls every operation. */
const everyOperation = "test/contract/operation-responses.test.ts";

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
  const tests = readTests(root);
  const row = (one: string, operation: Operation | undefined) => [
    `\`${one}\``,
    operation === undefined ? absence(one) : `\`${operation.id}\``,
    operation === undefined ? "" : testOf(operation, tests),
  ];
  return page("Coverage", [
    `The service has ${count} of the ${known.length} operations that the specification and public facts name. ` +
      `It has ${own.length} more. [operation-responses.test.ts](../../${everyOperation}) and ` +
      "[permissions.test.ts](../../test/contract/permissions.test.ts) call every operation; the column `test` names the one with its rules.",
    ...Object.entries(knownOperations).flatMap(([area, names]) => [
      `## ${area}`,
      areaTable(names.map((one) => undeclaredRow(one) ?? row(one, served.get(routeOf(one))?.[0]))),
    ]),
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

interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the tests of operations in the order of their names. */
function readTests(root: string): readonly TestFile[] {
  return testFolders.flatMap((folder) =>
    readdirSync(join(root, "test", folder))
      .filter((name) => name.endsWith(".test.ts"))
      .toSorted()
      .map((name) => `test/${folder}/${name}`)
      .filter((path) => !general.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  );
}

/** Returns a link to the test that names the operation's path: the one of its area if there are several. */
function testOf({ area, path, id }: Operation, tests: readonly TestFile[]): string {
  const tail = (path.split("/v1/")[1] ?? path)
    .replace(/^deployments\/\{deploymentId\}\/(?=.)/u, "")
    .split(/\{\w+\}/u)
    .map((part) => part.replaceAll(".", "\\."))
    .join("[^/\"'?]+");
  const pattern = new RegExp(`[/"'\`]${tail}["'\`?]|\\b${id}\\b`, "u");
  const naming = tests.filter(({ text }) => pattern.test(text));
  const found = naming.find((one) => one.path.includes(`/${area}`)) ?? naming[0];
  return linkTo(found?.path ?? everyOperation);
}

function linkTo(file: string): string {
  return `[${file.replace(/^test\//u, "")}](../../${file})`;
}
