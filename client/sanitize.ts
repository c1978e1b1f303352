// Texts that came from outside, made fit to stand in a message: one line, no control or direction characters, bounded.

const maxLength = 500;
const mask = "•••";

/** C0 and C1 controls, DEL, line and paragraph separators, and the marks that reorder text on a screen. */
const unsafeCharacters = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu;

/** `text` on one line of at most 500 characters; controls become spaces, and occurrences of `secrets` a mask. */
export function sanitize(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, mask);
  shown = shown
    .slice(0, maxLength * 4)
    .replace(unsafeCharacters, " ")
    .trim();
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
}
