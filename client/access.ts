// Decides which server and credential are used: given values first, then the environment with its key or OIDC token,
// then the active context.
import { Failure } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import {
  contextFilePath,
  type Environment,
  readContexts,
  type SavedContext,
  storeContext,
  unknownContext,
  withLockedFile,
} from "./context-file.ts";
import { oauthClientOf, refreshTokens } from "./oauth.ts";
import type { RenewCredential } from "./types.ts";
import { workloadCredential, workloadTokenOf } from "./workload-token.ts";

/** The server and the credential that flags or a configuration give. */
export interface GivenAccess {
  readonly url?: string | undefined;
  readonly credential?: Secret | undefined;
  /** A context whose server and credential are used, whatever the environment has. Excludes the other members. */
  readonly context?: string | undefined;
}

/** Where a credential comes from: an option or a configuration, the environment with a key or an OIDC token, or a context. */
export type CredentialSource = "given" | "environment" | "oidc" | "context";

/** A server and a credential, as far as they are known. */
export interface ResolvedAccess extends GivenAccess {
  /** Undefined without a credential. */
  readonly source?: CredentialSource | undefined;
  /** The context of the server or the credential; undefined if neither comes from one. */
  readonly context?: string;
  /** Gets the credential if it is undefined, and replaces an expired one. */
  readonly renewCredential?: RenewCredential;
}

/**
 * Resolves the server and the credential. The credential of a context is used for the server of that context only.
 * Fails with `corrupt` for a damaged configuration file, which is read only if something is missing.
 */
export function resolveAccess(given: GivenAccess, env: Environment): ResolvedAccess {
  if (given.context !== undefined) {
    return accessOf(contextNamed(given.context, env), env);
  }
  const url = given.url ?? (env["SVC_API_URL"] || undefined);
  const credential = given.credential ?? secretIn(env["SVC_API_KEY"]);
  const known = given.credential === undefined ? "environment" : "given";
  const source = credential === undefined ? undefined : known;
  if (url !== undefined && credential !== undefined) return { url, credential, source };
  const workload = credential === undefined ? workloadTokenOf(env) : undefined;
  if (url !== undefined && workload !== undefined) {
    return { url, source: "oidc", renewCredential: workloadCredential(url, workload, env) };
  }
  const context = activeContext(env);
  if (context === undefined || (url !== undefined && !isSameOrigin(url, context.url))) {
    return { url, credential, source };
  }
  const { name } = context;
  if (credential !== undefined) return { url: context.url, credential, source, context: name };
  if (workload !== undefined) {
    const renewCredential = workloadCredential(context.url, workload, env);
    return { url: context.url, source: "oidc", context: name, renewCredential };
  }
  return accessOf(context, env);
}

/** Returns the server and the credential of a context. */
function accessOf(context: SavedContext, env: Environment): ResolvedAccess {
  const { name, url, apiKey, refreshToken } = context;
  return {
    url,
    credential: apiKey,
    source: "context",
    context: name,
    ...(refreshToken && { renewCredential: renewalOf(context, env) }),
  };
}

function savedContext(name: string, contexts: readonly SavedContext[]): SavedContext {
  const context = contexts.find((saved) => saved.name === name);
  if (context === undefined) throw unknownContext(name, contexts);
  return context;
}

/** Returns the active context; undefined if there is none. Fails with `not_found` if the file names a missing one. */
export function activeContext(env: Environment): SavedContext | undefined {
  const saved = savedContexts(env);
  return saved?.active === undefined ? undefined : savedContext(saved.active, saved.contexts);
}

/** Returns a context. Fails with `not_found`. */
export function contextNamed(name: string, env: Environment): SavedContext {
  return savedContext(name, savedContexts(env)?.contexts ?? []);
}

function savedContexts(env: Environment): ReturnType<typeof readContexts> | undefined {
  const path = contextFilePath(env);
  return path === undefined ? undefined : readContexts(path);
}

function secretIn(text: string | undefined): Secret | undefined {
  const trimmed = (text ?? "").trim();
  return trimmed === "" ? undefined : new Secret(trimmed);
}

function isSameOrigin(one: string, other: string): boolean {
  const [left, right] = [URL.parse(one), URL.parse(other)];
  return left !== null && left.origin === right?.origin;
}

/**
 * Returns the function that renews the access token of a context. Only one process refreshes: a refresh token works once, and a
 * second use ends the sign-in. The others find the new token in the file.
 */
function renewalOf({ name, url }: SavedContext, env: Environment): RenewCredential {
  return async (used) => {
    const path = contextFilePath(env) ?? "";
    return withLockedFile(path, async () => {
      const context = readContexts(path).contexts.find((one) => one.name === name);
      if (context?.url !== url || context.refreshToken === undefined) {
        throw new Failure("unauthenticated", `the context ${JSON.stringify(name)} was changed`, {
          remedy: "Run the command again, or `svc login`.",
        });
      }
      if (context.apiKey.reveal() !== used?.reveal()) return context.apiKey;
      // Not canceled: the server may have replaced the refresh token, and a second use of it ends the sign-in.
      const access = { url, client: oauthClientOf(env) };
      const { accessToken, refreshToken } = await refreshTokens(access, context.refreshToken);
      const renewed = {
        ...context,
        apiKey: accessToken,
        refreshToken: refreshToken ?? context.refreshToken,
      };
      storeContext(path, renewed, { isActive: false });
      return accessToken;
    });
  };
}
