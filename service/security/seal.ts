// Secrets that must be read again: sealed with AES-256-GCM under a key that lies outside the database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import type { Secret } from "../../core/secret.ts";

/** Seals texts and opens them again; each belongs to one place, and is worth nothing in another. */
export interface Sealer {
  /** `secret` as text that may lie in the database; `place` names the row and column it is for. */
  seal(secret: string, place: string): string;
  /** What was sealed for `place`. Fails with `corrupt` where it is torn, moved, or sealed under a key that is not here. */
  open(sealed: string, place: string): string;
  /** How everything begins that is sealed under the current key. */
  readonly prefix: string;
}

const sealFormat = "s1";
const ivBytes = 12;
const tagBytes = 16;

interface SealKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A seal that closes under `current` and opens what was closed under any of the keys, so that a key can be rotated. */
export function makeSealer(current: Secret, earlier: readonly Secret[] = []): Sealer {
  const closing = deriveSealKey(current);
  const keys = new Map([closing, ...earlier.map(deriveSealKey)].map((key) => [key.id, key]));
  const prefix = `${sealFormat}.${closing.id}.`;
  return {
    prefix,
    seal(secret, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", closing.bytes, iv);
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

/** Bytes of the secret that was sealed, which its length tells without a key. */
export function sealedSecretLength(sealed: string): number {
  const [, , packed = ""] = sealed.split(".");
  return Math.max(0, Math.floor((packed.length * 3) / 4) - ivBytes - tagBytes);
}

function decrypt(packed: Buffer, key: SealKey, place: string): string {
  const iv = packed.subarray(0, ivBytes);
  const tag = packed.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place, "utf8"));
  decipher.setAuthTag(tag);
  const text = packed.subarray(ivBytes + tagBytes);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
}

function cannotOpenError(cause?: unknown): Failure {
  return new Failure("corrupt", "a stored secret cannot be opened with the keys of this server", {
    ...(cause === undefined ? {} : { cause }),
    remedy: "Put back the secret.key that belongs to the database.",
  });
}

/** The key itself, and a name for it that tells nothing of it. */
function deriveSealKey(root: Secret): SealKey {
  const material = Buffer.from(root.reveal(), "base64url");
  const make = (purpose: string, bytes: number): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", material, "", `svc ${purpose}`, bytes));
  return {
    id: Buffer.from(make("seal-id", 6)).toString("base64url"),
    bytes: make("seal", 32),
  };
}
