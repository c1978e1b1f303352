// Which server an engine works on, and as whom: its configuration, else the environment; what is wrong is told before anything else.
import { readFileSync } from "node:fs";
import { parseOrigin } from "../../client/request-url.ts";
import { createClient } from "../../client/client.ts";
import type { ClientOptions } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { fingerprintsWith, type Fingerprints } from "../../core/fingerprints.ts";
import { limits } from "../../core/limits.ts";
import { Secret } from "../../core/secret.ts";
import { type Bridge, createBridge } from "./bridge.ts";

/** What an engine's user configures; each may be left out. */
export interface ProviderConfiguration {
  /** Origin of the server; else `SVC_API_URL`. */
  readonly url?: string | undefined;
  /** Else `SVC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** `bearer` or `api-key`; else `SVC_AUTH_SCHEME`, else by the key. */
  readonly authScheme?: string | undefined;
  /** Undefined is as fast as the server allows. */
  readonly requestsPerSecond?: number | undefined;
  /** Times that a request is sent again. */
  readonly retries?: number | undefined;
  /** PEM of the certificate authorities to trust, or the path of a file that holds it; else `SVC_CA_FILE`. */
  readonly ca?: string | undefined;
}

/** A configuration that can be used. */
export type ConnectionSettings = Pick<
  ClientOptions,
  "url" | "credential" | "scheme" | "requestsPerSecond" | "attempts" | "ca"
>;

/** One thing that is wrong with a configuration. */
export interface ConfigurationError {
  readonly field: keyof ProviderConfiguration;
  readonly summary: string;
  readonly remedy: string;
  /** Nothing says it; where this is left out, what says it is wrong. */
  readonly isMissing?: true;
}

type Environment = Readonly<Record<string, string | undefined>>;

const schemes = { bearer: "bearer", "api-key": "api-key" } as const;

/** The settings that a configuration and the environment make, or everything that is wrong with them. */
export function resolveSettings(
  given: ProviderConfiguration,
  env: Environment,
): ConnectionSettings | readonly ConfigurationError[] {
  const wrong: ConfigurationError[] = [];
  const tell = (field: keyof ProviderConfiguration, summary: string, remedy: string): void =>
    void wrong.push({ field, summary, remedy });
  const tellMissing = (field: keyof ProviderConfiguration, summary: string, remedy: string): void =>
    void wrong.push({ field, summary, remedy, isMissing: true });
  const url = given.url ?? env["SVC_API_URL"] ?? "";
  if (url === "")
    tellMissing("url", "no server is named", "give its address, or set SVC_API_URL to it");
  else checkUrl(url, tell);
  const key = (given.apiKey ?? env["SVC_API_KEY"] ?? "").trim();
  if (key === "")
    tellMissing("apiKey", "no API key is given", "give one, or set SVC_API_KEY to it");
  const named = (given.authScheme ?? env["SVC_AUTH_SCHEME"] ?? "").toLowerCase();
  const scheme = Object.hasOwn(schemes, named) ? schemes[named as keyof typeof schemes] : undefined;
  if (named !== "" && scheme === undefined)
    tell("authScheme", `there is no authentication scheme "${named}"`, "it is bearer or api-key");
  const { requestsPerSecond, retries } = given;
  if (requestsPerSecond !== undefined && !(requestsPerSecond > 0))
    tell("requestsPerSecond", "nothing can be sent at that rate", "give a number above 0");
  const most = limits.attempts - 1;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= most))
    tell("retries", "that is no number of retries", `give a whole number from 0 to ${most}`);
  const ca = loadCertificateAuthorities(given.ca ?? env["SVC_CA_FILE"], tell);
  if (wrong.length > 0) return wrong;
  const attempts = retries === undefined ? undefined : retries + 1;
  return { url, credential: new Secret(key), scheme, requestsPerSecond, attempts, ca };
}

function checkUrl(
  url: string,
  tell: (field: "url", summary: string, remedy: string) => void,
): void {
  try {
    parseOrigin(url, false);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell("url", error.message.replace(/\.$/, ""), "give one such as https://acme.example.com");
  }
}

