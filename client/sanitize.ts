// Makes external text safe for messages: one line, without control and direction characters, limited in length.

const maxLength = 500;
const mask = "•••";

/** C0 and C1 control characters, DEL, line and paragraph separators, and bidirectional controls. */
const unsafeCharacters = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns `text` as one line of at most 500 characters. Replaces control characters with spaces and `secrets` with a mask. */
export function sanitize(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, mask);
  shown = shown
    .slice(0, maxLength * 4)
    .replace(unsafeCharacters, " ")
    .trim();
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
}
