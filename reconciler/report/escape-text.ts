// Text from elsewhere made harmless and short: nothing in it can steer a terminal, hide, or run on for pages.

/** Two signs that join letters or pictures in ordinary text, and steer nothing. */
const joiners = /^[\u200c\u200d]$/u;
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text with every character that is not seen, or that moves others about, spelt as an escape. */
export function escapeInvisible(text: string): string {
  return text.replace(invisibleCharacters, (character) => {
    if (joiners.test(character)) return character;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return shortEscapes[character] ?? `\\u{${code}}`;
  });
}

/** At most `most` characters of the text; what is left out is counted. */
export function truncate(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const left = characters.length - most;
  return `${characters.slice(0, most).join("")}… (${left} more)`;
}

/** Parts of a text with an empty line between them; empty ones are left out. */
export function joinBlocks(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** `1 call`, `2 calls`. */
export function pluralize(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
