// Reads the configuration of a controller, and reports all errors with their places.
import path from "node:path";
import { resolveAccess } from "../client/access.ts";
import { workloadCredential } from "../client/workload-token.ts";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { readTextFile } from "../files/text-file.ts";
import type { Role } from "./api-types.ts";
import { type NotificationType, notificationTypes } from "./notification-types.ts";
import { isLocalPath } from "../git/environment.ts";
import type { HostQueueLimits } from "../git/host-queue.ts";
import { type ConfigFileError, readConfigDocument } from "../reconciler/document-types.ts";
import { grantsFromFile, grantsErrors, isModifiableFrom } from "../reconciler/sessions.ts";
import { milliseconds } from "../core/text/duration.ts";
import {
  controllerConfigSchema,
  type ControllerDocument,
  type SourceDocument,
} from "./config-schema.ts";
import {
  type Connection,
  type Grants,
  type PolicyRule,
  type Severity,
  readRules,
} from "../reconciler/index.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The source of a secret. The secret is read again for each reconciliation. */
export interface SecretSource {
  readonly env?: string | undefined;
  /** Absolute. */
  readonly file?: string | undefined;
}

/** A reference of a Git repository. */
export interface GitSource {
  /** Without a password. */
  readonly url: string;
  /** `HEAD`, or a full reference. */
  readonly ref: string;
  /** Folder in the repository; empty for the root. */
  readonly path: string;
  readonly token: SecretSource | undefined;
  readonly username: string;
  /** Absolute path of the certificate authorities of an https URL. Undefined: the system's. */
  readonly ca: string | undefined;
  /** Absolute path of the known hosts of an ssh URL. Undefined: the user's. */
  readonly knownHosts: string | undefined;
  /** Absolute path of the private key for an ssh URL. Undefined: the user's. */
  readonly sshKey: string | undefined;
}

/** One source of a controller. */
export interface Source {
  readonly name: string;
  /** Name of its Stack. A Stack with another name would use another inventory. */
  readonly stack: string;
  /** Either `git` or `folder` is set. `folder` is absolute. */
  readonly git: GitSource | undefined;
  readonly folder: string | undefined;
  /** Undefined: the server that the environment names. */
  readonly server:
    | {
        readonly url: string;
        /** Either `apiKey` or `oidcToken` is set. */
        readonly apiKey: SecretSource | undefined;
        readonly oidcToken: SecretSource | undefined;
        readonly scheme: Connection["scheme"];
      }
    | undefined;
  readonly mode: "plan" | "apply";
  readonly intervalMs: number;
  readonly jitterMs: number;
  readonly retry: { readonly firstMs: number; readonly maxMs: number };
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly grants: Grants;
  readonly rules: readonly PolicyRule[];
  readonly failOn: Severity;
  /** Undefined: the default of an apply. */
  readonly onConflict: "overwrite" | undefined;
  readonly suspend:
    | { readonly reason: string; readonly owner: string; readonly expires: string }
    | undefined;
  readonly webhook: SecretSource | undefined;
}

/** A token of the API. */
export interface ApiToken {
  /** Whom decisions name. */
  readonly name: string;
  readonly role: Role;
  readonly secret: SecretSource;
}

/** Where to send notifications. */
export interface NotificationTarget {
  readonly name: string;
  readonly type: "webhook" | "slack";
  readonly url: SecretSource;
  /** Set for a webhook. */
  readonly secret: SecretSource | undefined;
  readonly on: readonly NotificationType[];
}

/** Where a controller listens. */
export interface ListenConfig {
  readonly host: string;
  readonly port: number;
  /** Empty: there is no API and no page. */
  readonly tokens: readonly ApiToken[];
}

/** The configuration of a controller. */
export interface ControllerConfig {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of the controller's own folder. */
  readonly state: string;
  readonly listen: ListenConfig | undefined;
  /** Concurrent reconciliations, in total and for each server. */
  readonly concurrency: HostQueueLimits;
  readonly notify: readonly NotificationTarget[];
  readonly sources: readonly Source[];
}

