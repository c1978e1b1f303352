// Cuts texts into pieces of bounded size, and stores an inventory that is too large for one request in several of them.
import { Type } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { StoredInventory } from "./backend.ts";
import { parseContent } from "./format.ts";

/** Cuts the joined texts into pieces of at most `maxBytes`, never within a character. */
export function* cutTexts(texts: Iterable<string>, maxBytes: number): Generator<string> {
  // A character takes at most three bytes.
  const longest = Math.floor(maxBytes / 3);
  let piece = "";
  let bytes = 0;
  for (const text of texts) {
    for (const slice of slicesOf(text, longest)) {
      const length = Buffer.byteLength(slice);
      if (bytes + length > maxBytes) {
        yield piece;
        piece = "";
        bytes = 0;
      }
      piece += slice;
      bytes += length;
    }
  }
  if (piece !== "") yield piece;
}

function* slicesOf(text: string, longest: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + longest, text.length);
    // A pair of surrogates stays together.
    if (end < text.length && /[\uD800-\uDBFF]/u.test(text.charAt(end - 1))) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** Stores parts of one stack's inventory under new names. */
export interface PartStore {
  /** Stores a part and returns its name. Readers see it once a content names it. */
  write(text: string): Promise<string>;
  /** Reads a part, also of another stack's inventory; undefined if it was deleted. */
  read(name: string): Promise<string | undefined>;
  /** Deletes this stack's parts other than these, once they are older than `limits.orphanedPartMs`. */
  deleteOrphaned(referenced: readonly string[]): Promise<void>;
}

/** A content in parts. Its format is none of a whole inventory. */
const partsFormat = 5;

const indexSchema = Type.Object({
  format: Type.Literal(partsFormat),
  parts: Type.Array(Type.String(), { minItems: 1 }),
});

const validateIndex = declaredValidator(indexSchema);

/** Returns the inventory with the parts joined that its content names; undefined if a writer has deleted one meanwhile. */
export async function withParts(
  parts: Pick<PartStore, "read">,
  stored: StoredInventory,
): Promise<StoredInventory | undefined> {
  const { content, where } = stored;
  if (validateIndex(content).length > 0) return stored;
  const texts: string[] = [];
  for (const name of (content as { readonly parts: readonly string[] }).parts) {
    const text = await parts.read(name);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return { ...stored, content: parseContent(texts.join(""), where) };
}

/** Stores a content in parts where it is too large, and has `replace` commit it. Returns false if that did. */
export async function writeParts(
  parts: Pick<PartStore, "write" | "deleteOrphaned">,
  texts: Iterable<string>,
  replace: (content: string) => Promise<boolean>,
): Promise<boolean> {
  const names: string[] = [];
  let last = "";
  for (const piece of cutTexts(texts, limits.inventoryPartBytes)) {
    if (last !== "") names.push(await parts.write(last));
    last = piece;
  }
  if (names.length === 0) return replace(last);
  names.push(await parts.write(last));
  const isHeld = await replace(JSON.stringify({ format: partsFormat, parts: names }));
  // The content is written. What cannot be deleted now is deleted after the next write.
  if (isHeld) await parts.deleteOrphaned(names).catch(() => undefined);
  return isHeld;
}
