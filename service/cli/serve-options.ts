// The options of `svc serve`: what they are, and the server that they describe.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { Secret } from "../../core/secret.ts";
import { readAccountsFile } from "../server/accounts-file.ts";
import { logLevels, type ServerOptions, surfaces } from "../server/server.ts";
import { type StorageFlags, storageLocation } from "./storage-options.ts";

/** The options as they were given. */
export interface Flags extends StorageFlags {
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
  versions?: string;
  gitFolder?: string[];
  gitPrivateHost?: string[];
  databasePrivateHost?: string[];
  githubAppId?: string;
  githubAppKey?: string;
  githubApiUrl?: string;
  tlsCert?: string[];
  tlsKey?: string[];
  trustedProxy?: string[];
  rateLimit?: number;
  openRateLimit?: number;
  metricsPort?: number;
  stopDelay?: number;
}

const windowSeconds = limits.rateWindowMs / 1000;

/** Adds the options to the command. */
export function withServeOptions(command: Command): Command {
  return withNetworkOptions(withStoreOptions(command));
}

function withStoreOptions(command: Command): Command {
  return command
    .option("--data <dir>", "folder that keeps everything, or :memory: for nothing")
    .option(
      "--database <url>",
      "PostgreSQL database to use instead; preferably set in SVC_DATABASE_URL",
    )
    .option("--existing", "fail instead of creating an account in an empty folder or schema")
    .option("--schema <name>", "schema of the account in that database")
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
    .addOption(new Option("--surface <name>", "what is offered").choices(surfaces).default("full"))
    .addOption(
      new Option("--log <level>", "log to standard error").choices(logLevels).default("warn"),
    )
    .option("--accounts <file>", "accounts to serve, each on a host of its own, as YAML")
    .option("--account <name>", "name of the account, and of its own embed tenant")
    .option("--creator-mode", "first value of the tenant setting useCreatorMode: on")
    .option("--no-creator-mode", "first value of the tenant setting useCreatorMode: off")
    .option("--embedding", "first value of the tenant setting embeddingEnabled: on")
    .option("--no-embedding", "first value of the tenant setting embeddingEnabled: off")
    .option("--personal-keys", "first value of the tenant setting personalKeysEnabled: on")
    .option("--no-personal-keys", "first value of the tenant setting personalKeysEnabled: off")
    .option(
      "--versions <file>",
      "platform versions to offer beside those that come with the service, as JSON",
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
      "--git-private-host <host...>",
      "hosts of Git remotes that may have a private address or speak plain HTTP",
    )
    .option(
      "--database-private-host <host...>",
      "hosts of databases of deployments that may have a private address or be reached without TLS",
    )
    .option("--github-app-id <id>", "ID of the GitHub App through which repositories are connected")
    .option("--github-app-key <file>", "private key of the GitHub App, as PEM")
    .option(
      "--github-api-url <url>",
      "address of GitHub's REST API, such as https://github.example.com/api/v3 (default: https://api.github.com)",
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
      "--rate-limit <number>",
      `requests of one user in ${windowSeconds} seconds; 0 for any number (default: ${limits.userRequests})`,
      wholeNumber(1_000_000),
    )
    .option(
      "--open-rate-limit <number>",
      `the same without a valid credential, for one address (default: ${limits.addressRequests})`,
      wholeNumber(1_000_000),
    )
    .option(
      "--metrics-port <number>",
      "show metrics on this port of 127.0.0.1; 0 for any free one",
      wholeNumber(65_535),
    )
    .option(
      "--stop-delay <seconds>",
      "answer for so long after SIGTERM while /readyz says no",
      wholeNumber(300),
    );
}

/** The server that the options describe. Fails with `usage` for those that do not go together. */
export function serverOptionsOf(flags: Flags): ServerOptions {
  const { accounts, versions, metricsPort, trustedProxy, stopDelay = 0 } = flags;
  return {
    data: dataOf(flags),
    existing: flags.existing ?? false,
    ...(flags.schema === undefined ? {} : { schema: flags.schema }),
    ...(flags.secretKeyFile === undefined ? {} : { secretKeyFile: flags.secretKeyFile }),
    host: flags.host,
    port: flags.port,
    surface: flags.surface,
    log: flags.log,
    ...(versions === undefined ? {} : { versions }),
    databaseHosts: flags.databasePrivateHost ?? [],
    gitRemotes: { folders: flags.gitFolder ?? [], privateHosts: flags.gitPrivateHost ?? [] },
    ...(accounts === undefined
      ? { account: settingsOf(flags) }
      : { accounts: accountsFrom(accounts, flags) }),
    ...tlsOf(flags),
    ...(trustedProxy === undefined ? {} : { trustedProxies: trustedProxy }),
    ...(metricsPort === undefined ? {} : { metricsPort }),
    ...githubOf(flags),
    rates: {
      ...(flags.rateLimit === undefined ? {} : { perUser: flags.rateLimit }),
      ...(flags.openRateLimit === undefined ? {} : { perAddress: flags.openRateLimit }),
    },
    stopDelayMs: stopDelay * 1000,
  };
}

