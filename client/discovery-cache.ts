// Keeps the operations that servers offer between processes: an OpenAPI document has more than a megabyte, which each
// command would read and parse again.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isObject, type JsonValue } from "../core/json.ts";
import { type DiscoveryCache, offeredApiFormat } from "./api-discovery.ts";
import { cacheFile, writeCacheFile } from "./user-cache.ts";

/** Servers that are kept. */
const serversMax = 32;

/** Returns the cache of this user, with a file for each server. */
export function userDiscoveryCache(): DiscoveryCache {
  return {
    read: (baseUrl) => {
      const kept = readJson(fileOf(baseUrl));
      if (!isObject(kept)) return undefined;
      const { etag, routes, parameters } = kept;
      return typeof etag === "string" && areTexts(routes) && areTexts(parameters)
        ? { etag, routes, parameters }
        : undefined;
    },
    write: (baseUrl, offered) =>
      writeCacheFile(fileOf(baseUrl), JSON.stringify(offered), { most: serversMax }),
  };
}

function fileOf(baseUrl: string): string {
  const digest = createHash("sha256").update(`${offeredApiFormat} ${baseUrl}`).digest("hex");
  return cacheFile("servers", `${digest}.json`);
}

/** Returns the content of a file; undefined if it is missing or damaged. */
function readJson(file: string): JsonValue | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as JsonValue;
  } catch {
    return undefined;
  }
}

function areTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
