// The options of `svc serve`. The help loads them without the server.
import { type Command, InvalidArgumentError, Option } from "commander";
import { limits } from "../../core/limits/limits.ts";
import { logLevels, surfaces } from "../server/option-values.ts";
import type { ServerOptions } from "../server/server.ts";
import type { SmtpFlags } from "./smtp-options.ts";
import type { StorageFlags } from "./storage-options.ts";

/** The options from the command line. */
export interface Flags extends StorageFlags, SmtpFlags {
  existing?: boolean;
  schema?: string;
  secretKeyFile?: string;
  accounts?: string;
  host: string;
  port: number;
  readyFile?: string;
  surface: NonNullable<ServerOptions["surface"]>;
  log: NonNullable<ServerOptions["log"]>;
  account?: string;
  creatorMode?: boolean;
  embedding?: boolean;
  personalKeys?: boolean;
  externalUsers?: number;
  databaseConnections?: number;
  versions?: string;
  gitFolder?: string[];
  allowPrivateHost?: string[];
  databasePrivateHost?: string[];
  preAggregationMegabytes?: number;
  githubAppId?: string;
  githubAppKey?: string;
  githubApiUrl?: string;
  tlsCert?: string[];
  tlsKey?: string[];
  trustedProxy?: string[];
  rateLimit?: number;
  accountRateLimit?: number;
  sessionRateLimit?: number;
  tenantRateLimit?: number;
  deploymentRateLimit?: number;
  openRateLimit?: number;
  metricsPort?: number;
  stopDelay?: number;
}

const windowSeconds = limits.rateWindowMs / 1000;

/** Adds the options to the command. */
export function withServeOptions(command: Command): Command {
  return withRateOptions(withNetworkOptions(withStoreOptions(command)));
}

function withStoreOptions(command: Command): Command {
  return command
    .option("--data <dir>", "folder for all data, or :memory: to keep nothing")
    .option(
      "--database <url>",
      "PostgreSQL database to use instead; preferably set in SVC_DATABASE_URL",
    )
    .option("--existing", "fail instead of creating an account in an empty folder or schema")
    .option("--schema <name>", "schema of the account in that database")
    .option(
      "--database-connections <number>",
      `most connections to that database (default: ${limits.storeConnections})`,
      wholeNumber(1000, 3),
    )
    .option("--secret-key-file <file>", "file of the secret key, the same for all servers")
    .option(
      "--host <address>",
      "address to listen on; beyond loopback with TLS or a proxy only",
      "127.0.0.1",
    )
    .option("--port <number>", "port to listen on; 0 for any free one", wholeNumber(65_535), 4000)
    .option(
      "--ready-file <file>",
      "write the address and an administrator's key here once it answers",
    )
    .addOption(
      new Option("--surface <name>", "which part of the API to serve")
        .choices(surfaces)
        .default("full"),
    )
    .addOption(
      new Option("--log <level>", "log to standard error").choices(logLevels).default("warn"),
    )
    .option("--accounts <file>", "accounts to serve, each on a host of its own, as YAML")
    .option("--account <name>", "name of the account, and of the account's embed tenant")
    .option("--creator-mode", "initial value of the tenant setting useCreatorMode: on")
    .option("--no-creator-mode", "initial value of the tenant setting useCreatorMode: off")
    .option("--embedding", "initial value of the tenant setting embeddingEnabled: on")
    .option("--no-embedding", "initial value of the tenant setting embeddingEnabled: off")
    .option("--personal-keys", "initial value of the tenant setting personalKeysEnabled: on")
    .option("--no-personal-keys", "initial value of the tenant setting personalKeysEnabled: off")
    .option(
      "--versions <file>",
      "platform versions to add to those that come with the service, as JSON; each channel offers only its newest version",
    )
    .option(
      "--external-users <number>",
      "external users the account may have",
      wholeNumber(2 ** 31 - 1),
    );
}

function withNetworkOptions(command: Command): Command {
  return command
    .option("--git-folder <dir...>", "folders whose Git repositories every account may connect to")
    .option(
      "--allow-private-host <host...>",
      "hosts of Git remotes, identity providers and issuers of OIDC tokens that may have a private address or speak plain HTTP",
    )
    .option(
      "--database-private-host <host...>",
      "hosts of databases of deployments that may have a private address or be reached without TLS",
    )
    .option(
      "--pre-aggregation-megabytes <number>",
      `most megabytes of the files of pre-aggregations; 0 to build none (default: ${limits.rollupMegabytes})`,
      wholeNumber(limits.rollupMegabytesMax),
    )
    .option("--github-app-id <id>", "ID of the GitHub App through which repositories are connected")
    .option("--github-app-key <file>", "private key of the GitHub App, as PEM")
    .option(
      "--github-api-url <url>",
      "address of GitHub's REST API, such as https://github.example.com/api/v3 (default: https://api.github.com)",
    )
    .option(
      "--smtp-url <url>",
      "server that sends notifications, such as smtp://user@mail.example.com:587; smtps for TLS from the start",
    )
    .option("--smtp-from <address>", "sender of notifications: Reports <reports@example.com>")
    .option(
      "--smtp-password-file <file>",
      "password of the user of that server; or set SVC_SMTP_PASSWORD",
    )
    .option(
      "--public-url <url>",
      "address at which recipients of mails reach this server, for the link to unsubscribe",
    )
    .option(
      "--tls-cert <file...>",
      "certificates to speak TLS with, each with its chain, as PEM; chosen by host, else the first",
    )
    .option("--tls-key <file...>", "the keys of those certificates, in their order, as PEM")
    .option(
      "--trusted-proxy <range...>",
      "addresses of proxies whose X-Forwarded-For, -Host and -Proto count",
    )
    .option(
      "--metrics-port <number>",
      "show metrics on this port of 127.0.0.1; 0 for any free one",
      wholeNumber(65_535),
    )
    .option(
      "--stop-delay <seconds>",
      "time to keep serving after SIGTERM while /readyz reports not ready",
      wholeNumber(300),
    );
}

function withRateOptions(command: Command): Command {
  return command
    .option(
      "--rate-limit <cost>",
      `cost of the calls of one user in ${windowSeconds} seconds; 0 for no limit (default: ${limits.userCost})`,
      wholeNumber(limits.rateLimitMax),
    )
    .option(
      "--account-rate-limit <cost>",
      `the same for all users of one account together (default: ${limits.accountCost})`,
      wholeNumber(limits.rateLimitMax),
    )
    .option(
      "--deployment-rate-limit <cost>",
      `the same for all sessions and data tokens of one deployment together (default: ${limits.deploymentCost})`,
      wholeNumber(limits.rateLimitMax),
    )
    .option(
      "--tenant-rate-limit <cost>",
      `the same for the sessions of one embed tenant together (default: ${limits.tenantCost})`,
      wholeNumber(limits.rateLimitMax),
    )
    .option(
      "--session-rate-limit <cost>",
      `the same for one embed session (default: ${limits.sessionCost})`,
      wholeNumber(limits.rateLimitMax),
    )
    .option(
      "--open-rate-limit <cost>",
      `the same without a valid credential, for one address (default: ${limits.addressCost})`,
      wholeNumber(limits.rateLimitMax),
    );
}

function wholeNumber(most: number, least = 0): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[0-9]{1,10}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
