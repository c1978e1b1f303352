// Encrypts secrets that must be read again with AES-256-GCM, under a key that is not in the database.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { Failure, isFailure } from "../../core/errors.ts";
import type { Secret } from "../../core/secret.ts";

/** Encrypts and decrypts texts. Each ciphertext is bound to one place and useless in another. */
export interface Sealer {
  /** Encrypts `secret` as text for the database. `place` identifies the row and column. */
  seal(secret: string, place: string): string;
  /**
   * Decrypts a value that was sealed for `place`. Throws `corrupt` if it is damaged, moved, or under an unknown key.
   */
  open(sealed: string, place: string): string;
  /** The prefix of values under the current key. */
  readonly prefix: string;
}

const sealFormat = "s1";
const ivBytes = 12;
const tagBytes = 16;

interface SealKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Creates a sealer that encrypts with `current` and decrypts with any of the keys, so that keys can be rotated. */
export function makeSealer(current: Secret, earlier: readonly Secret[] = []): Sealer {
  const closing = deriveSealKey(current);
  const keys = new Map([closing, ...earlier.map(deriveSealKey)].map((key) => [key.id, key]));
  const prefix = `${sealFormat}.${closing.id}.`;
  return {
    prefix,
    seal(secret, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", closing.key, iv);
      cipher.setAAD(Buffer.from(place, "utf8"));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      const packed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
      return `${prefix}${packed}`;
    },
    open(sealed, place) {
      const [form, id = "", packed = ""] = sealed.split(".");
      const key = keys.get(id);
      if (form !== sealFormat || key === undefined) throw cannotOpenError();
      try {
        return decrypt(Buffer.from(packed, "base64url"), key, place);
      } catch (cause) {
        throw cannotOpenError(cause);
      }
    },
  };
}

/** Returns the byte length of a sealed secret without decrypting it. */
export function sealedSecretLength(sealed: string): number {
  const [, , packed = ""] = sealed.split(".");
  return Math.max(0, Math.floor((packed.length * 3) / 4) - ivBytes - tagBytes);
}

function decrypt(packed: Buffer, { key }: SealKey, place: string): string {
  const iv = packed.subarray(0, ivBytes);
  const tag = packed.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place, "utf8"));
  decipher.setAuthTag(tag);
  const text = packed.subarray(ivBytes + tagBytes);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
}

function cannotOpenError(cause?: unknown): Failure {
  return new Failure(
    "corrupt",
    "a stored secret cannot be decrypted with the keys of this server",
    {
      ...(cause === undefined ? {} : { cause }),
      remedy: "Restore the secret.key that belongs to the database.",
    },
  );
}

/** The encryption key and its public identifier. */
function deriveSealKey(root: Secret): SealKey {
  const material = Buffer.from(root.reveal(), "base64url");
  const make = (purpose: string, bytes: number): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", material, "", `svc ${purpose}`, bytes));
  return {
    id: Buffer.from(make("seal-id", 6)).toString("base64url"),
    key: createSecretKey(make("seal", 32)),
  };
}

/**
 * Encrypts a text. Returns `sealed`, which is stored now, if it is the encryption of the same text. A value that can no
 * longer be decrypted counts as different.
 */
export function sealChanged(
  sealer: Sealer,
  text: string,
  { sealed, context }: { readonly sealed: string | null; readonly context: string },
): string {
  try {
    if (sealed !== null && sealer.open(sealed, context) === text) return sealed;
  } catch (error) {
    if (!isFailure(error, "corrupt")) throw error;
  }
  return sealer.seal(text, context);
}