function settingsOf(flags: Flags): NonNullable<ServerOptions["account"]> {
  return {
    ...(flags.account === undefined ? {} : { name: flags.account }),
    ...(flags.creatorMode === undefined ? {} : { useCreatorMode: flags.creatorMode }),
    ...(flags.embedding === undefined ? {} : { embeddingEnabled: flags.embedding }),
    ...(flags.personalKeys === undefined ? {} : { personalKeys: flags.personalKeys }),
    ...(flags.externalUsers === undefined ? {} : { externalUserLimit: flags.externalUsers }),
  };
}

function accountsFrom(file: string, flags: Flags): NonNullable<ServerOptions["accounts"]> {
  const single = [
    "account",
    "creatorMode",
    "embedding",
    "personalKeys",
    "externalUsers",
    "schema",
  ] as const;
  const given = single.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    throw new Failure("usage", "with --accounts the settings of each account stand in its file", {
      remedy: `Leave out ${optionNames[given]}.`,
    });
  }
  return readAccountsFile(file);
}

const optionNames = {
  account: "--account",
  creatorMode: "--creator-mode and --no-creator-mode",
  embedding: "--embedding and --no-embedding",
  personalKeys: "--personal-keys and --no-personal-keys",
  externalUsers: "--external-users",
  schema: "--schema",
} as const;

function tlsOf({ tlsCert = [], tlsKey = [] }: Flags): Pick<ServerOptions, "tls"> {
  if (tlsCert.length !== tlsKey.length) {
    throw new Failure("usage", "TLS needs both --tls-cert and --tls-key", {
      remedy: "Give as many keys as certificates, in the same order.",
    });
  }
  const [first, ...more] = tlsCert.map((certFile, at) => ({ certFile, keyFile: tlsKey[at] ?? "" }));
  return first === undefined ? {} : { tls: [first, ...more] };
}

/** Reads the key of the GitHub App at the start, so that a missing file is noticed. */
function githubOf({
  githubAppId: appId,
  githubAppKey: keyFile,
  githubApiUrl = "https://api.github.com",
}: Flags): Pick<ServerOptions, "githubApp"> {
  if (appId === undefined && keyFile === undefined) return {};
  if (appId === undefined || keyFile === undefined) {
    throw new Failure("usage", "a GitHub App needs both --github-app-id and --github-app-key");
  }
  if (!/^https:\/\//i.test(githubApiUrl) || !URL.canParse(githubApiUrl)) {
    throw new Failure("usage", "--github-api-url must be an https URL");
  }
  try {
    const privateKey = readFileSync(keyFile, "utf8");
    createPrivateKey(privateKey);
    const apiUrl = githubApiUrl.replace(/\/+$/, "");
    return { githubApp: { appId, privateKey: new Secret(privateKey), apiUrl } };
  } catch (cause) {
    throw new Failure("usage", `${keyFile} is not a private key as PEM`, { cause });
  }
}

const databaseOptions = [
  ["schema", "--schema"],
  ["secretKeyFile", "--secret-key-file"],
] as const;

/** Where everything is kept, with what the options beside it ask for. */
function dataOf(flags: Flags): string {
  const place = storageLocation(flags);
  const isFolder = "folder" in place;
  const alone = isFolder && databaseOptions.find(([name]) => flags[name] !== undefined);
  if (alone) throw new Failure("usage", `${alone[1]} is for a server on a database`);
  if ((!isFolder || place.folder === ":memory:") && flags.readyFile === undefined) {
    const without = isFolder ? "with --data :memory:" : "on a database";
    throw new Failure("usage", `${without} the administrator's key is nowhere to be found`, {
      remedy: "Add --ready-file FILE, or keep the data in a folder.",
    });
  }
  return isFolder ? place.folder : place.database;
}

function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[0-9]{1,10}$/.test(text) && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
  };
}
