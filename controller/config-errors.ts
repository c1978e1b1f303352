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
  const own = path.resolve(path.dirname(file), state);
  const found: ConfigFileError[] = [];
  if (isModifiableFrom(own, file)) {
    const summary = "the configuration is inside the state folder of the controller";
    found.push({ path: "/state", summary, remedy: "Move it to another folder." });
  }
  if (database && (database.env === undefined) === (database.file === undefined))
    found.push({ path: "/database", ...twoSecretPlaces });
  found.push(...tokenErrors(listen?.tokens ?? []), ...targetErrors(notify, statuses));
  if (listen?.login !== undefined) found.push(...loginErrors(listen.login));
  const before = new Set<string>();
  const writers = new Map<string, string>();
  const complete = sources.map((one): SourceDocument => ({ ...defaults, ...one }));
  for (const [index, one] of complete.entries()) {
    const at = `/sources/${index}`;
    const written = sources[index];
    const report = (below: string, summary: string, remedy: string): void => {
      const member = below.split("/")[1] ?? "";
      const isDefault = member in defaults && written !== undefined && !(member in written);
      const error = { path: `${isDefault ? "/defaults" : at}${below}`, summary, remedy };
      if (!found.some((other) => other.path === error.path && other.summary === summary))
        found.push(error);
    };
    if (before.has(one.name))
      report("/name", `another source is called ${one.name}`, "Rename one.");
    before.add(one.name);
    if (one.mode !== undefined && one.mode !== "plan") {
      const target = writeTarget(one);
      const other = writers.get(target);
      const summary = `the source ${other} applies a stack of this name to the same server, so each would revert the other`;
      if (other !== undefined)
        report(
          one.stack === undefined ? "/name" : "/stack",
          summary,
          "Remove one, or set its mode to plan.",
        );
      writers.set(target, one.name);
    }
    locationErrors(one, { file, own }, report);
    secretErrors(one, report);
    durationErrors(one, report);
    for (const [place, check] of (one.healthChecks ?? []).entries())
      checkErrors(check, `/healthChecks/${place}`, report);
    for (const { path: below, summary, remedy } of grantsErrors(one.grants ?? {}))
      report(`/grants${below}`, summary, remedy ?? "");
    if (one.git !== undefined) patternErrors(one, report);
  }
  found.push(...dependencyErrors(complete));
  return found;
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

type LoginDocument = NonNullable<NonNullable<ControllerDocument["listen"]>["login"]>;

function loginErrors({ server, users }: LoginDocument): readonly ConfigFileError[] {
  const emails = users.map(({ email }) => email.toLowerCase());
  const wrong = emails.flatMap((email, index): ConfigFileError[] => {
    const at = { path: `/listen/login/users/${index}/email` };
    if (emails.indexOf(email) < index)
      return [{ ...at, summary: `another user has the address ${email}`, remedy: "Remove one." }];
    if (isEmailAddress(email)) return [];
    return [{ ...at, summary: "this is no email address", remedy: "Write NAME@DOMAIN." }];
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

/** Returns the milliseconds of a duration, or others without one. */
export function millisecondsOr(text: string | undefined, otherwise: number): number {
  if (text === "0s") return 0;
  return text === undefined ? otherwise : milliseconds(text);
}
