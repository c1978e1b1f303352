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
  const configFile = path.resolve(file);
  const document = readConfigDocument(file, {
    label: "configuration of a controller",
    schema: controllerConfigSchema,
    maxBytes: limits.controllerBytes,
    remedy: "`svc help controller-file` shows an example and describes the fields.",
    validate: (value) => semanticErrors(value as ControllerDocument, configFile),
  }) as ControllerDocument | undefined;
  if (document === undefined) throw new Failure("usage", `${file} is empty`);
  const { listen, concurrency = {} } = document;
  const { total, perHost } = limits.controllerReconciliations;
  const state = path.resolve(path.dirname(configFile), document.state);
  const database = document.database && secretPlace(document.database, configFile);
  const sources = document.sources.map((source) =>
    sourceOf({ ...document.defaults, ...source }, configFile),
  );
  const { notify = [], statuses = [] } = document;
  return {
    file: configFile,
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
        secret: secretPlace(secret, configFile),
      })),
      login: listen.login && {
        server: parseOrigin(listen.login.server, false),
        clientId: listen.login.clientId,
        users: listen.login.users.map(({ email, id, role }) => ({ email, id, role: role as Role })),
      },
    },
    concurrency: {
      total: concurrency.total ?? total,
      perHost: concurrency.perServer ?? perHost,
    },
    notify: notify.map(({ name, on, template, ...target }) => ({
      name,
      template,
      route: notificationRoute(target, configFile),
      on: (on ?? notificationTypes) as readonly NotificationType[],
    })),
    statuses: statuses.map(({ type, token, api, link, template, ...status }) => ({
      ...status,
      type: type as GitHostType,
      api,
      token: secretPlace(token, configFile),
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
  configFile: string,
): NotificationRoute {
  if (mail !== undefined) {
    const { server, password, from, to, requireTls = true } = mail;
    return {
      type: "mail",
      server: { url: server, from, to, requireTls },
      password: password && secretPlace(password, configFile),
    };
  }
  const address = secretPlace(url, configFile);
  return type === "slack"
    ? { type, url: address }
    : { type: "webhook", url: address, secret: secretPlace(secret, configFile) };
}

function sourceOf(document: SourceDocument, configFile: string): Source {
  const {
    name,
    git,
    folder,
    server,
    retry = {},
    variables = {},
    policies = [],
    suspend,
  } = document;
  const resolved = (relative: string): string => path.resolve(path.dirname(configFile), relative);
  const placeOf = (secret: SecretSource | undefined): SecretSource | undefined =>
    secret && secretPlace(secret, configFile);
  const intervalMs = millisecondsOr(document.interval, limits.controllerIntervalMs);
  return {
    name,
    digest: digest(document as JsonValue),
    stack: document.stack ?? name,
    git: git && {
      url: isLocalPath(git.url) ? resolved(git.url) : git.url,
      ref: git.ref ?? (git.branch === undefined ? "HEAD" : `refs/heads/${git.branch}`),
      path: path.posix.normalize(git.path ?? ".").replace(/^\.$|\/$/gu, ""),
      token: placeOf(git.token),
      username: git.username ?? "x-access-token",
      ca: git.ca && resolved(git.ca),
      knownHosts: git.knownHosts && resolved(git.knownHosts),
      sshKey: git.sshKey && resolved(git.sshKey),
    },
    folder: folder && resolved(folder),
    server: server && {
      url: server.url,
      apiKey: placeOf(server.apiKey),
      oidcToken: placeOf(server.oidcToken),
      scheme: server.scheme as Connection["scheme"],
    },
    mode: sourceModes.find((mode) => mode === document.mode) ?? "plan",
    pattern: undefined,
    dependsOn: document.dependsOn ?? [],
    healthChecks: (document.healthChecks ?? []).map(checkFromSpec),
    intervalMs,
    jitterMs: millisecondsOr(document.jitter, Math.floor(intervalMs / 10)),
    retry: {
      firstMs: millisecondsOr(retry.first, limits.controllerRetryFirstMs),
      maxMs: millisecondsOr(retry.max, limits.controllerRetryMaxMs),
    },
    variables: variables as Source["variables"],
    grants: grantsFromFile({ maxDeletes: 0, ...document.grants }, configFile),
    rules: policies.flatMap((policy) =>
      readRules(policy === "recommended" ? policy : resolved(policy)),
    ),
    failOn: (document.failOn ?? "error") as Severity,
    onConflict: document.onConflict === "overwrite" ? "overwrite" : undefined,
    suspend,
    webhook: placeOf(document.webhook),
  };
}

/** Returns where a secret is; a relative path begins at the configuration. */
function secretPlace({ env, file }: SecretSource, configFile: string): SecretSource {
  return { env, file: file && path.resolve(path.dirname(configFile), file) };
}
