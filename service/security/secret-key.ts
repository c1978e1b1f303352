// The root key that signing and encryption keys are derived from: 32 random bytes in a separate file, outside the
// database.
import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { secretKeyFile } from "../store/data-folder.ts";
import { createPrivate, readPrivate, writePrivate } from "../store/private-files.ts";

/** Generates a key for a server without storage. */
export function generateKey(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The keys of an account: the current key signs and encrypts, the earlier key only verifies and decrypts. */
export interface KeyRing {
  readonly current: Secret;
  /** The key before the last rotation, if any; at most one. */
  readonly earlier: readonly Secret[];
}

/** Returns the path of the key file in a data folder. */
export function secretKeyPath(data: string): string {
  return join(data, secretKeyFile);
}

/**
 * Reads the keys in a file, one per line, the current one first. Creates the file if it is missing; servers that start
 * concurrently get the same key. Throws `corrupt` if the file is incomplete.
 */
export function loadOrCreateKeyRing(path: string): KeyRing {
  const text = readPrivate(path) ?? createPrivate(path, `${generateKey().reveal()}\n`);
  return parseKeyRing(text, path);
}

/** Reads the keys in a file, as {@link loadOrCreateKeyRing} does. Throws `refused` if the file is missing. */
export function loadKeyRing(path: string): KeyRing {
  const text = readPrivate(path);
  if (text !== undefined) return parseKeyRing(text, path);
  throw new Failure(
    "refused",
    `the secret key file ${path} does not exist, but an account depends on it`,
    {
      remedy: "Put back the file. A new key could not decrypt the stored secrets.",
    },
  );
}

/** Parses the text of a key file; `path` is for messages. Throws `corrupt` if the text is incomplete. */
export function parseKeyRing(text: string, path: string): KeyRing {
  const lines = text.trim().split("\n");
  const [current, ...earlier] = lines.map((line) => new Secret(line));
  if (current && earlier.length <= 1 && lines.every((line) => /^[\w-]{43}$/.test(line))) {
    return { current, earlier };
  }
  throw new Failure("corrupt", `${path} does not contain a key`, {
    remedy:
      "Restore the file. Without it, existing embed tokens become invalid and stored secrets cannot be decrypted.",
  });
}

/** Writes the keys atomically. */
export function writeKeyRing(path: string, { current, earlier }: KeyRing): void {
  writePrivate(path, [current, ...earlier].map((key) => `${key.reveal()}\n`).join(""));
}

/** Derives the keys of one of several accounts in a database from the servers' keys. */
export function accountKeyRing({ current, earlier }: KeyRing, account: string): KeyRing {
  const own = (root: Secret): Secret =>
    new Secret(deriveKey(root, `account ${account}`).toString("base64url"));
  return { current: own(current), earlier: earlier.map(own) };
}

/** Derives 32 bytes for one purpose. They reveal nothing about the root key or other purposes. */
export function deriveKey(root: Secret, purpose: string): Buffer {
  const material = Buffer.from(root.reveal(), "base64url");
  return Buffer.from(hkdfSync("sha256", material, "", `svc ${purpose}`, 32));
}