/** Reads a configuration file. Fails with `usage` and all errors, also if a source could change the file. */
export function readControllerConfig(file: string): ControllerConfig {
  const given = readConfigDocument(file, {
    label: "configuration of a controller",
    schema: controllerConfigSchema,
    maxBytes: limits.controllerBytes,
    remedy: "`svc help controller-file` shows an example and describes the fields.",
    validate: (value) => semanticErrors(value as ControllerDocument, path.resolve(file)),
  }) as ControllerDocument | undefined;
  if (given === undefined) throw new Failure("usage", `${file} is empty`);
  const at = path.resolve(file);
  const { listen, concurrency = {} } = given;
  const { total, perHost } = limits.controllerReconciliations;
  return {
    file: at,
    state: path.resolve(path.dirname(at), given.state),
    listen: listen && {
      host: listen.host ?? "127.0.0.1",
      port: listen.port,
      tokens: (listen.tokens ?? []).map(({ name, role, secret }) => ({
        name,
        role: role as Role,
        secret: secretPlace(secret, at),
      })),
    },
    concurrency: {
      total: concurrency.total ?? total,
      perHost: concurrency.perServer ?? perHost,
    },
    notify: (given.notify ?? []).map(({ name, type, url, secret, on }) => ({
      name,
      type: type === "slack" ? "slack" : "webhook",
      url: secretPlace(url, at),
      secret: secret && secretPlace(secret, at),
      on: (on ?? notificationTypes) as readonly NotificationType[],
    })),
    sources: given.sources.map((one) => sourceOf(one, at)),
  };
}

/** Reads a secret. Fails with `unauthenticated` if it is missing. */
export function readSecret({ env: name, file }: SecretSource, env: Env): Secret {
  const found = name === undefined ? readSecretFile(file ?? "") : (env[name] ?? "");
  if (found.trim() !== "" && found.length <= limits.secretBytes) return new Secret(found.trim());
  const where = name === undefined ? `the file ${file}` : `the environment variable ${name}`;
  throw new Failure("unauthenticated", `${where} contains no secret`, {
    remedy: "Set it, or change the controller's configuration, which names it.",
  });
}

/** Returns an empty text if the file cannot be read. */
function readSecretFile(file: string): string {
  try {
    return readTextFile(file);
  } catch {
    return "";
  }
}

/** Returns the server of a source. Fails with `usage` or `unauthenticated` if none is configured. */
export function connectionOf({ server }: Source, env: Env): Connection {
  if (server !== undefined) {
    const { url, apiKey, oidcToken, scheme } = server;
    if (oidcToken === undefined) return { url, credential: readSecret(apiKey ?? {}, env), scheme };
    const read = async () => readSecret(oidcToken, env);
    return { url, credential: undefined, renewCredential: workloadCredential(url, read, env) };
  }
  const { url, credential, renewCredential } = resolveAccess({}, env);
  if (url === undefined) {
    throw new Failure("usage", "the source names no server, and SVC_API_URL is not set", {
      remedy:
        "Add server: { url, apiKey } to the configuration, set SVC_API_URL, or run `svc login`.",
    });
  }
  if (credential === undefined && renewCredential === undefined) {
    return { url, credential: readSecret({ env: "SVC_API_KEY" }, env) };
  }
  return { url, credential, renewCredential };
}

function sourceOf(given: SourceDocument, file: string): Source {
  const { name, git, folder, server, retry = {}, variables = {}, policies = [], suspend } = given;
  const below = (one: string): string => path.resolve(path.dirname(file), one);
  const placeOf = (one: SecretSource | undefined): SecretSource | undefined =>
    one && secretPlace(one, file);
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
      ca: git.ca && below(git.ca),
      knownHosts: git.knownHosts && below(git.knownHosts),
      sshKey: git.sshKey && below(git.sshKey),
    },
    folder: folder && below(folder),
    server: server && {
      url: server.url,
      apiKey: placeOf(server.apiKey),
      oidcToken: placeOf(server.oidcToken),
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
    onConflict: given.onConflict === "overwrite" ? "overwrite" : undefined,
    suspend,
    webhook: placeOf(given.webhook),
  };
}

/** Returns where a secret is; a relative path begins at the configuration. */
function secretPlace(secret: SecretSource, file: string): SecretSource {
  return { env: secret.env, file: secret.file && path.resolve(path.dirname(file), secret.file) };
}

function millisecondsOr(text: string | undefined, otherwise: number): number {
  if (text === "0s") return 0;
  return text === undefined ? otherwise : milliseconds(text);
}

