// The child process for one TypeScript manifest: reads its task from standard input, writes the documents to a pipe.
import { readFileSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { ScriptResult, ScriptDocument, ScriptTask } from "./script-run.ts";

const resultDescriptor = 3;
const maxDepth = 200;
const task = JSON.parse(readFileSync(0, "utf8")) as ScriptTask;
const address = pathToFileURL(task.file).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "svc-as-code/manifests"
      ? { url: pathToFileURL(task.builders).href, shortCircuit: true }
      : next(specifier, context),
});

/** An error whose message is shown without its class name. */
class NotJson extends Error {}

function sendResult(value: ScriptResult): void {
  const bytes = Buffer.from(JSON.stringify(value));
  for (let sent = 0; sent < bytes.length;) sent += writeSync(resultDescriptor, bytes, sent);
}

async function documents(): Promise<readonly ScriptDocument[]> {
  const { documents: exported } = (await import(address)) as { readonly documents?: unknown };
  if (exported === undefined) throw new NotJson('it does not export "documents"');
  const given: unknown =
    typeof exported === "function" ? await exported({ variables: task.variables }) : exported;
  if (!Array.isArray(given)) {
    throw new NotJson(
      `its "documents" ${typeof exported === "function" ? "does not return" : "is not"} a list`,
    );
  }
  return given.map((one: unknown, index) => {
    const value = jsonOf(one, `documents[${index}]`, 0);
    return { value, ...placeOf(one) };
  });
}

/** Returns the value as JSON. Omits members that are undefined. */
function jsonOf(value: unknown, at: string, level: number): unknown {
  if (level > maxDepth) throw new NotJson(`${at} is nested too deep, or contains itself`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    throw new NotJson(`${at} is ${value}, which is not JSON`);
  }
  if (typeof value !== "object") throw new NotJson(`${at} is ${nameOf(value)}, which is not JSON`);
  if (Array.isArray(value)) {
    return Array.from(value, (one: unknown, index) => jsonOf(one, `${at}[${index}]`, level + 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw new NotJson(`${at} is ${nameOf(value)}, which is not JSON`);
  }
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([name, one]) => [name, jsonOf(one, `${at}.${name}`, level + 1)]);
  return Object.fromEntries(members) as unknown;
}

function nameOf(value: unknown): string {
  if (typeof value !== "object" || value === null)
    return value === undefined ? "undefined" : `a ${typeof value}`;
  const { constructor } = value;
  return `a ${constructor.name}`;
}

/** Returns where in the manifest a builder was called. */
function placeOf(document: unknown): Omit<ScriptDocument, "value"> {
  const callSite: unknown =
    typeof document === "object" && document !== null
      ? Reflect.get(document, Symbol.for("svc-as-code.source"))
      : undefined;
  return callSite instanceof Error ? placeIn(callSite.stack) : {};
}

/** Returns the first place in the manifest that a stack trace names. */
function placeIn(stack: unknown): Omit<ScriptDocument, "value"> {
  if (typeof stack !== "string") return {};
  for (const name of [address, task.file]) {
    const from = stack.indexOf(`${name}:`);
    const [, line, column] = /^:(\d+)(?::(\d+))?/u.exec(stack.slice(from + name.length)) ?? [];
    if (from >= 0 && line !== undefined) return { line: Number(line), column: Number(column ?? 1) };
  }
  return {};
}

function failure(error: unknown): ScriptResult {
  if (!(error instanceof Error)) return { error: `it threw ${String(error)}`.slice(0, 2000) };
  const { name, message, stack } = error;
  const { code } = error as NodeJS.ErrnoException;
  const text = error instanceof NotJson ? message : `${name}: ${message}`;
  const denied = code === "ERR_ACCESS_DENIED" ? { denied: true } : {};
  return { error: text.slice(0, 2000), ...denied, ...placeIn(stack) };
}

try {
  sendResult({ documents: await documents() });
} catch (error) {
  sendResult(failure(error));
}
// Ends everything that the manifest left running.
process.exit(0);
