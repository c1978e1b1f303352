// Resolves the provider's connection settings from its configuration and the environment, and opens a bridge to the server.
import { readFileSync } from "node:fs";
import { parseOrigin } from "../../client/request-url.ts";
import { resolveAccess, type ResolvedAccess } from "../../client/access.ts";
import { createClient } from "../../client/client.ts";
import type { ClientOptions } from "../../client/types.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { fingerprintsWith, type Fingerprints } from "../../core/spec/fingerprints.ts";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { type Bridge, type BridgeRules, createBridge } from "./bridge.ts";

/** The provider's configuration. Every field is optional. */
export interface ProviderConfiguration {
  /** Origin of the server. Default: `SVC_API_URL`. */
  readonly url?: string | undefined;
  /** API key. Default: `SVC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** `bearer` or `api-key`. Default: `SVC_AUTH_SCHEME`, or else the scheme that fits the key. */
  readonly authScheme?: string | undefined;
  /** Maximum requests a second. Default: as many as the server allows. */
  readonly requestsPerSecond?: number | undefined;
  /** Maximum retries of a request. */
  readonly retries?: number | undefined;
  /** Certificate authorities to trust: PEM text, or the path of a PEM file. Default: `SVC_CA_FILE`. */
  readonly ca?: string | undefined;
  /** Whether a delete may take along what is inside the object. Default: false. */
  readonly allowCascade?: boolean | undefined;
}

/** A valid configuration. */
export type ConnectionSettings = Pick<
  ClientOptions,
  "url" | "credential" | "renewCredential" | "scheme" | "requestsPerSecond" | "attempts" | "ca"
> &
  BridgeRules;

/** One error in a configuration. */
export interface ConfigurationError {
  readonly field: keyof ProviderConfiguration;
  readonly summary: string;
  readonly remedy: string;
  /** True if neither the configuration nor the environment sets the value; absent if the value is invalid. */
  readonly isMissing?: true;
}

type Environment = Readonly<Record<string, string | undefined>>;

const schemes = { bearer: "bearer", "api-key": "api-key" } as const;

/** Resolves a configuration and the environment to connection settings, or returns all errors. */
export function resolveSettings(
  configured: ProviderConfiguration,
  env: Environment,
): ConnectionSettings | readonly ConfigurationError[] {
  const errors: ConfigurationError[] = [];
  const report: AddConfigurationError = (field, summary, remedy) =>
    void errors.push({ field, summary, remedy });
  const reportMissing = (
    field: keyof ProviderConfiguration,
    summary: string,
    remedy: string,
  ): void => void errors.push({ field, summary, remedy, isMissing: true });
  const access = resolveGiven(configured, env, report);
  const { url = "", credential, renewCredential } = access;
  if (url === "")
    reportMissing(
      "url",
      "no server address is set",
      "Set it here or in SVC_API_URL, or run `svc login`.",
    );
  else checkUrl(url, report);
  if (credential === undefined && renewCredential === undefined)
    reportMissing(
      "apiKey",
      "no API key is set",
      "Set it here or in SVC_API_KEY, or run `svc login`.",
    );
  const schemeName = (configured.authScheme ?? env["SVC_AUTH_SCHEME"] ?? "").toLowerCase();
  const scheme = Object.hasOwn(schemes, schemeName)
    ? schemes[schemeName as keyof typeof schemes]
    : undefined;
  if (schemeName !== "" && scheme === undefined)
    report("authScheme", `unknown authentication scheme "${schemeName}"`, "Use bearer or api-key.");
  const { requestsPerSecond, retries, allowCascade } = configured;
  if (requestsPerSecond !== undefined && !(requestsPerSecond > 0))
    report("requestsPerSecond", "the rate must be greater than 0", "Set a number above 0.");
  const most = limits.restartAttempts - 1;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= most))
    report("retries", "not a valid number of retries", `Set an integer from 0 to ${most}.`);
  const ca = loadCertificateAuthorities(configured.ca ?? env["SVC_CA_FILE"], report);
  if (errors.length > 0) return errors;
  const attempts = retries === undefined ? limits.restartAttempts : retries + 1;
  return {
    url,
    credential,
    renewCredential,
    scheme,
    requestsPerSecond,
    attempts,
    ca,
    allowCascade,
  };
}

type AddConfigurationError = (
  field: keyof ProviderConfiguration,
  summary: string,
  remedy: string,
) => void;

