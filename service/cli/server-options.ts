// Converts the options of `svc serve` to those of the server.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { readAccountsFile } from "../server/accounts-file.ts";
import type { ServerOptions } from "../server/server.ts";
import type { Flags } from "./serve-options.ts";
import { publicUrlOf, smtpOf } from "./smtp-options.ts";
import { storageLocation } from "./storage-options.ts";

/** Returns the options of the server. Fails with `usage` for options that cannot be combined. */
export function serverOptionsOf(flags: Flags): ServerOptions {
  const { accounts, versions, metricsPort, trustedProxy, stopDelay = 0 } = flags;
  return {
    data: dataOf(flags),
    existing: flags.existing ?? false,
    ...(flags.schema === undefined ? {} : { schema: flags.schema }),
    ...(flags.secretKeyFile === undefined ? {} : { secretKeyFile: flags.secretKeyFile }),
    ...(flags.databaseConnections === undefined
      ? {}
      : { databaseConnections: flags.databaseConnections }),
    host: flags.host,
    port: flags.port,
    surface: flags.surface,
    log: flags.log,
    ...(versions === undefined ? {} : { versions }),
    databaseHosts: flags.databasePrivateHost ?? [],
    ...(flags.preAggregationMegabytes === undefined
      ? {}
      : { rollupMegabytes: flags.preAggregationMegabytes }),
    gitRemotes: { folders: flags.gitFolder ?? [], privateHosts: flags.allowPrivateHost ?? [] },
    ...(accounts === undefined
      ? { account: settingsOf(flags) }
      : { accounts: accountsFrom(accounts, flags) }),
    ...tlsOf(flags),
    ...(trustedProxy === undefined ? {} : { trustedProxies: trustedProxy }),
    ...(metricsPort === undefined ? {} : { metricsPort }),
    ...githubOf(flags),
    ...smtpOf(flags),
    ...publicUrlOf(flags),
    rates: {
      ...(flags.rateLimit === undefined ? {} : { perUser: flags.rateLimit }),
      ...(flags.accountRateLimit === undefined ? {} : { perAccount: flags.accountRateLimit }),
      ...(flags.deploymentRateLimit === undefined
        ? {}
        : { perDeployment: flags.deploymentRateLimit }),
      ...(flags.tenantRateLimit === undefined ? {} : { perTenant: flags.tenantRateLimit }),
      ...(flags.sessionRateLimit === undefined ? {} : { perSession: flags.sessionRateLimit }),
      ...(flags.openRateLimit === undefined ? {} : { perAddress: flags.openRateLimit }),
    },
    stopDelayMs: stopDelay * 1000,
    idleGraceMs: limits.idleGraceMs,
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
    throw new Failure(
      "usage",
      "--accounts cannot be combined with settings of a single account: the file has those of each account",
      {
        remedy: `Leave out ${optionNames[given]}.`,
      },
    );
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

/** Reads the key of the GitHub App at the start, so that a missing file is reported immediately. */
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
  refuseOpenFile(keyFile);
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
  ["databaseConnections", "--database-connections"],
] as const;

/** Returns the storage of the server, with the settings of the other options. */
function dataOf(flags: Flags): string {
  const place = storageLocation(flags);
  const isFolder = "folder" in place;
  const alone = isFolder && databaseOptions.find(([name]) => flags[name] !== undefined);
  if (alone) throw new Failure("usage", `${alone[1]} is for a server on a database`);
  if ((!isFolder || place.folder === ":memory:") && flags.readyFile === undefined) {
    const without = isFolder ? "--data :memory:" : "a database";
    throw new Failure("usage", `with ${without}, --ready-file must say where the key goes`, {
      remedy:
        "Add --ready-file FILE: the server writes its address and an administrator's key there.",
    });
  }
  return isFolder ? place.folder : place.database;
}
