// Server address and credentials, from flags and the environment. A key is never a command-line
// argument.
import { type Command, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import type { CredentialSource, ResolvedAccess } from "../../client/access.ts";
import type { DiscoveryCache } from "../../client/api-discovery.ts";
import { readStandardInput } from "./streams.ts";
import { readTextFile } from "./text-file.ts";
import { delayParserOptimization } from "./v8-flags.ts";

/** Values of {@link connectionOptions}. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly authScheme?: string;
  readonly readyFile?: string;
}

/** Address of the server and credentials; the credential is undefined if `renewCredential` gets it. */
export interface ServerAccess extends ResolvedAccess {
  readonly url: string;
  readonly credential: Secret | undefined;
  readonly scheme: "bearer" | "api-key" | undefined;
  readonly source: CredentialSource;
  readonly discoveryCache: DiscoveryCache;
}

const schemes = { bearer: "bearer", "api-key": "api-key" } as const;
const keyCharacters = 16_384;

/** Adds the options that select a server. */
export function connectionOptions(command: Command): Command {
  return command
    .optionsGroup("Server:")
    .option(
      "--url <url>",
      "origin of the server (default: SVC_API_URL, else the context of `svc login`)",
    )
    .option(
      "--api-key-file <file>",
      "file with the API key, - for standard input (default: SVC_API_KEY, else the context)",
    )
    .option(
      "--auth-scheme <scheme>",
      "bearer or api-key (default: SVC_AUTH_SCHEME, else derived from the key)",
    )
    .addOption(
      new Option(
        "--ready-file <file>",
        "file with url and key, as written by `svc serve --ready-file`",
      ).conflicts(["url", "apiKeyFile"]),
    );
}

/**
 * Reads flags, the environment and the active context, in this order. Fails with `usage` without an
 * address, and with `unauthenticated` without a key.
 */
export async function serverAccess(flags: ConnectionFlags): Promise<ServerAccess> {
  delayParserOptimization();
  // Loaded when a command runs, because they read files.
  const { userDiscoveryCache } = await import("../../client/discovery-cache.ts");
  const { resolveAccess } = await import("../../client/access.ts");
  const discoveryCache = userDiscoveryCache();
  const scheme = schemeOf(flags.authScheme ?? process.env["SVC_AUTH_SCHEME"]);
  if (flags.readyFile !== undefined) {
    return { ...readReadyFile(flags.readyFile), scheme, source: "given", discoveryCache };
  }
  const given = flags.apiKeyFile === undefined ? undefined : await keyAt(flags.apiKeyFile);
  const found = resolveAccess({ url: flags.url, credential: given }, process.env);
  const { url = noUrl(), credential, source = noKey() } = found;
  return { ...found, url, credential, source, scheme, discoveryCache };
}

function schemeOf(given: string | undefined): ServerAccess["scheme"] {
  if (given === undefined || given === "") return undefined;
  const name = given.toLowerCase();
  if (Object.hasOwn(schemes, name)) return schemes[name as keyof typeof schemes];
  throw new Failure("usage", `unknown authentication scheme "${given}"`, {
    remedy:
      "SVC_AUTH_SCHEME and --auth-scheme accept bearer or api-key; omit them to derive the " +
      "scheme from the key",
  });
}

function noUrl(): never {
  throw new Failure("usage", "no server address", {
    remedy:
      "run `svc login --url URL`, set SVC_API_URL to the address, such as " +
      "https://acme.example.com, or pass --url",
  });
}

function keyIn(given: string): Secret {
  return given.trim() === "" ? noKey() : new Secret(given.trim());
}

function noKey(): never {
  throw new Failure("unauthenticated", "no credential", {
    remedy: "run `svc login`, set SVC_API_KEY, or pass a file with the key as --api-key-file",
  });
}

/** Reads a key from a file, or from standard input for `-`. Fails with `unauthenticated` without one. */
export async function keyAt(file: string): Promise<Secret> {
  return keyIn(file === "-" ? await readStandardInput(keyCharacters) : readTextFile(file));
}

function readReadyFile(file: string): { readonly url: string; readonly credential: Secret } {
  const { url, apiKey } = parsed(readTextFile(file));
  if (typeof url !== "string" || typeof apiKey !== "string") {
    throw new Failure("usage", `${file} is not a ready file of \`svc serve --ready-file\``, {
      remedy: "once the server is ready, the file contains url and apiKey",
    });
  }
  return { url, credential: keyIn(apiKey) };
}

function parsed(text: string): { readonly url?: unknown; readonly apiKey?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
