// The key for fingerprints of secrets: kept outside plans and inventories, in the environment or in a private file.
import { readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { refuseOpenFile } from "../../files/secret-file.ts";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { createAtomically, makePrivateFolder } from "../../files/atomic-files.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variable that holds the key on machines without a persistent home folder. */
export const keyVariable = "SVC_FINGERPRINT_KEY";

/** The minimum length of a key: a shorter one could be guessed. */
const minKeyLength = 32;

/** Returns the key from the environment, otherwise from the file. Fails with `usage` if the key is too short. */
export function readFingerprintKey(env: Environment): Secret | undefined {
  const written = env[keyVariable];
  if (written !== undefined && written !== "") return checkKeyLength(written, keyVariable);
  const path = keyFilePath(env);
  const kept = textOf(path);
  return kept === undefined ? undefined : checkKeyLength(kept, path);
}

/** Returns the key as {@link readFingerprintKey} does; creates one in a private file if there is none. */
export function ensureFingerprintKey(env: Environment): Secret {
  const key = readFingerprintKey(env);
  if (key !== undefined) return key;
  const path = keyFilePath(env);
  writeKey(path);
  // A concurrent process may have created it first: read that file.
  const created = readFingerprintKey(env);
  if (created !== undefined) return created;
  throw new Failure("unavailable", `the fingerprint key ${path} was removed while it was created`);
}

/** Returns a random key for one run. Its fingerprints match no stored ones. */
export function ephemeralKey(): Secret {
  return new Secret(randomKey());
}

function randomKey(): string {
  return randomBytes(32).toString("base64url");
}

function writeKey(path: string): void {
  try {
    makePrivateFolder(dirname(path));
    createAtomically(path, [`${randomKey()}\n`]);
  } catch (cause) {
    throw new Failure("unavailable", `the fingerprint key ${path} cannot be written`, {
      cause,
      remedy: `Give ${keyVariable} a key of at least ${minKeyLength} random characters instead.`,
    });
  }
}

function keyFilePath(env: Environment): string {
  const { XDG_CONFIG_HOME: configured = "", HOME: home = "" } = env;
  const base = isAbsolute(configured) ? configured : join(home || homedir(), ".config");
  return join(base, "svc", "fingerprint.key");
}

function textOf(path: string): string | undefined {
  refuseOpenFile(path);
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new Failure("unavailable", `the fingerprint key ${path} cannot be read`, { cause });
  }
}

function checkKeyLength(text: string, where: string): Secret {
  if (text.length >= minKeyLength) return new Secret(text);
  throw new Failure("usage", `the fingerprint key in ${where} is too short`, {
    remedy: `Use at least ${minKeyLength} random characters, such as the output of \`openssl rand -base64 32\`.`,
  });
}