function loadCertificateAuthorities(
  given: string | undefined,
  tell: (field: "ca", summary: string, remedy: string) => void,
): string | undefined {
  if (given === undefined || given === "") return undefined;
  const isPem = (text: string): boolean => text.includes("-----BEGIN CERTIFICATE-----");
  if (isPem(given)) return given;
  const remedy = "give certificates as PEM, or the path of a file that holds them";
  try {
    const text = readFileSync(given, "utf8");
    if (isPem(text)) return text;
    tell("ca", `${given} holds no certificate`, remedy);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    tell("ca", `the certificate authorities ${given} cannot be read: ${code}`, remedy);
  }
  return undefined;
}

/** Who opens a bridge, and what ends it. */
export interface BridgeOptions {
  /** Names the engine. */
  readonly userAgent: string;
  /** Gives up connecting, and afterwards stops the bridge. */
  readonly signal?: AbortSignal | undefined;
  /** Time for the first answer, with every attempt. */
  readonly connectMs?: number;
}

/** Opens the bridge and asks the server once who it is: a wrong address or key, and a server that says nothing, fail here, with what to do. */
export async function openBridge(
  settings: ConnectionSettings,
  opening: BridgeOptions,
): Promise<Bridge> {
  const { userAgent, signal, connectMs = limits.connectMs } = opening;
  // Once it is connected, what has been written is read back although it is stopped, so the client outlasts both.
  const connecting = new AbortController();
  const giveUp = (): void => connecting.abort();
  const deadline = setTimeout(giveUp, connectMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  const client = createClient({ ...settings, userAgent, signal: connecting.signal });
  try {
    const bridge = createBridge(client, await client.discoverApi());
    signal?.addEventListener("abort", () => bridge.stop(), { once: true });
    return bridge;
  } catch (error) {
    await client.close();
    const isSilent = isFailure(error, "aborted") && signal?.aborted !== true;
    const told = isSilent ? connectTimeoutFailure(settings.url, connectMs) : error;
    throw told instanceof Failure ? withRemedy(told, settings.url) : told;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", giveUp);
  }
}

function connectTimeoutFailure(url: string, connectMs: number): Failure {
  const seconds = Math.ceil(connectMs / 1000);
  return new Failure("timeout", `${url} did not say within ${seconds} s what it offers.`);
}

function withRemedy(failure: Failure, url: string): Failure {
  const { code, message, details, retryAfter } = failure;
  const remedy = failure.remedy ?? connectRemedies[code];
  if (remedy === undefined) return failure;
  const said = message.includes(url) ? message : `${url}: ${message}`;
  return new Failure(code, said, {
    cause: failure,
    remedy,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

const connectRemedies: Readonly<Record<string, string>> = {
  unreachable: "Check the server's address, and that it can be reached from here.",
  timeout: "Check the server's address, and that it can be reached from here.",
  unauthenticated: "Check the API key: it may have been revoked, or belong to another server.",
  forbidden: "Use a key of an administrator.",
  unexpected_answer: "Check the server's address.",
};

/** Names the variable that holds the key of the fingerprints of secrets. */
export const fingerprintVariable = "SVC_FINGERPRINT_KEY";

/** Characters that the key of the fingerprints of secrets has at least. */
export const fingerprintKeyLength = 32;

/**
 * Fingerprints under a salt that the engine keeps, and for secrets under the key in the environment. Without the key there is
 * none for secrets: their changes are then told by the engine's own means.
 */
export function fingerprintsFor(
  salt: string,
  env: Environment,
): { readonly fingerprints: Fingerprints; readonly coversSecrets: boolean } {
  const key = env[fingerprintVariable] ?? "";
  const coversSecrets = key.length >= fingerprintKeyLength;
  const passing = coversSecrets ? key : crypto.randomUUID();
  return { fingerprints: fingerprintsWith(salt, new Secret(passing)), coversSecrets };
}
