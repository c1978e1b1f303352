// Reading the configuration of a controller: every mistake with its place, and nothing from where a source could change it.
import path from "node:path";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { Secret } from "../core/secret.ts";
import {
  type ConfigFileError,
  readConfigFile,
  readConfigDocument,
} from "../reconciler/manifest/config-file.ts";
import type { Grants } from "../reconciler/operator/grants.ts";
import { grantsFromFile, grantsErrors } from "../reconciler/policy/grants-file.ts";
import { isModifiableFrom } from "../reconciler/operator/path-containment.ts";
import { milliseconds } from "../reconciler/model/duration.ts";
import { readRules } from "../reconciler/policy/policy-file.ts";
import type { PolicyRule, Severity } from "../reconciler/policy/policy-rule.ts";
import type { Connection } from "../reconciler/verbs/session.ts";
import {
  controllerConfigSchema,
  type ControllerDocument,
  type SourceDocument,
} from "./config-schema.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a secret is: it is read anew for each round. */
export interface SecretSource {
  readonly env?: string | undefined;
  /** Absolute. */
  readonly file?: string | undefined;
}

/** A reference of a Git repository. */
export interface GitSource {
  /** Without any password. */
  readonly url: string;
  /** `HEAD`, or a whole reference. */
  readonly ref: string;
  /** In the repository; empty for all of it. */
  readonly path: string;
  readonly token: SecretSource | undefined;
  readonly username: string;
}

/** One source of a controller. */
export interface Source {
  readonly name: string;
  /** What its Stack is called; one of another name would work with another's inventory. */
  readonly stack: string;
  /** Of these two there is one. `folder` is absolute. */
  readonly git: GitSource | undefined;
  readonly folder: string | undefined;
  /** Undefined for the server that the environment names. */
  readonly server:
    | { readonly url: string; readonly apiKey: SecretSource; readonly scheme: Connection["scheme"] }
    | undefined;
  readonly mode: "plan" | "apply";
  readonly intervalMs: number;
  readonly jitterMs: number;
  readonly retry: { readonly firstMs: number; readonly maxMs: number };
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly grants: Grants;
  readonly rules: readonly PolicyRule[];
  readonly failOn: Severity;
  readonly suspend:
    | { readonly reason: string; readonly owner: string; readonly expires: string }
    | undefined;
  readonly webhook: SecretSource | undefined;
}

/** What a controller looks after. */
export interface ControllerConfig {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of the controller's own folder. */
  readonly state: string;
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly sources: readonly Source[];
}

/** Reads a configuration. Fails with `usage` and every mistake in it, and where a source could change it. */
export function readControllerConfig(file: string): ControllerConfig {
  const given = readConfigDocument(file, {
    label: "configuration of a controller",
    schema: controllerConfigSchema,
    maxBytes: limits.controllerBytes,
    remedy: "docs/reference/controller.md shows one, schemas/controller.json says what it may hold",
    validate: (value) => semanticErrors(value as ControllerDocument, path.resolve(file)),
  }) as ControllerDocument | undefined;
  if (given === undefined) throw new Failure("usage", `${file} is empty`);
  const at = path.resolve(file);
  const { listen } = given;
  return {
    file: at,
    state: path.resolve(path.dirname(at), given.state),
    listen: listen && { host: listen.host ?? "127.0.0.1", port: listen.port },
    sources: given.sources.map((one) => sourceOf(one, at)),
  };
}

/** The secret at a place. Fails with `unauthenticated` where there is none. */
export function readSecret({ env: name, file }: SecretSource, env: Env): Secret {
  const found = name === undefined ? readSecretFile(file ?? "") : (env[name] ?? "");
  if (found.trim() !== "" && found.length <= limits.secretBytes) return new Secret(found.trim());
  const where = name === undefined ? `the file ${file}` : `the environment variable ${name}`;
  throw new Failure("unauthenticated", `${where} holds no secret`, {
    remedy: "the configuration of the controller names it",
  });
}

/** Nothing where the file cannot be read: then there is no secret either. */
function readSecretFile(file: string): string {
  try {
    return readConfigFile(file);
  } catch {
    return "";
  }
}

