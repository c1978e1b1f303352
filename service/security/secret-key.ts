// The root of the keys that tokens are signed and secrets sealed under: 32 random bytes in a file of their own, so that a
// copy of the database holds none.
import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { createPrivate, readPrivate, writePrivate } from "../store/private-files.ts";

/** A key for a server that keeps nothing. */
export function generateKey(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The keys of an account: what is made now is under the current one, what was made before may be under the earlier one. */
export interface KeyRing {
  readonly current: Secret;
  /** The key before the last rotation, if there was one: at most one. */
  readonly earlier: readonly Secret[];
}

/** Where the keys of a data folder lie. */
export function secretKeyPath(data: string): string {
  return join(data, "secret.key");
}

/**
 * The keys in this file, one a line, the current one first; made where the file is missing: servers that start at once take
 * the same. Fails with `corrupt` where it is torn.
 */
export function loadOrCreateKeyRing(path: string): KeyRing {
  const text = readPrivate(path) ?? createPrivate(path, `${generateKey().reveal()}\n`);
  return parseKeyRing(text, path);
}

/** The keys that the text of a key file holds; `path` is where it is from. Fails with `corrupt` where it is torn. */
export function parseKeyRing(text: string, path: string): KeyRing {
  const lines = text.trim().split("\n");
  const [current, ...earlier] = lines.map((line) => new Secret(line));
  if (current && earlier.length <= 1 && lines.every((line) => /^[\w-]{43}$/.test(line))) {
    return { current, earlier };
  }
  throw new Failure("corrupt", `${path} does not hold a key`, {
    remedy:
      "Restore it. Without it, embed tokens made so far stop working and stored secrets cannot be read again.",
  });
}

/** Writes the keys in one step. */
export function writeKeyRing(path: string, { current, earlier }: KeyRing): void {
  writePrivate(path, [current, ...earlier].map((key) => `${key.reveal()}\n`).join(""));
}

/** The keys of one of several accounts of a database, made of those that all of its servers are given. */
export function accountKeyRing({ current, earlier }: KeyRing, account: string): KeyRing {
  const own = (root: Secret): Secret =>
    new Secret(deriveKey(root, `account ${account}`).toString("base64url"));
  return { current: own(current), earlier: earlier.map(own) };
}

/** 32 bytes for one purpose, which tell nothing of the root or of those for other purposes. */
export function deriveKey(root: Secret, purpose: string): Buffer {
  const material = Buffer.from(root.reveal(), "base64url");
  return Buffer.from(hkdfSync("sha256", material, "", `svc ${purpose}`, 32));
}
