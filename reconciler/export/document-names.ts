// What exported documents are called: made from natural keys alone, so that the same object has the same name every time.
import { createHash } from "node:crypto";
import { parseKey } from "../../core/identity.ts";
import { canonical } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";

const maxLength = 100;

/**
 * A `metadata.name` for each natural key of a kind: its parts joined with hyphens. Of keys that come to the same name, and for
 * those that are too long, leave nothing of a name or come to one that is taken, each gets a hash of its key behind it.
 */
export function namesFor(
  kind: Kind,
  keys: readonly string[],
  taken: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const plain = keys.map((key): [string, string] => [key, plainName(kind, key)]);
  const counts = new Map<string, number>();
  for (const [, name] of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    plain.map(([key, name]) => {
      const isPlain =
        name !== "" && name.length <= maxLength && counts.get(name) === 1 && !taken.has(name);
      return [key, isPlain ? name : withHash(name, key)];
    }),
  );
}

function plainName(kind: Kind, key: string): string {
  const parts = Object.values(parseKey(kind, key) ?? { key });
  return slug(
    parts.map((part) => (typeof part === "string" ? decoded(part) : canonical(part))).join("-"),
  );
}

/** A part may be a key itself, as that of a parent without a name of its own. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function slug(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/gu, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/gu, "");
}

function withHash(name: string, key: string): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return slug(`${slug(name.slice(0, maxLength))}-${hash}`);
}
