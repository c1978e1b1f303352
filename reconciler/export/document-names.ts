// Names exported documents after their natural keys, so that an object keeps its name in every export.
import { createHash } from "node:crypto";
import { parseKey } from "../../core/kind/identity.ts";
import { canonical } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";

const maxLength = 100;

/**
 * Returns a `metadata.name` for each natural key of a kind: its parts joined with hyphens. A hash of
 * the key is appended if the name is ambiguous, too long, empty or taken.
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
  const fields = isSingleton(kind) ? undefined : parseKey(kind, key);
  const parts = Object.values(fields ?? { key });
  return slug(
    parts.map((part) => (typeof part === "string" ? decoded(part) : canonical(part))).join("-"),
  );
}

/** A part may itself be a key, for a parent without a name. */
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
