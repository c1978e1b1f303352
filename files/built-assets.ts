// The static files of a page, which the build wrote: names have hashes, and each file has compressed forms beside it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { JsonObject } from "../core/json.ts";

/** A file as it is sent. */
export interface Asset {
  readonly content: Buffer;
  /** Its type, and its encoding if it is compressed. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of a build. Paths begin at its folder. */
export interface BuiltAssets {
  /** What each page loads. */
  readonly manifest: JsonObject;
  has(path: string): boolean;
  /** Reads a file, in the smallest form that `Accept-Encoding` permits; undefined for a path that no file has. */
  read(path: string, acceptEncoding: string | undefined): Promise<Asset | undefined>;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/** The endings of the compressed forms, the smallest first. */
const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Opens the first of several places that has a build; undefined if none has. */
export function openBuiltAssets(places: readonly URL[]): BuiltAssets | undefined {
  const folder = places.find((place) => existsSync(new URL("manifest.json", place)));
  if (folder === undefined) return undefined;
  const names = new Set(readdirSync(folder, { recursive: true, encoding: "utf8" }));
  const has = (path: string): boolean => types[extname(path)] !== undefined && names.has(path);
  return {
    manifest: JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as JsonObject,
    has,
    read: async (path, acceptEncoding = "") => {
      const type = types[extname(path)];
      if (type === undefined || !has(path)) return undefined;
      const accepted = acceptEncoding.split(/[\s,;]+/u);
      const [encoding, ending = ""] =
        encodings.find(([name, end]) => accepted.includes(name) && names.has(`${path}${end}`)) ??
        [];
      const headers = {
        "content-type": type,
        vary: "accept-encoding",
        ...(encoding && { "content-encoding": encoding }),
      };
      return { content: await readFile(new URL(`${path}${ending}`, folder)), headers };
    },
  };
}
