// Runs one TypeScript manifest in a child process without secrets or write access, with limits on time and memory.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { nodeCommand } from "../../core/system/node-command.ts";
import { withAncestors } from "../operator/path-containment.ts";

/** The task of the child process. */
export interface ScriptTask {
  /** Absolute path of the manifest. */
  readonly file: string;
  /** Absolute path of the module that resolves `svc-as-code/manifests`. */
  readonly builders: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
}

/** A document and, if known, its place in the manifest. Lines and columns count from 1. */
export interface ScriptDocument {
  readonly value: unknown;
  readonly line?: number;
  readonly column?: number;
}

/** The answer of the child process: documents, or an error. */
export type ScriptResult =
  | { readonly documents: readonly ScriptDocument[] }
  | {
      readonly error: string;
      /** True if the process was denied access. */
      readonly denied?: boolean;
      /** Set if the output exceeds the limit. */
      readonly tooLarge?: true;
      readonly line?: number;
      readonly column?: number;
    };

/** The manifest to run, and its limits. */
export interface ScriptOptions {
  /** Absolute path of the manifest. */
  readonly file: string;
  /** Absolute path of the Stack's folder, which the manifest may read. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** Runs a manifest and returns its documents or an error. Always ends the child process. */
export async function runScript(run: ScriptOptions): Promise<ScriptResult> {
  const {
    file,
    folder,
    variables,
    timeoutMs: ms = limits.scriptMs,
    maxBytes: bytes = limits.manifestBytes,
  } = run;
  const { child: program, builders, readable: own } = childModules();
  const readable = [program, ...own, ...readableFor([path.dirname(file), folder])];
  const command = nodeCommand(
    [
      "--permission",
      ...readable.map((one) => `--allow-fs-read=${one}`),
      `--max-old-space-size=${limits.scriptMegabytes}`,
    ],
    program,
  );
  const child = spawn(command.file, command.args, {
    cwd: folder,
    // Hides even the time zone, so that a manifest gives the same documents everywhere.
    env: { TZ: "UTC", ...command.env },
    stdio: ["pipe", "ignore", "ignore", "pipe"],
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let result: ScriptResult | undefined;
    const stop = (answer: ScriptResult): void => {
      result ??= answer;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(stop, ms, { error: `it took longer than ${ms / 1000} seconds` });
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytes) stop({ error: `it returns more than ${bytes} bytes`, tooLarge: true });
      else chunks.push(chunk);
    });
    child.on("error", ({ message }) => stop({ error: `it cannot be run: ${message}` }));
    // If the process ends before it has read its task, its exit code is reported.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify({ file, builders, variables } satisfies ScriptTask));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(result ?? parseResult(Buffer.concat(chunks), exitReason(code, signal)));
    });
  });
}

function exitReason(code: number | null, signal: string | null): string {
  // Node's exit code for a top-level await that never settles.
  if (code === 13) return "it awaits a promise that never settles";
  return `it exited with ${code ?? signal ?? "nothing"} before it returned its documents`;
}

/** Parses the answer of the child process, which is untrusted. */
function parseResult(bytes: Buffer, otherwise: string): ScriptResult {
  const given = parsed(bytes.toString("utf8"));
  if (!isObject(given)) return { error: otherwise };
  const { documents, error, denied } = given;
  if (typeof error === "string") {
    return { error, denied: denied === true, ...placeIn(given) };
  }
  if (!Array.isArray(documents)) return { error: otherwise };
  const found = documents.map((one: JsonValue) => (isObject(one) ? one : {}));
  const invalid = found.findIndex(({ value }) => !isObject(value));
  if (invalid >= 0) return { error: `documents[${invalid}] is not a document` };
  return { documents: found.map((one) => ({ value: one["value"], ...placeIn(one) })) };
}

function placeIn({ line, column }: Readonly<Record<string, unknown>>) {
  return isCount(line) && isCount(column) ? { line, column } : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** Returns the modules of the child process: sources in a checkout, bundles in a build. */
function childModules(): {
  readonly child: string;
  readonly builders: string;
  /** Paths that the child process may read. */
  readonly readable: readonly string[];
} {
  const here = import.meta.dirname;
  if (import.meta.filename.endsWith(".ts")) {
    return {
      child: path.join(here, "./script-child.ts"),
      builders: path.join(here, "../../provider/manifests/sdk/index.ts"),
      readable: [path.join(here, "../../provider/manifests")],
    };
  }
  const inside = `${path.sep}dist${path.sep}`;
  const dist = here.slice(0, `${here}${path.sep}`.lastIndexOf(inside) + inside.length);
  const builders = path.join(dist, "manifests", "index.js");
  const child = path.join(dist, "manifests", "script-child.js");
  return { child, builders, readable: [builders] };
}

/** Returns folders, and the packages that modules in them can import. */
function readableFor(folders: readonly string[]): readonly string[] {
  const all = folders.flatMap((folder) => [folder, realpathSync(folder)]);
  const packages = all.flatMap((folder) =>
    withAncestors(folder).flatMap((one) => [
      path.join(one, "node_modules"),
      path.join(one, "package.json"),
    ]),
  );
  return [...new Set([...all, ...packages])];
}
