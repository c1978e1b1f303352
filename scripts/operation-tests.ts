// Finds the test of each operation: the test file that sends the most requests to it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../core/operation.ts";

const testFolders = ["contract", "rules", "wire"];
/** Tests that call operations to test something else. */
const general =
  /\/(?:account-isolation|commands|idempotency|invalid-input|malformed-requests|paging|permissions|query-plans)\./u;
/** The test that calls every operation. */
const everyOperation = "test/contract/operation-responses.test.ts";

/** Tests whose helpers hide the requests. */
const hidden: Readonly<Record<string, string>> = {
  putDataModelFiles: "test/contract/data-model-branches.test.ts",
  deleteDataModelFiles: "test/rules/build-api.test.ts",
  renameDataModelFiles: "test/rules/build-api.test.ts",
  createMetaSyncToken: "test/contract/environment-tokens.test.ts",
  updateWorkloadTrust: "test/contract/workload-identity.test.ts",
  deleteWorkloadTrust: "test/contract/workload-identity.test.ts",
  listScimResourceTypes: "test/contract/scim.test.ts",
  listScimSchemas: "test/contract/scim.test.ts",
  getScimSchema: "test/contract/scim.test.ts",
  getScimConfig: "test/contract/scim.test.ts",
  checkReportQuery: "test/conformance/data-models.test.ts",
  getSyncResult: "test/contract/transform-sync.test.ts",
  listSyncLogs: "test/contract/transform-sync.test.ts",
  listSyncFiles: "test/contract/transform-sync.test.ts",
};

interface Request {
  readonly method: string;
  /** Segments of the path; `{}` for a value that only a run knows. */
  readonly segments: readonly string[];
}

interface TestFile {
  readonly path: string;
  readonly text: string;
  readonly requests: readonly Request[];
}

/** Returns a function that names the test file of an operation. `root` is the repository. */
export function operationTests(root: string): (operation: Operation) => string {
  const files = testFolders.flatMap((folder) =>
    readdirSync(join(root, "test", folder))
      .filter((name) => name.endsWith(".test.ts"))
      .toSorted()
      .map((name) => `test/${folder}/${name}`)
      .filter((path) => path !== everyOperation && !general.test(path))
      .map((path) => readTest(root, path)),
  );
  return (operation) => {
    const known = hidden[operation.id];
    if (known !== undefined) return known;
    const [best] = files
      .map((file) => ({ path: file.path, score: scoreOf(operation, file) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score);
    return best?.path ?? everyOperation;
  };
}

function readTest(root: string, path: string): TestFile {
  const text = readFileSync(join(root, path), "utf8");
  return { path, text, requests: requestsOf(text) };
}

/** Prefers the test of the operation's area, then the one with the most requests. */
function scoreOf({ id, area, method, path }: Operation, file: TestFile): number {
  const wanted = segmentsOf(path);
  const sent = file.requests
    .filter((request) => request.method === method)
    .map(({ segments }) => closeness(segments, wanted));
  const named = [...file.text.matchAll(new RegExp(`\\b${id}\\b`, "gu"))].length;
  // Requests of other helpers: the path without its method.
  const mentioned = mentionOf(path).test(file.text) ? 0.5 : 0;
  const score = sent.reduce((sum, one) => sum + one, 0) + named + mentioned;
  return score > 0 && file.path.includes(`/${area}`) ? score + 1000 : score;
}

/** Returns a pattern for a path, or its end, as a text of its own. */
function mentionOf(path: string): RegExp {
  const tail = (path.split("/v1/")[1] ?? path)
    .replace(/^deployments\/\{deploymentId\}\/(?=.)/u, "")
    .split(/\{\w+\}/u)
    .map((part) => part.replaceAll(".", "\\."))
    .join("[^/\"'?]+");
  return new RegExp(`[/"'\`]${tail}["'\`?]`, "u");
}

/** Returns 3 for a request to the path, 1 for the end of the path, as a helper of the test may add the rest, and 0 else. */
function closeness(segments: readonly string[], wanted: readonly string[]): number {
  if (segments.length === 0 || segments.length > wanted.length) return 0;
  const end = wanted.slice(wanted.length - segments.length);
  const isSame = segments.every((segment, at) => {
    const expected = end[at] ?? "";
    return expected.startsWith("{") || isSegment(segment, expected);
  });
  if (!isSame) return 0;
  if (segments.length === wanted.length) return 3;
  return segments.some((segment, at) => isSegment(segment, end[at] ?? "")) ? 1 : 0;
}

/** Returns whether a segment is the expected one. A part of it can be computed, as in `bulk-{}`, but not all of it. */
function isSegment(segment: string, expected: string): boolean {
  const [start = "", end] = segment.split("{}", 2);
  if (end === undefined) return segment === expected;
  return start !== "" && expected.startsWith(start) && expected.endsWith(end);
}

const call = /"(?<method>GET|POST|PUT|PATCH|DELETE)",\s*(?<path>`[^`]*`|"[^"]*"|\w+(?:\(\))?)/gu;
const constant = /\bconst (?<name>\w+) = (?:\(\) =>\s*)?(?<value>`[^`]*`|"[^"]*")/gu;
/** Names can have several values in a file, and values contain names: more than these are not followed. */
const most = { values: 8, depth: 4 };

function requestsOf(text: string): readonly Request[] {
  const constants = Map.groupBy(
    [...text.matchAll(constant)].map(({ groups }) => ({
      name: groups?.["name"] ?? "",
      value: unquote(groups?.["value"] ?? ""),
    })),
    ({ name }) => name,
  );
  const valuesOf = (name: string) => (constants.get(name) ?? []).map(({ value }) => value);
  return [...text.matchAll(call)].flatMap(({ groups }) => {
    const path = groups?.["path"] ?? "";
    const isText = /^[`"]/u.test(path);
    const texts = isText ? [unquote(path)] : valuesOf(path.replace("()", ""));
    return texts
      .flatMap((one) => expand(one, valuesOf, most.depth))
      .map((one) => ({ method: groups?.["method"] ?? "", segments: segmentsOf(one) }));
  });
}

/** Returns a text with the values of the constants that it names. */
function expand(
  text: string,
  valuesOf: (name: string) => readonly string[],
  depth: number,
): readonly string[] {
  const named = /\$\{(?<name>\w+)(?:\(\))?\}/u.exec(text);
  const values = valuesOf(named?.groups?.["name"] ?? "").slice(0, most.values);
  if (named === null || depth === 0) return [text];
  const found = values.length > 0 ? values : ["{}"];
  return found
    .flatMap((value) =>
      expand(
        text.replace(named[0], () => value),
        valuesOf,
        depth - 1,
      ),
    )
    .slice(0, most.values);
}

/** Returns the segments of a path without its query. A part that is computed is `{}`. */
function segmentsOf(path: string): readonly string[] {
  return path
    .replaceAll(/\$\{[^}]*\}/gu, "{}")
    .replace(/\?.*$/u, "")
    .split("/")
    .filter((segment) => segment !== "");
}

function unquote(text: string): string {
  return text.slice(1, -1);
}
