// Collects the texts of desired objects by hash, so that observing does not read those that the server lists with the same hash.
import { fieldsOf, isFileMap } from "../core/kind/fields.ts";
import { fileHash } from "../core/text/file-text.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import { member } from "../core/schema/schema.ts";

/** Returns the texts that the API lists by hash. */
export function knownTextsOf(
  objects: Iterable<{ readonly kind: Kind; readonly spec: JsonObject }>,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { kind, spec } of objects) {
    for (const { name, schema } of fieldsOf(kind)) {
      const files = member(spec, name);
      if (!isFileMap(schema)) continue;
      for (const text of Object.values(isObject(files) ? files : {}))
        if (typeof text === "string") texts.set(fileHash(text), text);
    }
  }
  return texts;
}
