// Files as text: the content of a UTF-8 file, and a data URI for the bytes of any other file.
import { createHash } from "node:crypto";

const binaryPrefix = "data:application/octet-stream;base64,";

/** Returns the text that stands for the bytes of a file. */
export function fileText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.startsWith(binaryPrefix)) return text;
  } catch {
    // Not UTF-8.
  }
  return binaryPrefix + Buffer.from(bytes).toString("base64");
}

/** Returns the bytes of a file from its {@link fileText}. */
export function fileBytes(text: string): Buffer {
  return text.startsWith(binaryPrefix)
    ? Buffer.from(text.slice(binaryPrefix.length), "base64")
    : Buffer.from(text, "utf8");
}

/** Returns the SHA-1 of the bytes of a file, hexadecimal, by which the API names contents. */
export function fileHash(text: string): string {
  return createHash("sha1").update(fileBytes(text)).digest("hex");
}
