// Changing the secret key of accounts that no server is using: every stored secret is sealed under a new one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../core/errors.ts";
import { makeSeal } from "./seal.ts";
import { resealAll } from "./sealed.ts";
import { freshKey, type KeyRing, keyPath, keysIn, writeKeys } from "./secret-key.ts";
import { openSqlite } from "./store/sqlite.ts";

/** What a rotation did. */
export interface Rotation {
  /** False where an earlier run had made the new key and was stopped before all was sealed under it. */
  readonly isNewKey: boolean;
  /** Values that were sealed anew. */
  readonly resealed: number;
}

/** How a key is rotated. */
export interface Rotating {
  /** Throws the old key away at the end: embed tokens signed under it stop working. */
  readonly endTokens?: boolean;
}

/** What came of bringing accounts under the current key of a ring. */
export interface Resealed {
  /** Values that were under an earlier one. */
  readonly values: number;
  /** Whether anything was under an earlier one, be it without a value. */
  readonly isBehind: boolean;
}

/**
 * Gives the data folder a new secret key and seals everything under it. The old key stays beside the new one: it opens what
 * is not sealed anew yet, and embed tokens signed under it work until they expire. It can be killed at any moment and is then
 * run again. Fails with `locked` while a server uses the folder, `usage` for what is no data folder, `corrupt` for a value that
 * no key opens: then both keys stay.
 */
export async function rotateKey(data: string, how: Rotating = {}): Promise<Rotation> {
  if (!existsSync(join(data, "account.db"))) {
    throw new Failure("usage", `${data} is not the data folder of an account`, {
      remedy: "Name the folder that holds account.db; with several accounts each has one.",
    });
  }
  const store = await openSqlite(data);
  try {
    const reseal = async ({ current, earlier }: KeyRing): Promise<Resealed> => {
      const values = await resealAll(store.db, makeSeal(current, earlier));
      return { values, isBehind: values > 0 };
    };
    return await rotate(keyPath(data), reseal, how);
  } finally {
    await store.close();
  }
}

/** Rotates the key in the file `path`; `reseal` brings whatever is sealed under the current key of a ring. */
export async function rotate(
  path: string,
  reseal: (ring: KeyRing) => Promise<Resealed>,
  { endTokens = false }: Rotating,
): Promise<Rotation> {
  const end = (ring: KeyRing): void => {
    if (endTokens) writeKeys(path, { ...ring, earlier: [] });
  };
  const before = keysIn(path);
  const left = await reseal(before);
  // What an earlier run began is finished first: a third key beside two would leave none to be thrown away.
  if (left.isBehind) {
    end(before);
    return { isNewKey: false, resealed: left.values };
  }
  const ring: KeyRing = { current: freshKey(), earlier: [before.current] };
  writeKeys(path, ring);
  const { values } = await reseal(ring);
  end(ring);
  return { isNewKey: true, resealed: values };
}