/** Which server a source is for. Fails with `usage` or `unauthenticated` where nobody says. */
export function connectionOf({ server }: Source, env: Env): Connection {
  if (server !== undefined) {
    const { url, apiKey, scheme } = server;
    return { url, credential: readSecret(apiKey, env), scheme };
  }
  const url = env["SVC_API_URL"];
  if (url === undefined || url === "") {
    throw new Failure("usage", "the source names no server, and SVC_API_URL is not set", {
      remedy: "write server: { url, apiKey } into the configuration, or set SVC_API_URL",
    });
  }
  return { url, credential: readSecret({ env: "SVC_API_KEY" }, env) };
}

function sourceOf(given: SourceDocument, file: string): Source {
  const { name, git, folder, server, retry = {}, variables = {}, policies = [], suspend } = given;
  const below = (one: string): string => path.resolve(path.dirname(file), one);
  const placeOf = (one: SecretSource | undefined): SecretSource | undefined =>
    one && { env: one.env, file: one.file && below(one.file) };
  const intervalMs = millisecondsOr(given.interval, limits.controllerIntervalMs);
  return {
    name,
    stack: given.stack ?? name,
    git: git && {
      url: isLocalPath(git.url) ? below(git.url) : git.url,
      ref: git.ref ?? (git.branch === undefined ? "HEAD" : `refs/heads/${git.branch}`),
      path: path.posix.normalize(git.path ?? ".").replace(/^\.$|\/$/gu, ""),
      token: placeOf(git.token),
      username: git.username ?? "x-access-token",
    },
    folder: folder && below(folder),
    server: server && {
      url: server.url,
      apiKey: placeOf(server.apiKey) ?? {},
      scheme: server.scheme as Connection["scheme"],
    },
    mode: given.mode === "apply" ? "apply" : "plan",
    intervalMs,
    jitterMs: millisecondsOr(given.jitter, Math.floor(intervalMs / 10)),
    retry: {
      firstMs: millisecondsOr(retry.first, limits.controllerRetryFirstMs),
      maxMs: millisecondsOr(retry.max, limits.controllerRetryMaxMs),
    },
    variables: variables as Source["variables"],
    grants: grantsFromFile({ maxDeletes: 0, ...given.grants }, file),
    rules: policies.flatMap((one) => readRules(one === "recommended" ? one : below(one))),
    failOn: (given.failOn ?? "error") as Severity,
    suspend,
    webhook: placeOf(given.webhook),
  };
}

function millisecondsOr(text: string | undefined, otherwise: number): number {
  if (text === "0s") return 0;
  return text === undefined ? otherwise : milliseconds(text);
}

/** True for what Git takes for a folder of this machine. */
export function isLocalPath(url: string): boolean {
  return /^(?:\/|\.\.?\/)/u.test(url);
}

function semanticErrors(
  { state, sources }: ControllerDocument,
  file: string,
): readonly ConfigFileError[] {
  const own = path.resolve(path.dirname(file), state);
  const found: ConfigFileError[] = [];
  if (isModifiableFrom(own, file)) {
    const summary = "the configuration lies in the folder of the controller's state";
    found.push({ path: "/state", summary, remedy: "Keep it elsewhere." });
  }
  const before = new Set<string>();
  const writers = new Map<string, string>();
  for (const [index, one] of sources.entries()) {
    const at = `/sources/${index}`;
    const tell = (below: string, summary: string, remedy: string): void => {
      found.push({ path: `${at}${below}`, summary, remedy });
    };
    if (before.has(one.name)) tell("/name", `another source is called ${one.name}`, "Rename one.");
    before.add(one.name);
    if (one.mode === "apply") {
      const written = writeTarget(one);
      const other = writers.get(written);
      const summary = `the source ${other} applies a stack of this name to this server, and each would undo the other`;
      if (other !== undefined)
        tell(
          one.stack === undefined ? "/name" : "/stack",
          summary,
          "Keep one, or let it only plan.",
        );
      writers.set(written, one.name);
    }
    locationErrors(one, { file, own }, tell);
    secretErrors(one, tell);
    durationErrors(one, tell);
    for (const wrong of grantsErrors(one.grants ?? {})) {
      found.push({ ...wrong, path: `${at}/grants${wrong.path}` });
    }
  }
  return found;
}

/** Which stack of which server a source writes; the same text for the same. */
function writeTarget({ name, stack = name, server }: SourceDocument): string {
  return JSON.stringify([stack, server && new URL(server.url).origin]);
}

