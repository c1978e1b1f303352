// Errors of a controller's configuration that its schema cannot express.
import path from "node:path";
import { parseOrigin } from "../client/request-url.ts";
import { isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { isLocalPath } from "../git/environment.ts";
import { checkErrors } from "../promotion/index.ts";
import type { ConfigFileError } from "../reconciler/document-types.ts";
import { grantsErrors, isModifiableFrom } from "../reconciler/sessions.ts";
import { milliseconds } from "../core/text/duration.ts";
import { isEmailAddress } from "../core/text/email-address.ts";
import type { ControllerDocument, SourceDocument } from "./config-schema.ts";
import { dependencyErrors } from "./dependencies.ts";
import { targetErrors, twoSecretPlaces } from "./target-errors.ts";
import { type AddError, patternErrors, writeTarget } from "./source-patterns.ts";

/** Returns the errors of a configuration that its schema accepts. */
export function semanticErrors(
  {
    state,
    database,
    defaults = {},
    sources,
    listen,
    notify = [],
    statuses = [],
  }: ControllerDocument,
  file: string,
): readonly ConfigFileError[] {
  const stateFolder = path.resolve(path.dirname(file), state);
  const errors: ConfigFileError[] = [];
  if (isModifiableFrom(stateFolder, file)) {
    const summary = "the configuration is inside the state folder of the controller";
    errors.push({ path: "/state", summary, remedy: "Move it to another folder." });
  }
  if (database && (database.env === undefined) === (database.file === undefined))
    errors.push({ path: "/database", ...twoSecretPlaces });
  errors.push(...tokenErrors(listen?.tokens ?? []), ...targetErrors(notify, statuses));
  if (listen?.login !== undefined) errors.push(...loginErrors(listen.login));
  const names = new Set<string>();
  const writers = new Map<string, string>();
  const complete = sources.map((declared): SourceDocument => ({ ...defaults, ...declared }));
  for (const [index, source] of complete.entries()) {
    const declared = sources[index];
    const report = (place: string, summary: string, remedy: string): void => {
      const member = place.split("/")[1] ?? "";
      const isDefault = member in defaults && declared !== undefined && !(member in declared);
      const parent = isDefault ? "/defaults" : `/sources/${index}`;
      const error = { path: `${parent}${place}`, summary, remedy };
      if (!errors.some((other) => other.path === error.path && other.summary === summary))
        errors.push(error);
    };
    if (names.has(source.name))
      report("/name", `another source is called ${source.name}`, "Rename one.");
    names.add(source.name);
    if (source.mode !== undefined && source.mode !== "plan") {
      const target = writeTarget(source);
      const other = writers.get(target);
      const summary = `the source ${other} applies a stack of this name to the same server, so each would revert the other`;
      if (other !== undefined)
        report(
          source.stack === undefined ? "/name" : "/stack",
          summary,
          "Remove one, or set its mode to plan.",
        );
      writers.set(target, source.name);
    }
    locationErrors(source, { file, stateFolder }, report);
    secretErrors(source, report);
    durationErrors(source, report);
    for (const [number, check] of (source.healthChecks ?? []).entries())
      checkErrors(check, `/healthChecks/${number}`, report);
    for (const { path: member, summary, remedy } of grantsErrors(source.grants ?? {}))
      report(`/grants${member}`, summary, remedy ?? "");
    if (source.git !== undefined) patternErrors(source, report);
  }
  errors.push(...dependencyErrors(complete));
  return errors;
}

function tokenErrors(
  tokens: NonNullable<NonNullable<ControllerDocument["listen"]>["tokens"]>,
): readonly ConfigFileError[] {
  const names = tokens.map(({ name }) => name);
  return tokens.flatMap(({ name, secret }, index) => {
    const token = `/listen/tokens/${index}`;
    const errors: ConfigFileError[] = [];
    if (names.indexOf(name) < index) {
      const summary = `another token is called ${name}, so decisions would not say who made them`;
      errors.push({ path: `${token}/name`, summary, remedy: "Rename one." });
    }
    if ((secret.env === undefined) === (secret.file === undefined)) {
      errors.push({ path: `${token}/secret`, ...twoSecretPlaces });
    }
    return errors;
  });
}

type LoginDocument = NonNullable<NonNullable<ControllerDocument["listen"]>["login"]>;

function loginErrors({ server, users }: LoginDocument): readonly ConfigFileError[] {
  const emails = users.map(({ email }) => email.toLowerCase());
  const wrong = emails.flatMap((email, index): ConfigFileError[] => {
    const user = `/listen/login/users/${index}`;
    if (emails.indexOf(email) < index)
      return [
        {
          path: `${user}/email`,
          summary: `another user has the address ${email}`,
          remedy: "Remove one.",
        },
      ];
    if (isEmailAddress(email)) return [];
    return [
      { path: `${user}/email`, summary: "this is no email address", remedy: "Write NAME@DOMAIN." },
    ];
  });
  try {
    parseOrigin(server, false);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const remedy = error.remedy ?? "Use an https URL. http is allowed for this machine only.";
    return [{ path: "/listen/login/server", summary: error.message, remedy }, ...wrong];
  }
  return wrong;
}

function locationErrors(
  { git, folder }: SourceDocument,
  { file, stateFolder }: { readonly file: string; readonly stateFolder: string },
  report: AddError,
): void {
  if ((git === undefined) === (folder === undefined)) {
    report("", "a source has either git or a folder", "Write exactly one of the two.");
  }
  const local = folder ?? (git !== undefined && isLocalPath(git.url) ? git.url : undefined);
  const member = folder === undefined ? "/git/url" : "/folder";
  const absolute = local && path.resolve(path.dirname(file), local);
  if (absolute !== undefined && isModifiableFrom(absolute, file)) {
    const summary =
      "the configuration is inside this source, so a change of the source could change its own grants";
    report(member, summary, "Move it outside of the source.");
  }
  if (
    absolute !== undefined &&
    (isModifiableFrom(absolute, stateFolder) || isModifiableFrom(stateFolder, absolute))
  ) {
    report(
      member,
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
    path: folder,
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
  const isLocalHost = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//u.test(url);
  if (url.startsWith("http://") && !isLocalHost) {
    const summary = "manifests fetched over http could be changed in transit";
    report("/git/url", summary, "Use https or ssh. http is allowed for this machine only.");
  }
  if (token !== undefined && !url.startsWith("https://")) {
    if (!isLocalHost) report("/git/token", "a token is sent over https only", "Use an https URL.");
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
  const parts = (folder ?? ".").split("/");
  if (path.posix.isAbsolute(folder ?? ".") || parts.includes("..") || parts.includes(".git")) {
    report("/git/path", "the path is outside of the repository", "Write a path below its root.");
  }
}

function secretErrors(source: SourceDocument, report: AddError): void {
  const secrets = {
    "/git/token": source.git?.token,
    "/server/apiKey": source.server?.apiKey,
    "/server/oidcToken": source.server?.oidcToken,
    "/webhook": source.webhook,
  };
  const { server } = source;
  if (server !== undefined && (server.apiKey === undefined) === (server.oidcToken === undefined)) {
    const summary = "a server has either an API key or an OIDC token";
    report("/server", summary, "Write exactly one of apiKey and oidcToken.");
  }
  for (const [member, secret] of Object.entries(secrets)) {
    if (secret === undefined || (secret.env === undefined) !== (secret.file === undefined))
      continue;
    report(member, twoSecretPlaces.summary, twoSecretPlaces.remedy);
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

/** Returns the milliseconds of a duration, or others without one. */
export function millisecondsOr(text: string | undefined, otherwise: number): number {
  if (text === "0s") return 0;
  return text === undefined ? otherwise : milliseconds(text);
}