function resolveGiven(
  { url, apiKey }: ProviderConfiguration,
  env: Environment,
  report: AddConfigurationError,
): ResolvedAccess {
  // An empty key counts as missing, and an environment may replace it.
  const key = apiKey?.trim() ?? "";
  const given = { url, credential: key === "" ? undefined : new Secret(key) };
  try {
    return resolveAccess(given, env);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report("url", error.message, error.remedy ?? "Set url and the API key here.");
    return given;
  }
}

function checkUrl(
  url: string,
  report: (field: "url", summary: string, remedy: string) => void,
): void {
  try {
    parseOrigin(url, false);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report("url", error.message, "Set an origin such as https://acme.example.com.");
  }
}

function loadCertificateAuthorities(
  configured: string | undefined,
  report: (field: "ca", summary: string, remedy: string) => void,
): string | undefined {
  if (configured === undefined || configured === "") return undefined;
  const isPem = (text: string): boolean => text.includes("-----BEGIN CERTIFICATE-----");
  if (isPem(configured)) return configured;
  const remedy = "Set PEM certificates, or the path of a PEM file.";
  try {
    const text = readFileSync(configured, "utf8");
    if (isPem(text)) return text;
    report("ca", `${configured} contains no certificate`, remedy);
  } catch (error) {
    const reason = systemErrorText(error);
    report("ca", `cannot read the certificate authorities from ${configured}: ${reason}`, remedy);
  }
  return undefined;
}

/** Options of {@link openBridge}. */
export interface BridgeOptions {
  /** Identifies the engine to the server. */
  readonly userAgent: string;
  /** Cancels connecting; after that, stops the bridge. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every HTTP request, for logs. The event contains no secrets. */
  readonly onRequest?: ClientOptions["onRequest"];
  /** Time limit for the first response, including retries. */
  readonly connectMs?: number;
}

/** Opens a bridge and checks the connection. A wrong address, a wrong key or a silent server fails here, with a remedy. */
export async function openBridge(
  settings: ConnectionSettings,
  options: BridgeOptions,
): Promise<Bridge> {
  const { userAgent, signal, onRequest, connectMs = limits.connectMs } = options;
  // After a stop, finished writes are still read back, so the client outlives the signal.
  const connecting = new AbortController();
  const cancel = (): void => connecting.abort();
  const deadline = setTimeout(cancel, connectMs);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  const client = createClient({ ...settings, userAgent, onRequest, signal: connecting.signal });
  try {
    const bridge = createBridge(client, await client.discoverApi(), settings);
    signal?.addEventListener("abort", () => bridge.stop(), { once: true });
    return bridge;
  } catch (error) {
    await client.close();
    const isTimeout = isFailure(error, "aborted") && signal?.aborted !== true;
    const failure = isTimeout ? connectTimeoutFailure(settings.url, connectMs) : error;
    throw failure instanceof Failure ? withRemedy(failure, settings.url) : failure;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", cancel);
  }
}

function connectTimeoutFailure(url: string, connectMs: number): Failure {
  const seconds = Math.ceil(connectMs / 1000);
  return new Failure("timeout", `${url} did not respond within ${seconds} s.`);
}

function withRemedy(failure: Failure, url: string): Failure {
  const { code, message, details, retryAfter } = failure;
  const remedy = failure.remedy ?? connectRemedies[code];
  if (remedy === undefined) return failure;
  const summary = message.includes(url) ? message : `${url}: ${message}`;
  return new Failure(code, summary, {
    cause: failure,
    remedy,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

const connectRemedies: Readonly<Record<string, string>> = {
  unreachable: "Check the server's address and the network connection to it.",
  timeout: "Check the server's address and the network connection to it.",
  unauthenticated:
    "Check the credential. It may be expired or revoked, or belong to another server.",
  forbidden: "Use the credential of an administrator.",
  unexpected_answer: "Check the server's address.",
};

/** The environment variable with the key for fingerprints of secrets. */
export const fingerprintVariable = "SVC_FINGERPRINT_KEY";

/** Minimum length of the fingerprint key, in characters. */
export const fingerprintKeyLength = 32;

/**
 * Returns fingerprints with the engine's salt, and for secrets with the key in the environment. Without that key secrets have
 * no fingerprints, and the engine detects their changes itself.
 */
export function fingerprintsFor(
  salt: string,
  env: Environment,
): { readonly fingerprints: Fingerprints; readonly coversSecrets: boolean } {
  const key = env[fingerprintVariable] ?? "";
  const coversSecrets = key.length >= fingerprintKeyLength;
  const material = coversSecrets ? key : crypto.randomUUID();
  return { fingerprints: fingerprintsWith(salt, new Secret(material)), coversSecrets };
}
