// Keeps parsed manifest files for a process that loads stacks again and again, such as the controller.
import { createHash } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
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
  /** Bytes when the file was last used: places are added later. */
  readonly size: number;
}

/** About the bytes of a place or a diagnostic. */
const bytesOfPlace = 300;

/** Creates a cache of about `maxSize` bytes. The files that were not used for longest leave first. */
export function createParseCache(maxSize: number = limits.parseCacheBytes): ParseCache {
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
      const previous = files.get(key);
      const packed = previous?.packed ?? packParts(parseParts(file, text));
      const cached = withSize(packed, previous?.places ?? new Map());
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

function withSize(packed: PackedParts, places: LocatedPlaces): CachedFile {
  const located = places.size + packed.diagnostics.length;
  return { packed, places, size: packed.bytes.byteLength + located * bytesOfPlace };
}