type AddError = (below: string, summary: string, remedy: string) => void;

function locationErrors(
  { git, folder }: SourceDocument,
  { file, own }: { readonly file: string; readonly own: string },
  tell: AddError,
): void {
  if ((git === undefined) === (folder === undefined)) {
    tell("", "a source is either git or a folder", "Say one of the two.");
  }
  const local = folder ?? (git !== undefined && isLocalPath(git.url) ? git.url : undefined);
  const at = folder === undefined ? "/git/url" : "/folder";
  const absolute = local && path.resolve(path.dirname(file), local);
  if (absolute !== undefined && isModifiableFrom(absolute, file)) {
    const summary =
      "the configuration lies in this source, so whoever changes it grants to themselves";
    tell(at, summary, "Keep it where a change of the source does not reach.");
  }
  if (
    absolute !== undefined &&
    (isModifiableFrom(absolute, own) || isModifiableFrom(own, absolute))
  ) {
    tell(at, "the source and the state of the controller lie in each other", "Keep them apart.");
  }
  if (git !== undefined) gitErrors(git, tell);
}

function gitErrors(
  { url, branch, ref, path: below, token }: NonNullable<SourceDocument["git"]>,
  tell: AddError,
): void {
  const remote =
    /^(?:https?|ssh):\/\/[^\s/]+\/\S+$/u.test(url) || /^[\w.-]+@[\w.-]+:[^\s:]+$/u.test(url);
  if (!isLocalPath(url) && (!remote || url.includes("::"))) {
    tell(
      "/git/url",
      "this is no address that is fetched from",
      "Write https://, ssh://, user@host:path, or a folder.",
    );
  } else if (/^\w+:\/\/[^/@]*:[^/@]*@|^https?:\/\/[^/]*@/u.test(url)) {
    tell(
      "/git/url",
      "the address holds credentials, which are shown wherever it is",
      "Name them as username and token.",
    );
  }
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//u.test(url);
  if (url.startsWith("http://") && !isHere) {
    const summary = "what comes over http can be changed on its way, and what it says is applied";
    tell("/git/url", summary, "Use https or ssh; http goes to this machine itself alone.");
  }
  if (token !== undefined && !url.startsWith("https://")) {
    if (!isHere) tell("/git/token", "a token goes over https alone", "Use an https address.");
  }
  if (branch !== undefined && ref !== undefined) {
    tell("/git/ref", "there is a branch and a ref", "Say one of the two.");
  }
  if (
    branch !== undefined &&
    !/^(?![-/])(?!.*(?:\.\.|\/\/|@\{))[^\s:^~?*[\\]+(?<![./])$/u.test(branch)
  ) {
    tell("/git/branch", "this is no name of a branch", "Write it without refs/heads/.");
  }
  const parts = (below ?? ".").split("/");
  if (path.posix.isAbsolute(below ?? ".") || parts.includes("..") || parts.includes(".git")) {
    tell("/git/path", "the path leaves the repository", "Write a path below its root.");
  }
}

function secretErrors(given: SourceDocument, tell: AddError): void {
  const places = {
    "/git/token": given.git?.token,
    "/server/apiKey": given.server?.apiKey,
    "/webhook": given.webhook,
  };
  for (const [at, one] of Object.entries(places)) {
    if (one === undefined || (one.env === undefined) !== (one.file === undefined)) continue;
    tell(at, "a secret is either in an environment variable or in a file", "Say env or file.");
  }
}

function durationErrors({ interval, retry = {}, suspend }: SourceDocument, tell: AddError): void {
  const min = limits.controllerIntervalMinMs;
  const first = millisecondsOr(retry.first, limits.controllerRetryFirstMs);
  if (interval !== undefined && milliseconds(interval) < min) {
    tell("/interval", "the interval is too short", `Use ${min / 1000}s or more.`);
  }
  if (retry.max !== undefined && milliseconds(retry.max) < first) {
    tell("/retry/max", "the longest pause is shorter than the first", "Use a longer one.");
  }
  if (suspend !== undefined && Number.isNaN(Date.parse(`${suspend.expires}T00:00:00Z`))) {
    tell("/suspend/expires", "there is no such day", "Write it as 2027-03-01.");
  }
}
