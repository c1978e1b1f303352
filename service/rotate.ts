// Changing the secret key of an account that no server is using: every stored secret is sealed under a new one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../core/errors.ts";
import { makeSeal } from "./seal.ts";
import { resealAll } from "./sealed.ts";
import { freshKey, type KeyRing, keyPath, keysIn, writeKeys } from "./secret-key.ts";
import { isPostgres } from "./store/open.ts";
import { openSqlite } from "./store/sqlite.ts";

/** What a rotation did. */
export interface Rotation {
  /** False where an earlier run had made the new key and was stopped before all was sealed under it. */
  readonly isNewKey: boolean;
  /** Values that were sealed anew. */
  readonly resealed: number;
}

/**
 * Gives the data folder a new secret key and seals everything under it. The old key stays beside the new one: it opens what
 * is not sealed anew yet, and embed tokens signed under it work until they expire; with `endTokens` it is thrown away at the
 * end, and they stop working. It can be killed at any moment and is then run again. Fails with `locked` while a server uses
 * the folder, `usage` for what is no data folder, `corrupt` for a value that no key opens: then both keys stay.
 */
export async function rotateKey(
  data: string,
  { endTokens = false }: { readonly endTokens?: boolean } = {},
): Promise<Rotation> {
  refuseOthers(data);
  const path = keyPath(data);
  const store = await openSqlite(data);
  try {
    const before = keysIn(path);
    const left = await resealAll(store.db, makeSeal(before.current, before.earlier));
    // What an earlier run began is finished first: a third key beside two would leave none to be thrown away.
    if (left > 0) {
      end(path, before, endTokens);
      return { isNewKey: false, resealed: left };
    }
    const ring: KeyRing = { current: freshKey(), earlier: [before.current] };
    writeKeys(path, ring);
    const resealed = await resealAll(store.db, makeSeal(ring.current, ring.earlier));
    end(path, ring, endTokens);
    return { isNewKey: true, resealed };
  } finally {
    await store.close();
  }
}

function end(path: string, ring: KeyRing, endTokens: boolean): void {
  if (endTokens) writeKeys(path, { ...ring, earlier: [] });
}

function refuseOthers(data: string): void {
  if (isPostgres(data)) {
    throw new Failure("refused", "the key of accounts in a database cannot be rotated yet", {
      remedy: "Only the keys of data folders can be.",
    });
  }
  if (existsSync(join(data, "account.db"))) return;
  throw new Failure("usage", `${data} is not the data folder of an account`, {
    remedy: "Name the folder that holds account.db; with several accounts each has one.",
  });
}
