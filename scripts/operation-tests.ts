// Finds the tests of each operation: the files that send requests to it, by their syntax. Mentions in comments or texts
// do not count, and neither do calls that could be one of two operations.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Argument,
  type CallExpression,
  type Expression,
  parseSync,
  Visitor,
} from "oxc-parser";
import type { Operation } from "../core/operation/operation.ts";

const testFolders = ["contract", "rules", "wire"];
/** Tests that call operations in order to test something else. */
const general =
  /\/(?:account-isolation|commands|idempotency|invalid-input|malformed-requests|paging|permissions|query-plans)\./u;
/** The test that calls every operation: it fails without a request that succeeds for each. */
const everyOperation = "test/contract/operation-responses.test.ts";

/** The methods of the client that call the operation that is their first argument. */
const clientCalls = new Set(["call", "page", "all", "one"]);

/** Returns a function that names the test file of an operation. `root` is the repository. */
export function operationTests(
  root: string,
  operations: readonly Operation[],
): (operation: Operation) => string {
  const files = testFolders.flatMap((folder) =>
    readdirSync(join(root, "test", folder))
      .filter((name) => name.endsWith(".test.ts"))
      .toSorted()
      .map((name) => `test/${folder}/${name}`)
      .filter((path) => path !== everyOperation && !general.test(path))
      .map((path) => ({
        path,
        calls: countCalls(readFileSync(join(root, path), "utf8"), operations),
      })),
  );
  return ({ id, area }) => {
    // The test of the operation's area, then the one with the most requests.
    const scoreOf = ({ path, calls }: (typeof files)[number]): number => {
      const count = calls.get(id) ?? 0;
      return count > 0 && path.includes(`/${area}`) ? count + 1000 : count;
    };
    const [best] = files
      .filter((file) => scoreOf(file) > 0)
      .toSorted((one, other) => scoreOf(other) - scoreOf(one));
    return best?.path ?? everyOperation;
  };
}

/** Counts the requests in the text of a test file, by the ID of their operation. */
export function countCalls(
  text: string,
  operations: readonly Operation[],
): ReadonlyMap<string, number> {
  const { program } = parseSync("file.test.ts", text);
  const constants = new Map<string, Expression[]>();
  const calls: CallExpression[] = [];
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || init === null) return;
      constants.set(id.name, [...(constants.get(id.name) ?? []), init]);
    },
    CallExpression: (node) => void calls.push(node),
  }).visit(program);
  const called = calls.flatMap((node) => [
    ...requestsOf(node, constants).map((one) => operationOf(one, operations)),
    calledOperation(node, operations),
  ]);
  const counts = new Map<string, number>();
  for (const one of called) if (one) counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
  return counts;
}

interface Request {
  readonly method: string;
  /** Segments of the path; `{}` for a part that is only known at run time. */
  readonly segments: readonly string[];
  /** Whether the path begins with the first segment. A helper of the test may add a prefix. */
  readonly isWhole: boolean;
}

/** Returns the requests of a call: its arguments have a method, and the path after it. */
function requestsOf(
  { arguments: given }: CallExpression,
  constants: ReadonlyMap<string, readonly Expression[]>,
): readonly Request[] {
  return given.flatMap((argument, index) => {
    const path = given[index + 1];
    const isMethod = argument.type === "Literal" && methods.has(String(argument.value));
    if (!isMethod || path === undefined) return [];
    const texts = textsOf(path, constants, most.depth);
    return texts.map((text) => requestTo(String(argument.value), text));
  });
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Maximum number of values to follow: a name can have several values in a file, and values contain names. */
const most = { values: 8, depth: 8 };

/** Returns the texts that an expression can be, with `{}` for a part that is only known at run time. */
function textsOf(
  node: Argument,
  constants: ReadonlyMap<string, readonly Expression[]>,
  depth: number,
): readonly string[] {
  const unknown = ["{}"];
  if (depth === 0) return unknown;
  if (node.type === "Literal") return [String(node.value)];
  if (node.type === "ArrowFunctionExpression" && node.body.type !== "BlockStatement") {
    return textsOf(node.body, constants, depth - 1);
  }
  if (node.type === "CallExpression") return textsOf(node.callee, constants, depth - 1);
  if (node.type === "Identifier") {
    const values = constants.get(node.name)?.slice(0, most.values) ?? [];
    const texts = values.flatMap((value) => textsOf(value, constants, depth - 1));
    return texts.length === 0 ? unknown : texts;
  }
  if (node.type !== "TemplateLiteral") return unknown;
  let texts: readonly string[] = [""];
  for (const [index, { value }] of node.quasis.entries()) {
    texts = texts.map((text) => text + (value.cooked ?? ""));
    const inner = node.expressions[index];
    if (inner === undefined) continue;
    const parts = textsOf(inner, constants, depth - 1);
    texts = texts.flatMap((text) => parts.map((part) => text + part)).slice(0, most.values);
  }
  return texts;
}

function requestTo(method: string, text: string): Request {
  const path = text.replace(/^[a-z]+:\/\/[^/]*/u, "").replace(/[?#].*$/u, "");
  const isWhole = /^\/(?:api|build|auth|oauth)\//u.test(path);
  return { method, segments: segmentsOf(path.replace(/^\{\}/u, "")), isWhole };
}

/** Returns the operation of a request; undefined if several are possible. */
function operationOf(request: Request, operations: readonly Operation[]): Operation | undefined {
  const found = operations.flatMap((operation) => {
    const distance = distanceTo(request, operation);
    return distance === undefined ? [] : [{ operation, distance }];
  });
  const least = Math.min(...found.map(({ distance }) => distance));
  const [only, another] = found.filter(({ distance }) => distance === least);
  return another === undefined ? only?.operation : undefined;
}

/**
 * Returns the number of segments in which a request is less exact than the path of an operation: a text in the place of
 * a parameter, or a computed part in the place of a text. Returns undefined if the request cannot be for the operation.
 */
function distanceTo(
  { method, segments, isWhole }: Request,
  operation: Operation,
): number | undefined {
  const whole = segmentsOf(operation.path);
  const isAtEnd = isWhole ? segments.length === whole.length : segments.length <= whole.length;
  if (method !== operation.method || segments.length === 0 || !isAtEnd) return undefined;
  const wanted = whole.slice(whole.length - segments.length);
  // A computed end of a path identifies too little.
  if (!isWhole && !segments.some((one, at) => one === wanted[at])) return undefined;
  const distances = segments.map((segment, at) => segmentDistance(segment, wanted[at] ?? ""));
  return distances.includes(undefined)
    ? undefined
    : distances.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function segmentDistance(segment: string, wanted: string): number | undefined {
  if (wanted.startsWith("{")) return segment.includes("{}") ? 0 : 1;
  if (segment === wanted) return 0;
  const [start = "", end] = segment.split("{}", 2);
  const isPossible = end !== undefined && wanted.startsWith(start) && wanted.endsWith(end);
  return isPossible ? 1 : undefined;
}

/** Returns the operation of a call of the client. */
function calledOperation(
  { callee, arguments: given }: CallExpression,
  operations: readonly Operation[],
): Operation | undefined {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
  if (!clientCalls.has(callee.property.name)) return undefined;
  const [first] = given;
  return first?.type === "Identifier" ? operations.find(({ id }) => id === first.name) : undefined;
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}
