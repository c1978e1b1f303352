// The file with the contexts of `svc login`: servers and credentials by name, readable by its owner only.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "smol-toml";
import { refuseOpenFile } from "../files/secret-file.ts";
import { Failure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { didYouMean, sentences } from "../core/text/naming.ts";
import { makePrivateFolder, writeAtomically } from "../files/atomic-files.ts";
import { systemErrorText } from "../core/system/system-error.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A server with the credential that `svc login` saved for it. */
export interface SavedContext {
  readonly name: string;
  readonly url: string;
  readonly apiKey: Secret;
  /** Undefined for an API key. */
  readonly refreshToken: Secret | undefined;
}

/** The contents of the file. */
export interface SavedContexts {
  readonly active: string | undefined;
  readonly contexts: readonly SavedContext[];
}

/**
 * Returns the path of the file: `SVC_CONFIG_FILE`, otherwise `svc/config.toml` in the user's configuration. Undefined
 * if the environment names no home.
 */
export function contextFilePath(env: Environment): string | undefined {
  const { SVC_CONFIG_FILE: named, APPDATA: windows, HOME: home } = env;
  if (named !== undefined) return named === "" ? undefined : named;
  if (process.platform === "win32") return windows && join(windows, "svc", "config.toml");
  return home === undefined || home === ""
    ? undefined
    : join(home, ".config", "svc", "config.toml");
}

/** Reads the file; no contexts if it does not exist. Fails with `corrupt` if it is damaged. */
export function readContexts(path: string): SavedContexts {
  const { default_context: active, contexts } = readDocument(path);
  const entries = isObject(contexts) ? Object.entries(contexts) : [];
  return {
    active: typeof active === "string" ? active : undefined,
    contexts: entries.flatMap(([name, value]) => contextOf(path, name, value)),
  };
}

function contextOf(path: string, name: string, value: unknown): readonly SavedContext[] {
  const { url, api_key: key, refresh_token: refresh } = isObject(value) ? value : {};
  if (typeof url !== "string" || typeof key !== "string") {
    throw damaged(path, `the context ${JSON.stringify(name)} lacks url or api_key`);
  }
  const refreshToken = typeof refresh === "string" ? new Secret(refresh) : undefined;
  return [{ name, url, apiKey: new Secret(key), refreshToken }];
}

/** Saves a context and makes it the active one if `isActive`. Keeps the other contents of the file. */
export async function saveContext(
  path: string,
  context: SavedContext,
  { isActive }: { isActive: boolean },
): Promise<void> {
  await withLockedFile(path, () => storeContext(path, context, { isActive }));
}

/** Removes a context. */
export async function removeContext(path: string, name: string): Promise<void> {
  await withLockedFile(path, () => {
    const document = readDocument(path);
    const { [name]: _removed, ...contexts } = isObject(document["contexts"])
      ? document["contexts"]
      : {};
    const { default_context: active, ...rest } = document;
    const kept = active === name || active === undefined ? {} : { default_context: active };
    writeDocument(path, { ...kept, ...rest, contexts });
  });
}

/** Makes a context the active one. Fails with `not_found` if there is none of that name. */
export async function activateContext(path: string, name: string): Promise<void> {
  await withLockedFile(path, () => {
    const { contexts } = readContexts(path);
    if (!contexts.some((one) => one.name === name)) throw unknownContext(name, contexts);
    writeDocument(path, { ...readDocument(path), default_context: name });
  });
}

/** Returns the error for a context that does not exist. */
export function unknownContext(name: string, contexts: readonly SavedContext[]): Failure {
  const names = contexts.map((one) => one.name);
  const meant = contexts.length > 1 ? didYouMean(name, names) : undefined;
  return new Failure("not_found", `there is no context ${JSON.stringify(name)}`, {
    remedy: sentences(meant, contextRemedy(contexts)),
  });
}

/** Returns the remedy for a missing active context. Names the existing contexts, if there are any. */
export function contextRemedy(contexts: readonly SavedContext[]): string {
  const [first, ...others] = contexts.map((one) => one.name);
  if (first === undefined) return "Create one with `svc login`.";
  return others.length === 0
    ? `The only one is ${first}: activate it with \`svc context use ${first}\`, or run \`svc login\`.`
    : `Choose one of ${[first, ...others].join(", ")} with \`svc context use\`, or run \`svc login\`.`;
}

/** Stores a context. The caller holds the lock of the file. */
export function storeContext(
  path: string,
  { name, url, apiKey, refreshToken }: SavedContext,
  { isActive }: { isActive: boolean },
): void {
  const document = readDocument(path);
  const contexts = isObject(document["contexts"]) ? document["contexts"] : {};
  const saved = {
    url,
    api_key: apiKey.reveal(),
    ...(refreshToken && { refresh_token: refreshToken.reveal() }),
  };
  writeDocument(path, {
    ...document,
    ...(isActive && { default_context: name }),
    contexts: { ...contexts, [name]: saved },
  });
}

/** Runs work while no other process changes the file. */
export async function withLockedFile<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    makePrivateFolder(dirname(path));
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
  // Loaded on first use: it patches `fs` and listens to signals.
  const { default: lockfile } = await import("proper-lockfile");
  const release = await lockfile
    .lock(path, {
      // The file need not exist.
      realpath: false,
      stale: limits.contextLockMs,
      retries: { retries: limits.contextLockAttempts, minTimeout: 20, maxTimeout: 500 },
      onCompromised: () => undefined,
    })
    .catch((cause: unknown) => {
      throw cannotWrite(path, cause);
    });
  try {
    return await work();
  } finally {
    // A guard that another process removed as stale is released already.
    await release().catch(() => undefined);
  }
}

function readDocument(path: string): JsonObject {
  refuseOpenFile(path);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Failure("usage", `the configuration file ${path} cannot be read`, { cause });
  }
  if (text.length > limits.contextFileBytes) throw damaged(path, "it is too large");
  try {
    return parse(text) as JsonObject;
  } catch (error) {
    // The message of the parser quotes lines, which contain credentials.
    const line = (error as { line?: unknown }).line;
    throw damaged(path, typeof line === "number" ? `line ${line} is not TOML` : "it is not TOML");
  }
}

/** Replaces the file: complete and durable, or not at all. */
function writeDocument(path: string, document: JsonObject): void {
  try {
    writeAtomically(path, [stringify(document)]);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

function cannotWrite(path: string, cause: unknown): Failure {
  const reason = systemErrorText(cause);
  return new Failure("usage", `the configuration file ${path} cannot be changed: ${reason}`, {
    cause,
    remedy: "Check the permissions of its folder, or name another file in SVC_CONFIG_FILE.",
  });
}

function damaged(path: string, problem: string): Failure {
  return new Failure("corrupt", `the configuration file ${path} is damaged: ${problem}`, {
    remedy: "Correct the file, or remove it and run `svc login` again.",
  });
}
