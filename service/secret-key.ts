// The root of the keys that tokens are signed and secrets sealed under: 32 random bytes in a file of their own, so that a
// copy of the database holds none.
import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { createPrivate, readPrivate } from "./files.ts";

/** A key for a server that keeps nothing. */
export function freshKey(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The key in `secret.key` of the data folder, made there when it is missing. Fails with `corrupt` where it is torn. */
export function keyOf(data: string): Secret {
  return keyIn(join(data, "secret.key"));
}

/**
 * The key in this file, made there when it is missing; servers that start at once take the same. Fails with `corrupt` where
 * it is torn.
 */
export function keyIn(path: string): Secret {
  const text = (readPrivate(path) ?? createPrivate(path, `${freshKey().reveal()}\n`)).trim();
  if (/^[\w-]{43}$/.test(text)) return new Secret(text);
  throw new Failure("corrupt", `${path} does not hold a key`, {
    remedy:
      "Restore it. Without it, embed tokens made so far stop working and stored secrets cannot be read again.",
  });
}

/** 32 bytes for one purpose, which tell nothing of the root or of those for other purposes. */
export function derivedKey(root: Secret, purpose: string): Buffer {
  const material = Buffer.from(root.reveal(), "base64url");
  return Buffer.from(hkdfSync("sha256", material, "", `svc ${purpose}`, 32));
}
