// Which server, and as whom: flags, then the environment. A key is never a word of the command line.
import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { readStandardInput } from "./streams.ts";

/** What the options of {@link connectionOptions} give. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly authScheme?: string;
  readonly readyFile?: string;
}

/** Where to connect, and with what. */
export interface ServerAccess {
  readonly url: string;
  readonly credential: Secret;
  readonly scheme: "bearer" | "api-key" | undefined;
}

const schemes = { bearer: "bearer", "api-key": "api-key" } as const;
const keyCharacters = 16_384;

/** Adds the options that name a server. */
export function connectionOptions(command: Command): Command {
  return command
    .optionsGroup("Server:")
    .option("--url <url>", "origin of the server (else SVC_API_URL)")
    .option(
      "--api-key-file <file>",
      "file that holds the API key, - for standard input (else SVC_API_KEY)",
    )
    .option("--auth-scheme <scheme>", "bearer or api-key (else SVC_AUTH_SCHEME, else by the key)")
    .addOption(
      new Option(
        "--ready-file <file>",
        "url and key as `svc serve --ready-file` wrote them",
      ).conflicts(["url", "apiKeyFile"]),
    );
}

/** Reads flags and environment. Fails with `usage` without an address, and with `unauthenticated` without a key. */
export async function serverAccess(flags: ConnectionFlags): Promise<ServerAccess> {
  const { SVC_API_URL: url, SVC_API_KEY: key, SVC_AUTH_SCHEME: scheme } = process.env;
  const named = schemeOf(flags.authScheme ?? scheme);
  if (flags.readyFile !== undefined) return { ...readReadyFile(flags.readyFile), scheme: named };
  return {
    url: flags.url ?? (url || noUrl()),
    credential: flags.apiKeyFile === undefined ? keyIn(key) : await keyAt(flags.apiKeyFile),
    scheme: named,
  };
}

function schemeOf(given: string | undefined): ServerAccess["scheme"] {
  if (given === undefined || given === "") return undefined;
  const name = given.toLowerCase();
  if (Object.hasOwn(schemes, name)) return schemes[name as keyof typeof schemes];
  throw new Failure("usage", `there is no authentication scheme "${given}"`, {
    remedy: "SVC_AUTH_SCHEME and --auth-scheme are bearer or api-key; left out, the key tells",
  });
}

function noUrl(): never {
  throw new Failure("usage", "no server is named", {
    remedy: "set SVC_API_URL to its address, such as https://acme.example.com, or pass --url",
  });
}

function keyIn(given: string | undefined): Secret {
  if (given !== undefined && given.trim() !== "") return new Secret(given.trim());
  throw new Failure("unauthenticated", "no API key is given", {
    remedy: "set SVC_API_KEY, or name a file that holds the key with --api-key-file",
  });
}

async function keyAt(file: string): Promise<Secret> {
  return keyIn(file === "-" ? await readStandardInput(keyCharacters) : textOf(file));
}

function readReadyFile(file: string): Pick<ServerAccess, "url" | "credential"> {
  const { url, apiKey } = parsed(textOf(file));
  if (typeof url !== "string" || typeof apiKey !== "string") {
    throw new Failure("usage", `${file} is not what \`svc serve --ready-file\` writes`, {
      remedy: "it holds url and apiKey once the server answers",
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

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be read: ${code ?? "unknown"}`, { cause: error });
  }
}
