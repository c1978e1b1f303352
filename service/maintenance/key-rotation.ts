// Rotates the secret key of accounts while no server is running: re-encrypts every stored secret.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { makeSealer } from "../security/seal.ts";
import { resealAll } from "../security/sealed-columns.ts";
import {
  generateKey,
  type KeyRing,
  secretKeyPath,
  loadOrCreateKeyRing,
  writeKeyRing,
} from "../security/secret-key.ts";
import { bindToCurrentKey } from "../security/operator-key.ts";
import { requireComplete } from "../store/data-folder.ts";
import { openSqlite } from "../store/sqlite.ts";

/** The result of a rotation. */
export interface RotationResult {
  /** False if this run finished an interrupted rotation that had already created the new key. */
  readonly isNewKey: boolean;
  /** Number of values that were re-encrypted. */
  readonly resealed: number;
}

/** Rotation options. */
export interface RotationOptions {
  /** Discards the old key at the end. Embed tokens signed with it become invalid. */
  readonly endTokens?: boolean;
}

/** The result of moving accounts to the current key of a key ring. */
export interface ResealResult {
  /** Number of values under an earlier key. */
  readonly values: number;
  /** True if an account was under an earlier key, even without values. */
  readonly hadEarlierKey: boolean;
}

/**
 * Gives the data folder a new secret key and re-encrypts everything with it. The old key stays beside the new one: it
 * decrypts values that are not re-encrypted yet, and embed tokens signed with it stay valid until they expire. An
 * interrupted rotation can be run again. Throws `locked` while a server uses the folder, `usage` if it is not a data
 * folder, and `corrupt` for a value that no key decrypts; then both keys stay.
 */
export async function rotateKey(data: string, how: RotationOptions = {}): Promise<RotationResult> {
  if (!existsSync(join(data, "account.db"))) {
    throw new Failure("usage", `${data} is not the data folder of an account`, {
      remedy:
        "Pass the folder that contains account.db. With several accounts, each has its own folder.",
    });
  }
  const store = await openSqlite(data, { onLocked: requireComplete });
  try {
    const reseal = async (ring: KeyRing): Promise<ResealResult> => {
      const values = await resealAll(store.db, makeSealer(ring.current, ring.earlier));
      const hadEarlierKey = await bindToCurrentKey(store.db, ring);
      return { values, hadEarlierKey: hadEarlierKey || values > 0 };
    };
    return await rotateKeyFile(secretKeyPath(data), reseal, how);
  } finally {
    await store.close();
  }
}

/** Rotates the key in the file `path`. `reseal` re-encrypts values under the current key of a ring. */
export async function rotateKeyFile(
  path: string,
  reseal: (ring: KeyRing) => Promise<ResealResult>,
  { endTokens = false }: RotationOptions,
): Promise<RotationResult> {
  const end = (ring: KeyRing): void => {
    if (endTokens) writeKeyRing(path, { ...ring, earlier: [] });
  };
  const before = loadOrCreateKeyRing(path);
  const left = await reseal(before);
  // Finish an interrupted rotation first, so that there are never more than two keys.
  if (left.hadEarlierKey) {
    end(before);
    return { isNewKey: false, resealed: left.values };
  }
  const ring: KeyRing = { current: generateKey(), earlier: [before.current] };
  writeKeyRing(path, ring);
  const { values } = await reseal(ring);
  end(ring);
  return { isNewKey: true, resealed: values };
}
