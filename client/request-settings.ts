// The settings that all requests of one client share: the credential and its renewal, and the headers.
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import type { Secret } from "../core/secret.ts";
import type { RequestDescription } from "./answer.ts";
import { SharedRun } from "./shared-run.ts";
import type { ClientOptions } from "./types.ts";

/** The settings that all requests of one client share. */
export interface RequestSettings {
  /** Prefix of the paths of all requests. */
  readonly basePath: string;
  /** The part of each request's description that is about the client. */
  readonly description: () => Pick<RequestDescription, "origin" | "credentialOrigin" | "secrets">;
  /** Replaces the credential, unless another request did since `used` was sent. Returns false if it cannot be replaced. */
  readonly renew: (used: Secret | undefined, signal: AbortSignal | undefined) => Promise<boolean>;
  readonly credential: () => Secret | undefined;
  readonly signal: AbortSignal | undefined;
  readonly headersOf: (
    anyone: boolean,
    contentType: string | undefined,
    method: string,
  ) => Readonly<Record<string, string>>;
}

/** Returns the settings of a client. Fails with `usage` for a credential that is not a valid header value. */
export function requestSettings(origin: string, options: ClientOptions): RequestSettings {
  const { scheme, userAgent, signal, basePath = "" } = options;
  let { credential } = options;
  let authorization = authorizationOf(credential, scheme);
  const known = new Set(credential === undefined ? [] : [credential.reveal()]);
  const use = (renewed: Secret): void => {
    credential = renewed;
    authorization = authorizationOf(renewed, scheme);
    known.add(renewed.reveal());
  };
  const { attempts = limits.attempts, retryFirstMs = limits.retryFirstMs } = options;
  const renewal = new SharedRun<void>();
  const base = { accept: "application/json", "user-agent": userAgent ?? "svc" };
  return {
    basePath,
    description: () => {
      const { credentialOrigin } = options;
      return { origin, credentialOrigin, secrets: [...known] };
    },
    credential: () => credential,
    renew: async (used, waiting) => {
      const { renewCredential } = options;
      if (renewCredential === undefined) return false;
      if (credential === used) {
        await renewal.join(
          async (canceled) =>
            use(await renewCredential(used, { signal: canceled, attempts, retryFirstMs })),
          waiting,
        );
      }
      return true;
    },
    signal,
    headersOf: (anyone, contentType, method) => ({
      ...base,
      ...(anyone || authorization === undefined ? {} : { authorization }),
      ...bodyHeaders(contentType, method),
    }),
  };
}

function bodyHeaders(
  contentType: string | undefined,
  method: string,
): Readonly<Record<string, string>> {
  if (contentType !== undefined) return { "content-type": contentType };
  return method === "GET" ? {} : { "content-length": "0" };
}

function authorizationOf(
  credential: Secret | undefined,
  scheme: ClientOptions["scheme"],
): string | undefined {
  if (credential === undefined) return undefined;
  const key = credential.reveal();
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new Failure("usage", "the credential is empty or contains invalid characters", {
      remedy: "Copy it again: printable ASCII characters on one line, without spaces and quotes.",
    });
  }
  if (scheme === "bare") return key;
  const named = scheme ?? (key.startsWith("sk-") ? "api-key" : "bearer");
  return `${named === "api-key" ? "Api-Key" : "Bearer"} ${key}`;
}
