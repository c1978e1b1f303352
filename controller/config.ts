// The configuration of a controller, and the secrets that it names.
import { resolveAccess } from "../client/access.ts";
import { workloadCredential } from "../client/workload-token.ts";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { readTextFile } from "../files/text-file.ts";
import type { Role } from "./api-types.ts";
import type { GitHostType } from "../git-hosts/dialects.ts";
import type { NotificationType } from "./notification-types.ts";
import type { HostQueueLimits } from "../git/host-queue.ts";
import type { Check } from "../promotion/index.ts";
import type { sourceModes } from "./config-schema.ts";
import type { StateStore } from "./state-store.ts";
import type { Connection, Grants, PolicyRule, Severity } from "../reconciler/index.ts";

export type Env = Readonly<Record<string, string | undefined>>;

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
  /** Folder in the repository; empty for the root. With a star, a pattern of such folders. */
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

/** What a controller does about differences. */
export type SourceMode = (typeof sourceModes)[number];

/** One source of a controller. */
export interface Source {
  readonly name: string;
  /** Digest of its configuration as written: the same for every replica, wherever its files are. */
  readonly digest: string;
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
  readonly mode: SourceMode;
  /** The name of the source whose pattern this one comes from. */
  readonly pattern: string | undefined;
  /** Names of sources, and globs of them. */
  readonly dependsOn: readonly string[];
  readonly healthChecks: readonly Check[];
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

/** Who calls the API. */
export interface Caller {
  /** Whom decisions name. */
  readonly name: string;
  readonly role: Role;
  /** The person's address, as pipelines name approvers. */
  readonly email: string | undefined;
  /** Of a login: the origin of its server, and the person's groups there. */
  readonly login?: { readonly server: string; readonly groups: readonly string[] };
}

/** A token of the API. */
export interface ApiToken extends Caller {
  readonly secret: SecretSource;
}

/** An SMTP server, and the addresses of a mail. */
export interface MailServer {
  /** `smtp://user@host:587` or `smtps://user@host`. */
  readonly url: string;
  readonly from: string;
  readonly to: string;
  /** Whether `smtp:` must change to TLS. */
  readonly requireTls: boolean;
}

/** How notifications reach their target. */
export type NotificationRoute =
  | { readonly type: "webhook"; readonly url: SecretSource; readonly secret: SecretSource }
  | { readonly type: "slack"; readonly url: SecretSource }
  | {
      readonly type: "mail";
      readonly server: MailServer;
      readonly password: SecretSource | undefined;
    };

/** Where to send notifications. */
export interface NotificationTarget {
  readonly name: string;
  readonly route: NotificationRoute;
  readonly on: readonly NotificationType[];
  /** The text for people; undefined for the default. */
  readonly template: string | undefined;
}

/** Where the status of commits is set. */
export interface StatusTarget {
  readonly name: string;
  readonly type: GitHostType;
  /** What the URL of a repository begins with, up to the owner. */
  readonly host: string;
  readonly api: string | undefined;
  readonly token: SecretSource;
  /** Address of the page of the controller. */
  readonly link: string | undefined;
  readonly template: string | undefined;
}

/** Where a controller listens. */
export interface ListenConfig {
  readonly host: string;
  readonly port: number;
  /** Without tokens and a login, there is no API and no page. */
  readonly tokens: readonly ApiToken[];
  /** Undefined: tokens only. */
  readonly login: LoginConfig | undefined;
}

/** The server where people sign in, and who may call the API. */
export interface LoginConfig {
  /** Origin. */
  readonly server: string;
  /** Of the page; undefined: the page has no sign-in. */
  readonly clientId: string | undefined;
  readonly users: readonly {
    readonly email: string;
    /** Undefined: every user with the address. */
    readonly id: number | undefined;
    readonly role: Role;
  }[];
}

/** The configuration of a controller. */
export interface ControllerConfig {
  /** Absolute path of the file. */
  readonly file: string;
  /** Digest of its sources and targets as written: of what replicas share. */
  readonly digest: string;
  /** Absolute path of the controller's own folder. */
  readonly state: string;
  /** The address of the database that several replicas share. Undefined: the state is in the folder. */
  readonly database: SecretSource | undefined;
  readonly listen: ListenConfig | undefined;
  /** Where the rest of its state is. */
  readonly store: StateStore;
  /** Concurrent reconciliations, in total and for each server. */
  readonly concurrency: HostQueueLimits;
  readonly notify: readonly NotificationTarget[];
  readonly statuses: readonly StatusTarget[];
  readonly sources: readonly Source[];
}

/** Returns whether there are an API and a page. */
export function hasApi({ listen }: Pick<ControllerConfig, "listen">): boolean {
  return listen !== undefined && (listen.tokens.length > 0 || listen.login !== undefined);
}

/** Returns whether someone looks at the pipelines of sources. */
export function readsPromotions(config: Pick<ControllerConfig, "listen" | "notify">): boolean {
  return hasApi(config) || config.notify.some(({ on }) => on.includes("approval"));
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
