// Hashes long texts that are made in small pieces.
import { createHash } from "node:crypto";

/** Computes a hash of pieces of text, without keeping the whole text. */
export interface TextHash {
  add(piece: string): void;
  /** Returns the hash of all pieces in hexadecimal. Can be called once. */
  digest(): string;
}

/** Each call of a hash takes as long as the hash of hundreds of characters, so pieces are joined up to this length. */
const joinedCharacters = 32_768;

/** Creates a SHA-256 hash of UTF-8 text. */
export function createTextHash(): TextHash {
  const hash = createHash("sha256");
  let waiting = "";
  return {
    add: (piece) => {
      waiting += piece;
      if (waiting.length < joinedCharacters) return;
      hash.update(waiting);
      waiting = "";
    },
    digest: () => hash.update(waiting).digest("hex"),
  };
}
