// Keeps parsed manifest files for a process that loads stacks again and again, such as the controller.
import { createHash } from "node:crypto";
import { limits } from "../../core/limits.ts";
import { parseForReuse, type Parsed } from "./parse.ts";

/** Parses texts, and remembers the result by the file's name and the hash of its text. */
export interface ParseCache {
  parse(file: string, text: string): Parsed;
}

interface CachedFile {
  readonly documents: () => Parsed;
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
      const cached = known ?? { documents: parseForReuse(file, text), size: text.length };
      remove(key);
      if (cached.size <= maxSize) {
        files.set(key, cached);
        size += cached.size;
      }
      for (const oldest of files.keys()) {
        if (size <= maxSize) break;
        remove(oldest);
      }
      return cached.documents();
    },
  };
}
