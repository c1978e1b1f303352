// Server address and credentials, from flags and the environment. A key is never a command-line
// argument.
import { type Command, Option } from "commander";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, parseObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import type { CredentialSource, ResolvedAccess } from "../../../client/access.ts";
import type { DiscoveryCache } from "../../../client/api-discovery.ts";
import type { Candidate } from "../lookup/candidate.ts";
import { setValues } from "../lookup/name-source.ts";
import { readStandardInput } from "../streams.ts";
import { readSecretFile } from "../../../files/secret-file.ts";

/** Values of {@link connectionOptions}. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly context?: string;
  readonly authScheme?: string;
  readonly readyFile?: string;
}

/** Address of the server and credentials; the credential is undefined if `renewCredential` gets it. */
export interface ServerAccess extends ResolvedAccess {
  readonly url: string;
  readonly credential: Secret | undefined;
  readonly scheme: "bearer" | "api-key" | undefined;
  readonly source: CredentialSource;
  /** Where the credential comes from, in words. */
  readonly credentialOrigin: string;
  readonly discoveryCache: DiscoveryCache;
}

const schemes = { bearer: "bearer", "api-key": "api-key" } as const;
const keyCharacters = 16_384;

/** Adds the options that select a server. */
export function connectionOptions(command: Command): Command {
  return command
    .optionsGroup("Server:")
    .addOption(setValues(contextOption(), listContexts))
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
      "scheme of the key: bearer or api-key (default: SVC_AUTH_SCHEME, else derived from the key)",
    )
    .addOption(
      new Option(
        "--ready-file <file>",
        "file with url and key, as written by `svc serve --ready-file`",
      ).conflicts("apiKeyFile"),
    );
}

function contextOption(): Option {
  return new Option(
    "--context <name>",
    "context of `svc login` whose server and credential are used, whatever the environment has",
  ).conflicts(["url", "apiKeyFile", "readyFile"]);
}

/** Lists the contexts for completion. */
export async function listContexts(): Promise<readonly Candidate[]> {
  const { contextCandidates } = await import("../lookup/context-candidates.ts");
  return contextCandidates();
}

/**
 * Reads flags, the environment and the active context, in this order. Fails with `usage` without an
 * address, and with `unauthenticated` without a key.
 */
export async function serverAccess(flags: ConnectionFlags): Promise<ServerAccess> {
  // Loaded when a command runs, because they read files.
  const { userDiscoveryCache } = await import("../../../client/discovery-cache.ts");
  const { resolveAccess } = await import("../../../client/access.ts");
  const discoveryCache = userDiscoveryCache();
  const scheme = schemeOf(flags.authScheme ?? process.env["SVC_AUTH_SCHEME"]);
  if (flags.readyFile !== undefined) {
    const { url, readyFile } = flags;
    const credentialOrigin = `from the ready file ${readyFile}`;
    const ready = readReadyFile(readyFile, url);
    return { ...ready, scheme, source: "given", credentialOrigin, discoveryCache };
  }
  const given = flags.apiKeyFile === undefined ? undefined : await keyAt(flags.apiKeyFile);
  const { context } = flags;
  const found = resolveAccess({ url: flags.url, credential: given, context }, process.env);
  const { url = noUrl(), credential, source = noKey(emptyVariable()) } = found;
  const credentialOrigin = originText(source, flags.apiKeyFile, found.context);
  return { ...found, url, credential, source, credentialOrigin, scheme, discoveryCache };
}

/** As {@link serverAccess}; undefined if neither flags nor the environment nor a context name a server. */
export async function serverAccessIfNamed(
  flags: ConnectionFlags,
): Promise<ServerAccess | undefined> {
  const { url, apiKeyFile, context, readyFile } = flags;
  const { resolveAccess } = await import("../../../client/access.ts");
  const isNamed = [url, apiKeyFile, context, readyFile].some((flag) => flag !== undefined);
  if (!isNamed && resolveAccess({}, process.env).url === undefined) return undefined;
  return serverAccess(flags);
}

