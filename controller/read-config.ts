// Reads the configuration of a controller, and reports all errors with their places.
import path from "node:path";
import { parseOrigin } from "../client/request-url.ts";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { GitHostType } from "../git-hosts/dialects.ts";
import type { Role } from "./api-types.ts";
import { type NotificationType, notificationTypes } from "./notification-types.ts";
import { isLocalPath } from "../git/environment.ts";
import { checkFromSpec } from "../promotion/index.ts";
import { readConfigDocument } from "../reconciler/document-types.ts";
import { digest, grantsFromFile } from "../reconciler/sessions.ts";
import type { ControllerConfig, Env, NotificationRoute, SecretSource, Source } from "./config.ts";
import { millisecondsOr, semanticErrors } from "./config-errors.ts";
import { databaseStore } from "./postgres-store.ts";
import { folderStore } from "./folder-store.ts";
import {
  controllerConfigSchema,
  type ControllerDocument,
  sourceModes,
  type SourceDocument,
} from "./config-schema.ts";
import { type Connection, type Severity, readRules } from "../reconciler/index.ts";

/**
 * Reads a configuration file. The environment is for the address of its database. Fails with `usage` and all errors, also if a
 * source could change the file.
 */
export function readControllerConfig(file: string, env: Env = process.env): ControllerConfig {
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
  const state = path.resolve(path.dirname(at), given.state);
  const database = given.database && secretPlace(given.database, at);
  const sources = given.sources.map((one) => sourceOf({ ...given.defaults, ...one }, at));
  const { notify = [], statuses = [] } = given;
  return {
    file: at,
    digest: digest([sources.map((source) => source.digest), notify, statuses] as JsonValue),
    state,
    database,
    store: database === undefined ? folderStore(state) : databaseStore(database, env),
    listen: listen && {
      host: listen.host ?? "127.0.0.1",
      port: listen.port,
      tokens: (listen.tokens ?? []).map(({ name, role, email, secret }) => ({
        name,
        role: role as Role,
        email,
        secret: secretPlace(secret, at),
      })),
      login: listen.login && {
        server: parseOrigin(listen.login.server, false),
        users: listen.login.users.map(({ email, role }) => ({ email, role: role as Role })),
      },
    },
    concurrency: {
      total: concurrency.total ?? total,
      perHost: concurrency.perServer ?? perHost,
    },
    notify: notify.map(({ name, on, template, ...target }) => ({
      name,
      template,
      route: notificationRoute(target, at),
      on: (on ?? notificationTypes) as readonly NotificationType[],
    })),
    statuses: statuses.map(({ type, token, api, link, template, ...one }) => ({
      ...one,
      type: type as GitHostType,
      api,
      token: secretPlace(token, at),
      link,
      template,
    })),
    sources,
  };
}

type NotifyDocument = NonNullable<ControllerDocument["notify"]>[number];

/** The errors of the configuration say which members a type needs. */
function notificationRoute(
  { type, url = {}, secret = {}, mail }: Pick<NotifyDocument, "type" | "url" | "secret" | "mail">,
  at: string,
): NotificationRoute {
  if (mail !== undefined) {
    const { server, password, from, to, requireTls = true } = mail;
    return {
      type: "mail",
      server: { url: server, from, to, requireTls },
      password: password && secretPlace(password, at),
    };
  }
  const address = secretPlace(url, at);
  return type === "slack"
    ? { type, url: address }
    : { type: "webhook", url: address, secret: secretPlace(secret, at) };
}

function sourceOf(given: SourceDocument, file: string): Source {
  const { name, git, folder, server, retry = {}, variables = {}, policies = [], suspend } = given;
  const below = (one: string): string => path.resolve(path.dirname(file), one);
  const placeOf = (one: SecretSource | undefined): SecretSource | undefined =>
    one && secretPlace(one, file);
  const intervalMs = millisecondsOr(given.interval, limits.controllerIntervalMs);
  return {
    name,
    digest: digest(given as JsonValue),
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
    mode: sourceModes.find((mode) => mode === given.mode) ?? "plan",
    pattern: undefined,
    dependsOn: given.dependsOn ?? [],
    healthChecks: (given.healthChecks ?? []).map(checkFromSpec),
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
