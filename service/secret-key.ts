// The root of the keys that tokens are signed and secrets sealed under: 32 random bytes in a file of their own, so that a
// copy of the database holds none.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { readPrivate, writePrivate } from "./files.ts";

/** A key for a server that keeps nothing. */
export function freshKey(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The key in `secret.key` of the data folder, made there when it is missing. Fails with `corrupt` where it is torn. */
export function keyOf(data: string): Secret {
  const path = join(data, "secret.key");
  const text = readPrivate(path)?.trim();
  if (text === undefined) {
    const key = freshKey();
    writePrivate(path, `${key.reveal()}\n`);
    return key;
  }
  if (/^[\w-]{43}$/.test(text)) return new Secret(text);
  throw new Failure("corrupt", `${path} does not hold a key`, {
    remedy:
      "Restore it. Without it, embed tokens made so far stop working and stored secrets cannot be read again.",
  });
}
