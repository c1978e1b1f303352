// Builds the environment in which Git reaches a remote: its settings, credentials and ssh command. Nothing secret is in a
// command line, because other users can read it, and nothing in a repository makes Git run a program.
import { gitSettings } from "../core/system/git-settings.ts";
import { limits } from "../core/limits/limits.ts";
import type { Secret } from "../core/secret.ts";
import { shellQuote } from "../core/text/shell-quote.ts";

/** A remote repository, and how Git reaches it. */
export interface GitRemote {
  /** Without a password. */
  readonly url: string;
  /** User name and token for http and https. */
  readonly login?: { readonly username: string; readonly token: Secret } | undefined;
  /** Absolute path of the certificate authorities of an https URL. Undefined: the system's. */
  readonly ca?: string | undefined;
  /** Absolute path of the known hosts of an ssh URL. Undefined: the user's. */
  readonly knownHosts?: string | undefined;
  /** Absolute path of the private key for ssh, the only one that is offered. Undefined: those of the user. */
  readonly sshKey?: string | undefined;
  /** Set for remotes that users of a service name: Git uses nothing of the account that runs it. */
  readonly isolated?: Isolation | undefined;
}

/** Replaces the configuration of the account that runs Git. */
export interface Isolation {
  /** Absolute path of an empty home folder. */
  readonly home: string;
  /** The host, and the checked addresses to connect to, so that the name is not resolved again. */
  readonly pinned?:
    | { readonly host: string; readonly port: number; readonly addresses: readonly string[] }
    | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the environment of Git for a remote. */
export function remoteEnvironment(remote: GitRemote, env: Env): Record<string, string> {
  return { ...inheritedVariables(remote, env), ...settingVariables(remote) };
}

const always = /^(?:PATH|TMPDIR|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CAINFO)$/iu;
const ofTheUser = /^(?:HOME|USER|LOGNAME|SSH_AUTH_SOCK)$/iu;

/**
 * Returns the variables that Git needs to reach a repository. None of them changes the behavior of Git, and none
 * contains a key.
 */
function inheritedVariables(remote: GitRemote, env: Env): Record<string, string> {
  const { isolated } = remote;
  return {
    ...Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => {
        const isWanted = always.test(name) || (isolated === undefined && ofTheUser.test(name));
        return value === undefined || !isWanted ? [] : [[name, value] as const];
      }),
    ),
    ...(isolated && { HOME: isolated.home }),
    ...gitSettings,
    GIT_SSH_COMMAND: sshCommand(remote),
  };
}

/** Returns the ssh command. With a file of known hosts, ssh accepts only the keys in it. */
function sshCommand({ knownHosts, sshKey, isolated }: GitRemote): string {
  const timeout = Math.ceil(limits.gitResolveMs / 1000);
  const options = ["BatchMode=yes", `ConnectTimeout=${timeout}`];
  if (knownHosts !== undefined) {
    options.push(
      "StrictHostKeyChecking=yes",
      "GlobalKnownHostsFile=/dev/null",
      `UserKnownHostsFile="${knownHosts}"`,
    );
  }
  if (sshKey !== undefined) options.push(`IdentityFile="${sshKey}"`);
  if (sshKey !== undefined || isolated !== undefined) {
    options.push("IdentitiesOnly=yes", "IdentityAgent=none", "ForwardAgent=no");
  }
  if (isolated === undefined) return sshWith([], options);
  const { pinned } = isolated;
  if (pinned !== undefined) {
    const alias = pinned.port === 22 ? pinned.host : `[${pinned.host}]:${pinned.port}`;
    options.push(`HostName=${pinned.addresses[0]}`, `HostKeyAlias=${alias}`);
  }
  return sshWith(["-F", "/dev/null"], options);
}

function sshWith(first: readonly string[], options: readonly string[]): string {
  return ["ssh", ...first, ...options.flatMap((option) => ["-o", shellQuote(option)])].join(" ");
}

/** Passes Git's settings in the environment, which only the account that runs Git can read. */
function settingVariables({ url, login, ca, isolated }: GitRemote): Record<string, string> {
  const settings: (readonly [string, string])[] = [
    ["protocol.allow", "never"],
    [`protocol.${schemeOf(url)}.allow`, "always"],
    ["core.hooksPath", "/dev/null"],
    // Symbolic links become small files, so that none leads outside.
    ["core.symlinks", "false"],
    ["core.fsmonitor", "false"],
    ["core.autocrlf", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["submodule.recurse", "false"],
    // Keep the fetch in one pack file, whose size is limited.
    ["fetch.unpackLimit", "1"],
    // A redirect could send the token to another server.
    ["http.followRedirects", "false"],
    ["credential.helper", ""],
  ];
  if (ca !== undefined) settings.push(["http.sslCAInfo", ca]);
  if (login !== undefined) {
    const header = Buffer.from(`${login.username}:${login.token.reveal()}`).toString("base64");
    settings.push([`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${header}`]);
  }
  if (isolated?.pinned !== undefined && /^https?:/u.test(url)) {
    const { host, port, addresses } = isolated.pinned;
    const to = addresses.map((one) => (one.includes(":") ? `[${one}]` : one)).join(",");
    settings.push(["http.curloptResolve", `${host}:${port}:${to}`]);
  }
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]) as Record<string, string>;
}

/** Returns whether a URL is a local folder. */
export function isLocalPath(url: string): boolean {
  return /^(?:\/|\.\.?\/)/u.test(url);
}

function schemeOf(url: string): string {
  return isLocalPath(url) ? "file" : (/^(\w+):\/\//u.exec(url)?.[1] ?? "ssh");
}