function semanticErrors(
  { state, sources, listen, notify = [] }: ControllerDocument,
  file: string,
): readonly ConfigFileError[] {
  const own = path.resolve(path.dirname(file), state);
  const found: ConfigFileError[] = [];
  if (isModifiableFrom(own, file)) {
    const summary = "the configuration is inside the state folder of the controller";
    found.push({ path: "/state", summary, remedy: "Move it to another folder." });
  }
  found.push(...tokenErrors(listen?.tokens ?? []), ...notificationErrors(notify));
  const before = new Set<string>();
  const writers = new Map<string, string>();
  for (const [index, one] of sources.entries()) {
    const at = `/sources/${index}`;
    const report = (below: string, summary: string, remedy: string): void => {
      found.push({ path: `${at}${below}`, summary, remedy });
    };
    if (before.has(one.name))
      report("/name", `another source is called ${one.name}`, "Rename one.");
    before.add(one.name);
    if (one.mode === "apply") {
      const written = writeTarget(one);
      const other = writers.get(written);
      const summary = `the source ${other} applies a stack of this name to the same server, so each would revert the other`;
      if (other !== undefined)
        report(
          one.stack === undefined ? "/name" : "/stack",
          summary,
          "Remove one, or set its mode to plan.",
        );
      writers.set(written, one.name);
    }
    locationErrors(one, { file, own }, report);
    secretErrors(one, report);
    durationErrors(one, report);
    for (const wrong of grantsErrors(one.grants ?? {})) {
      found.push({ ...wrong, path: `${at}/grants${wrong.path}` });
    }
  }
  return found;
}

/** Returns a key of the stack and server that a source writes. */
function writeTarget({ name, stack = name, server }: SourceDocument): string {
  return JSON.stringify([stack, server && new URL(server.url).origin]);
}

function tokenErrors(
  tokens: NonNullable<NonNullable<ControllerDocument["listen"]>["tokens"]>,
): readonly ConfigFileError[] {
  const names = tokens.map(({ name }) => name);
  return tokens.flatMap(({ name, secret }, index) => {
    const at = `/listen/tokens/${index}`;
    const errors: ConfigFileError[] = [];
    if (names.indexOf(name) < index) {
      const summary = `another token is called ${name}, so decisions would not say who made them`;
      errors.push({ path: `${at}/name`, summary, remedy: "Rename one." });
    }
    if ((secret.env === undefined) === (secret.file === undefined)) {
      errors.push({ path: `${at}/secret`, ...twoSecretPlaces });
    }
    return errors;
  });
}

function notificationErrors(
  targets: NonNullable<ControllerDocument["notify"]>,
): readonly ConfigFileError[] {
  const names = targets.map(({ name }) => name);
  return targets.flatMap(({ name, type, url, secret }, index) => {
    const at = `/notify/${index}`;
    const errors: ConfigFileError[] = [];
    if (names.indexOf(name) < index) {
      const summary = `another target is called ${name}`;
      errors.push({ path: `${at}/name`, summary, remedy: "Rename one." });
    }
    if ((type === "webhook") !== (secret !== undefined)) {
      const summary = "a webhook has a secret for its signature, and Slack has none";
      errors.push({ path: `${at}/type`, summary, remedy: "Add or remove secret." });
    }
    for (const [member, place] of Object.entries({ url, secret })) {
      if (place === undefined || (place.env === undefined) !== (place.file === undefined)) continue;
      errors.push({ path: `${at}/${member}`, ...twoSecretPlaces });
    }
    return errors;
  });
}

const twoSecretPlaces = {
  summary: "a secret comes from either an environment variable or a file",
  remedy: "Write exactly one of env and file.",
};

type AddError = (below: string, summary: string, remedy: string) => void;

function locationErrors(
  { git, folder }: SourceDocument,
  { file, own }: { readonly file: string; readonly own: string },
  report: AddError,
): void {
  if ((git === undefined) === (folder === undefined)) {
    report("", "a source has either git or a folder", "Write exactly one of the two.");
  }
  const local = folder ?? (git !== undefined && isLocalPath(git.url) ? git.url : undefined);
  const at = folder === undefined ? "/git/url" : "/folder";
  const absolute = local && path.resolve(path.dirname(file), local);
  if (absolute !== undefined && isModifiableFrom(absolute, file)) {
    const summary =
      "the configuration is inside this source, so a change of the source could change its own grants";
    report(at, summary, "Move it outside of the source.");
  }
  if (
    absolute !== undefined &&
    (isModifiableFrom(absolute, own) || isModifiableFrom(own, absolute))
  ) {
    report(
      at,
      "the source and the state folder of the controller overlap",
      "Use separate folders.",
    );
  }
  if (git !== undefined) gitErrors(git, report);
}

