// Runs `svc login`: a device login or an API key, checked at the server and saved as a context.
import { setTimeout as sleep } from "node:timers/promises";
import { getCurrentUser } from "../../api/users.ts";
import { activeContext } from "../../client/access.ts";
import { createClient } from "../../client/client.ts";
import { contextFilePath, type SavedContext, saveContext } from "../../client/context-file.ts";
import {
  loginTimeout,
  type OAuthAccess,
  oauthClientOf,
  pollDeviceLogin,
  startDeviceLogin,
  type TokenPair,
} from "../../client/oauth.ts";
import { parseOrigin } from "../../client/request-url.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { keyAt } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { openBrowser } from "../shared/connection/open-browser.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";

export interface Flags {
  readonly url?: string;
  readonly name?: string;
  readonly apiKeyFile?: string;
  /** False for `--no-browser`. */
  readonly browser: boolean;
}

/** Runs `svc login`. */
export function runLogin(flags: Flags): Promise<void> {
  return runAction({ output: "text" }, async (context) => {
    const path = configurationFile();
    const url = parseOrigin(serverUrl(flags), false);
    const { apiKeyFile } = flags;
    const tokens =
      apiKeyFile === undefined
        ? await deviceLogin(url, flags, context)
        : { accessToken: await keyAt(apiKeyFile), refreshToken: undefined, tenantUrl: undefined };
    const tenant = tokens.tenantUrl === undefined ? url : parseOrigin(tokens.tenantUrl, false);
    const { accessToken: apiKey, refreshToken } = tokens;
    const name = flags.name ?? new URL(tenant).host;
    const saved: SavedContext = { name, url: tenant, apiKey, refreshToken };
    const username = await checkUser(saved, context.signal);
    await saveContext(path, saved, { isActive: true });
    context.output.print(
      () => `Signed in to ${tenant} as ${escapeInvisible(username)}; context ${name}.`,
    );
    return exitCodes.done;
  });
}

/** Returns the path of the file of contexts. Fails with `usage` if the environment names no home. */
export function configurationFile(): string {
  const path = contextFilePath(process.env);
  if (path !== undefined) return path;
  throw new Failure("usage", "there is no place for the configuration file", {
    remedy: "Set HOME, or name a file in SVC_CONFIG_FILE.",
  });
}

function serverUrl({ url }: Flags): string {
  const found = url ?? (process.env["SVC_API_URL"] || activeContext(process.env)?.url);
  if (found !== undefined) return found;
  throw new Failure("usage", "no server address", {
    remedy: "Pass --url, such as --url https://acme.example.com.",
  });
}

async function deviceLogin(
  url: string,
  { browser }: Flags,
  { output, signal }: CommandContext,
): Promise<TokenPair> {
  const access: OAuthAccess = { url, client: oauthClientOf(process.env), signal };
  const login = await startDeviceLogin(access);
  output.warn(
    () =>
      `Open ${login.verificationUri} in a browser and enter the code ${login.userCode}\n` +
      `Approve the login only if the page shows this code. ${waitText(login.expiresInMs)}`,
  );
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  // A server names the page, so only its own page is opened.
  const isOwn = URL.parse(login.completeUri)?.origin === url;
  if (browser && isTerminal && isOwn) openBrowser(login.completeUri);
  const until = performance.now() + login.expiresInMs;
  let pauseMs = login.intervalMs;
  while (performance.now() + pauseMs < until) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new Failure("aborted", "the login was stopped");
    const answer = await pollDeviceLogin(access, login.deviceCode);
    if (answer === "slow_down") pauseMs += limits.devicePollSeconds * 1000;
    else if (answer !== "pending") return answer;
  }
  throw loginTimeout();
}

/** Says how long the command waits: the code works for this number of milliseconds. */
function waitText(ms: number): string {
  const end = new Date(Date.now() + ms).toISOString().slice(11, 16);
  return `Waiting for the approval until ${end} UTC (${Math.ceil(ms / 60_000)} minutes).`;
}

/** Returns the name of the user of a new credential, so that a wrong one is not saved. */
async function checkUser({ url, apiKey }: SavedContext, signal: AbortSignal): Promise<string> {
  const client = createClient({ url, credential: apiKey, signal });
  try {
    const { username, email } = await client.call(getCurrentUser, {});
    return username ?? email;
  } finally {
    await client.close();
  }
}
