// Stores an inventory that is too large for one request as parts of bounded size; writing the content that names them commits.
import { Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Inventory } from "../model/index.ts";
import { inventoryOf, parseInventory, renderInventory } from "./format.ts";
import type { RemoteBackend } from "./remote-backend.ts";

/**
 * The content of an inventory in parts. Its format is newer than the format of whole inventories, so that older
 * versions refuse it.
 */
const indexSchema = Type.Object(
  {
    format: Type.Literal(5),
    stack: Type.String(),
    serial: Type.Integer({ minimum: 1 }),
    parts: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  },
  { additionalProperties: false },
);

const validateIndex = declaredValidator(indexSchema);

interface PartIndex {
  readonly format: 5;
  readonly stack: string;
  readonly serial: number;
  readonly parts: readonly string[];
}

function isPartIndex(content: unknown): content is PartIndex {
  return validateIndex(content).length === 0;
}

/** Reads the inventory that a content contains or names. Returns undefined if a writer has deleted a part meanwhile. */
export async function readContent(
  backend: Pick<RemoteBackend, "readPart">,
  content: unknown,
  where: string,
): Promise<Inventory | undefined> {
  if (!isPartIndex(content)) return inventoryOf(content, where);
  const texts: string[] = [];
  for (const name of content.parts) {
    const text = await backend.readPart(name);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return parseInventory(texts.join(""), where);
}

/** Writes an inventory, in parts where it is too large for one request. Returns false if the lock is no longer held. */
export async function writeContent(
  backend: Pick<RemoteBackend, "replace" | "writePart" | "deleteOrphanedParts">,
  lockId: string,
  inventory: Inventory,
): Promise<boolean> {
  const names: string[] = [];
  let content = "";
  for (const part of partsOf(renderInventory(inventory))) {
    if (content !== "") names.push(await backend.writePart(content));
    content = part;
  }
  if (names.length === 0) return backend.replace(lockId, content);
  names.push(await backend.writePart(content));
  const { stack, serial } = inventory;
  const index: PartIndex = { format: 5, stack, serial, parts: names };
  const isHeld = await backend.replace(lockId, JSON.stringify(index));
  if (isHeld) await backend.deleteOrphanedParts(new Set(names));
  return isHeld;
}

/** Cuts a text into parts of at most `limits.inventoryPartBytes`, never within a character. */
function* partsOf(pieces: Iterable<string>): Generator<string> {
  const longest = Math.floor(limits.inventoryPartBytes / 3);
  let part = "";
  let bytes = 0;
  for (const piece of pieces) {
    for (const slice of slicesOf(piece, longest)) {
      const length = Buffer.byteLength(slice);
      if (bytes + length > limits.inventoryPartBytes) {
        yield part;
        part = "";
        bytes = 0;
      }
      part += slice;
      bytes += length;
    }
  }
  if (part !== "") yield part;
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

/** The failure for an inventory whose parts keep disappearing while it is read. */
export function missingPartsError(where: string): Failure {
  return new Failure("corrupt", `parts of ${where} are missing; nothing was written`, {
    details: { path: where },
    remedy: "Restore the store from a copy.",
  });
}
