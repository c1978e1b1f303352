// Runs one TypeScript manifest: in a process of its own, that knows no key, writes nothing, and has little time and memory.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { isObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { withAncestors } from "../operator/path-containment.ts";

/** What the process is told. */
export interface ScriptTask {
  /** Absolute path of the manifest. */
  readonly file: string;
  /** Absolute path of the module that stands for `svc-as-code/manifests`. */
  readonly builders: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
}

/** A document, and where in the manifest it was made, if that is known; lines and columns count from 1. */
export interface ScriptDocument {
  readonly value: unknown;
  readonly line?: number;
  readonly column?: number;
}

/** What the process says: the documents, or why there are none. */
export type ScriptResult =
  | { readonly documents: readonly ScriptDocument[] }
  | {
      readonly error: string;
      /** It wanted what such a process may not do. */
      readonly denied?: boolean;
      /** There was more than is taken. */
      readonly tooLarge?: true;
      readonly line?: number;
      readonly column?: number;
    };

/** What is run, and within which bounds. */
export interface ScriptOptions {
  /** Absolute path of the manifest. */
  readonly file: string;
  /** Absolute path of the Stack's folder, which may be read. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** What the manifest gives; whatever it does, an answer, and nothing of it is left running. */
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
  const child = spawn(
    process.execPath,
    [
      "--permission",
      ...readable.map((one) => `--allow-fs-read=${one}`),
      `--max-old-space-size=${limits.scriptMegabytes}`,
      program,
    ],
    // Not even the time zone of the machine: the same manifest gives the same documents everywhere.
    { cwd: folder, env: { TZ: "UTC" }, stdio: ["pipe", "ignore", "ignore", "pipe"] },
  );
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let told: ScriptResult | undefined;
    const stop = (answer: ScriptResult): void => {
      told ??= answer;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(stop, ms, { error: `it took longer than ${ms / 1000} seconds` });
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytes) stop({ error: `it gives more than ${bytes} bytes`, tooLarge: true });
      else chunks.push(chunk);
    });
    child.on("error", ({ message }) => stop({ error: `it cannot be run: ${message}` }));
    // A process that ends before it has read everything is told by what it ends with.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify({ file, builders, variables } satisfies ScriptTask));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(told ?? parseResult(Buffer.concat(chunks), exitReason(code, signal)));
    });
  });
}

function exitReason(code: number | null, signal: string | null): string {
  // What Node says of a program that waits for something that nothing brings any more.
  if (code === 13) return "it waits for something that never comes";
  return `it ended with ${code ?? signal ?? "nothing"} before it gave its documents`;
}

/** The answer of a process that runs somebody's code: nothing about it is taken for granted. */
function parseResult(bytes: Buffer, otherwise: string): ScriptResult {
  const given = parsed(bytes.toString("utf8"));
  if (!isObject(given)) return { error: otherwise };
  const { documents, error, denied } = given;
  if (typeof error === "string") {
    return { error, denied: denied === true, ...placeIn(given) };
  }
  if (!Array.isArray(documents)) return { error: otherwise };
  const made = documents.map((one: JsonValue) => (isObject(one) ? one : {}));
  const wrong = made.findIndex(({ value }) => !isObject(value));
  if (wrong >= 0) return { error: `documents[${wrong}] is no document` };
  return { documents: made.map((one) => ({ value: one["value"], ...placeIn(one) })) };
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

/** What runs in the process, and the builders: sources beside this one, or what the build has made of them. */
function childModules(): {
  readonly child: string;
  readonly builders: string;
  /** What the builders are made of. */
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

/** Folders with all that is in them, and the packages that modules in them can import. */
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
