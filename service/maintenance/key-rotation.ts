// Changing the secret key of accounts that no server is using: every stored secret is sealed under a new one.
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
import { openSqlite } from "../store/sqlite.ts";

/** What a rotation did. */
export interface RotationResult {
  /** False where an earlier run had made the new key and was stopped before all was sealed under it. */
  readonly isNewKey: boolean;
  /** Values that were sealed anew. */
  readonly resealed: number;
}

/** How a key is rotated. */
export interface RotationOptions {
  /** Throws the old key away at the end: embed tokens signed under it stop working. */
  readonly endTokens?: boolean;
}

/** What came of bringing accounts under the current key of a ring. */
export interface ResealResult {
  /** Values that were under an earlier one. */
  readonly values: number;
  /** Whether anything was under an earlier one, be it without a value. */
  readonly hadEarlierKey: boolean;
}

/**
 * Gives the data folder a new secret key and seals everything under it. The old key stays beside the new one: it opens what
 * is not sealed anew yet, and embed tokens signed under it work until they expire. It can be killed at any moment and is then
 * run again. Fails with `locked` while a server uses the folder, `usage` for what is no data folder, `corrupt` for a value that
 * no key opens: then both keys stay.
 */
export async function rotateKey(data: string, how: RotationOptions = {}): Promise<RotationResult> {
  if (!existsSync(join(data, "account.db"))) {
    throw new Failure("usage", `${data} is not the data folder of an account`, {
      remedy: "Name the folder that holds account.db; with several accounts each has one.",
    });
  }
  const store = await openSqlite(data);
  try {
    const reseal = async ({ current, earlier }: KeyRing): Promise<ResealResult> => {
      const values = await resealAll(store.db, makeSealer(current, earlier));
      return { values, hadEarlierKey: values > 0 };
    };
    return await rotateKeyFile(secretKeyPath(data), reseal, how);
  } finally {
    await store.close();
  }
}

/** Rotates the key in the file `path`; `reseal` brings whatever is sealed under the current key of a ring. */
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
  // What an earlier run began is finished first: a third key beside two would leave none to be thrown away.
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