function gitErrors(
  {
    url,
    branch,
    ref,
    path: below,
    token,
    ca,
    knownHosts,
    sshKey,
  }: NonNullable<SourceDocument["git"]>,
  report: AddError,
): void {
  const remote =
    /^(?:https?|ssh):\/\/[^\s/]+\/\S+$/u.test(url) || /^[\w.-]+@[\w.-]+:[^\s:]+$/u.test(url);
  if (!isLocalPath(url) && (!remote || url.includes("::"))) {
    report(
      "/git/url",
      "this is not a supported repository URL",
      "Write https://, ssh://, user@host:path, or a folder.",
    );
  } else if (/^\w+:\/\/[^/@]*:[^/@]*@|^https?:\/\/[^/]*@/u.test(url)) {
    report(
      "/git/url",
      "the URL contains credentials, which events and status would show",
      "Set username and token instead.",
    );
  }
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//u.test(url);
  if (url.startsWith("http://") && !isHere) {
    const summary = "manifests fetched over http could be changed in transit";
    report("/git/url", summary, "Use https or ssh. http is allowed for this machine only.");
  }
  if (token !== undefined && !url.startsWith("https://")) {
    if (!isHere) report("/git/token", "a token is sent over https only", "Use an https URL.");
  }
  if (ca !== undefined && !url.startsWith("https://")) {
    report("/git/ca", "certificate authorities apply to https only", "Use an https URL.");
  }
  const isSsh = !isLocalPath(url) && !/^https?:/u.test(url);
  if (knownHosts !== undefined && !isSsh) {
    report("/git/knownHosts", "known hosts apply to ssh only", "Use an ssh URL.");
  }
  if (sshKey !== undefined && !isSsh) {
    report("/git/sshKey", "a private key applies to ssh only", "Use an ssh URL.");
  }
  if (branch !== undefined && ref !== undefined) {
    report("/git/ref", "both branch and ref are set", "Write exactly one of the two.");
  }
  if (
    branch !== undefined &&
    !/^(?![-/])(?!.*(?:\.\.|\/\/|@\{))[^\s:^~?*[\\]+(?<![./])$/u.test(branch)
  ) {
    report("/git/branch", "this is not a valid branch name", "Write it without refs/heads/.");
  }
  const parts = (below ?? ".").split("/");
  if (path.posix.isAbsolute(below ?? ".") || parts.includes("..") || parts.includes(".git")) {
    report("/git/path", "the path is outside of the repository", "Write a path below its root.");
  }
}

function secretErrors(given: SourceDocument, report: AddError): void {
  const places = {
    "/git/token": given.git?.token,
    "/server/apiKey": given.server?.apiKey,
    "/server/oidcToken": given.server?.oidcToken,
    "/webhook": given.webhook,
  };
  const { server } = given;
  if (server !== undefined && (server.apiKey === undefined) === (server.oidcToken === undefined)) {
    const summary = "a server has either an API key or an OIDC token";
    report("/server", summary, "Write exactly one of apiKey and oidcToken.");
  }
  for (const [at, one] of Object.entries(places)) {
    if (one === undefined || (one.env === undefined) !== (one.file === undefined)) continue;
    report(at, twoSecretPlaces.summary, twoSecretPlaces.remedy);
  }
}

function durationErrors({ interval, retry = {}, suspend }: SourceDocument, report: AddError): void {
  const min = limits.controllerIntervalMinMs;
  const first = millisecondsOr(retry.first, limits.controllerRetryFirstMs);
  if (interval !== undefined && milliseconds(interval) < min) {
    report("/interval", "the interval is too short", `Use ${min / 1000}s or more.`);
  }
  if (retry.max !== undefined && milliseconds(retry.max) < first) {
    report("/retry/max", "the longest pause is shorter than the first", "Use a longer one.");
  }
  if (suspend !== undefined && Number.isNaN(Date.parse(`${suspend.expires}T00:00:00Z`))) {
    report("/suspend/expires", "this date does not exist", "Write it as 2027-03-01.");
  }
}