/** Says where a credential comes from: the file, the variable or the context. */
function originText(source: CredentialSource, file: string | undefined, context = ""): string {
  switch (source) {
    case "given":
      return file === "-" ? "from standard input" : `from the file ${file ?? ""}`;
    case "environment":
      return "from SVC_API_KEY";
    case "oidc":
      return "exchanged for the OIDC token of the environment";
    case "context":
      return `from the context ${JSON.stringify(context)} of \`svc login\``;
  }
}

function schemeOf(given: string | undefined): ServerAccess["scheme"] {
  if (given === undefined || given === "") return undefined;
  const name = given.toLowerCase();
  if (Object.hasOwn(schemes, name)) return schemes[name as keyof typeof schemes];
  throw new Failure("usage", `unknown authentication scheme "${given}"`, {
    remedy:
      "SVC_AUTH_SCHEME and --auth-scheme accept bearer or api-key; omit them to derive the " +
      "scheme from the key.",
  });
}

function noUrl(): never {
  throw new Failure("usage", "no server address", {
    remedy:
      "Run `svc login --url URL`, set SVC_API_URL to the address, such as " +
      "https://acme.example.com, or pass --url.",
  });
}

/** Returns the key in a text, without the space around it. Fails with `unauthenticated` if the text is empty. */
function keyIn(given: string, source: string): Secret {
  const key = given.trim();
  return key === "" ? noKey(`no credential: ${source} is empty`) : new Secret(key);
}

/** Says that the variable of the key is set but empty, as one that a pipeline fills from a missing secret. */
function emptyVariable(): string | undefined {
  return process.env["SVC_API_KEY"]?.trim() === ""
    ? "no credential: SVC_API_KEY is empty"
    : undefined;
}

function noKey(problem = "no credential"): never {
  throw new Failure("unauthenticated", problem, {
    remedy: "Run `svc login`, set SVC_API_KEY, or pass a file with the key as --api-key-file.",
  });
}

/** Reads a key from a file, or from standard input for `-`. Fails with `unauthenticated` without one. */
export async function keyAt(file: string): Promise<Secret> {
  return file === "-"
    ? keyIn(await readStandardInput(keyCharacters), "standard input")
    : keyIn(readSecretFile(file), file);
}

/** Returns the address and key of a ready file; `url` replaces the address, and selects one of several accounts. */
function readReadyFile(
  file: string,
  url: string | undefined,
): { readonly url: string; readonly credential: Secret } {
  const ready: ReadyFile = parseObject(readSecretFile(file));
  const apiKey =
    ready.accounts === undefined ? ready.apiKey : accountKey(file, ready.accounts, url);
  if (typeof ready.url !== "string" || typeof apiKey !== "string") {
    throw new Failure("usage", `${file} is not a ready file of \`svc serve --ready-file\``, {
      remedy: "Once the server is ready, the file contains url and apiKey.",
    });
  }
  return { url: url ?? reachableUrl(ready.url), credential: keyIn(apiKey, `apiKey of ${file}`) };
}

/** Returns the key of the account that answers on the host of `url`. */
function accountKey(file: string, accounts: unknown, url: string | undefined): unknown {
  const known = (Array.isArray(accounts) ? accounts : []).filter(isObject);
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  const hostsOf = ({ hosts }: JsonObject) => (Array.isArray(hosts) ? hosts : []);
  const account = known.find((one) => host !== undefined && hostsOf(one).includes(host));
  if (account !== undefined) return account["apiKey"];
  const names = known.flatMap(hostsOf).slice(0, limits.diagnosticsShown).join(", ");
  const why = host === undefined ? "" : `, none on the host ${host}`;
  throw new Failure("usage", `${file} has the keys of several accounts${why}`, {
    remedy: `Pass --url with the host of one of them: ${names}`,
  });
}

/** Replaces the address of all interfaces, to which a server listens, by one that a client can connect to. */
function reachableUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.origin;
}

/** The members of a ready file. */
interface ReadyFile {
  readonly url?: unknown;
  readonly apiKey?: unknown;
  readonly accounts?: unknown;
}
