// Keeps parsed manifest files for a process that loads stacks again and again, such as the controller.
import { createHash } from "node:crypto";
import { limits } from "../../core/limits.ts";
import { type PackedParts, packParts, unpackParts } from "./packed-parts.ts";
import { documentsOf, type LocatedPlaces, type Parsed, parseParts } from "./parse.ts";

/** Parses texts, and remembers the result by the file's name and the hash of its text. */
export interface ParseCache {
  parse(file: string, text: string): Parsed;
}

interface CachedFile {
  readonly packed: PackedParts;
  /** So that documents with warnings are not parsed again to locate them. */
  readonly places: LocatedPlaces;
  readonly size: number;
}

/** Creates a cache of at most `maxSize` characters of text. The files that were not used for longest leave first. */
export function createParseCache(maxSize: number = limits.parseCacheCharacters): ParseCache {
  // In the order of their last use.
  const files = new Map<string, CachedFile>();
  let size = 0;
  const remove = (key: string): void => {
    size -= files.get(key)?.size ?? 0;
    files.delete(key);
  };
  return {
    parse: (file, text) => {
      const key = createHash("sha256").update(`${file}\0${text}`).digest("base64");
      const known = files.get(key);
      const cached = known ?? newCachedFile(file, text);
      remove(key);
      if (cached.size <= maxSize) {
        files.set(key, cached);
        size += cached.size;
      }
      for (const oldest of files.keys()) {
        if (size <= maxSize) break;
        remove(oldest);
      }
      const { parts, diagnostics } = unpackParts(file, cached.packed);
      return { documents: documentsOf(file, text, { parts, places: cached.places }), diagnostics };
    },
  };
}

function newCachedFile(file: string, text: string): CachedFile {
  return { packed: packParts(parseParts(file, text)), places: new Map(), size: text.length };
}
