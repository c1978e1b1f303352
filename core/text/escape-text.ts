// Escapes and shortens untrusted text, so that it cannot control a terminal or hide content.

/** Two joiners that are common in ordinary text and safe. */
const joiners = /^[\u200c\u200d]$/u;
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Commands that CI runners execute when they read them in a log: `::name` at the start of a line (GitHub
 * Actions), and `##[name]`, `##vso[` or `##teamcity[` anywhere (GitHub Actions, Azure Pipelines, TeamCity).
 */
const lineCommand = /^([^\S\r\n]*):(?=:\S)/gmu;
/** The first character of a command that runners read anywhere in a line. */
export const inlineCommand = /#(?=#[\w-]*\[)/gu;

/** Returns the escape of a character in a text, such as `\u{23}`. */
export function textEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Returns the escape of a character in a JSON string, such as `\u0023`. */
export function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns a text of any number of lines with the commands escaped that a CI runner would execute. */
export function escapeRunnerCommands(text: string, escape = textEscape): string {
  return text
    .replace(lineCommand, (_, space: string) => `${space}${escape(":")}`)
    .replace(inlineCommand, escape);
}

/**
 * Returns the text with invisible and reordering characters as escapes. Commands that a CI runner would execute are
 * escaped too.
 */
export function escapeInvisible(text: string): string {
  return escapeRunnerCommands(escapeCharacters(text));
}

/** Escapes each line of a text as {@link escapeInvisible}, and keeps the line breaks. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeInvisible).join("\n");
}

/** Returns true if a CI runner would execute a line of the text as a command. */
export function hasRunnerCommand(text: string): boolean {
  return escapeRunnerCommands(text) !== text;
}

function escapeCharacters(text: string): string {
  return text.replace(invisibleCharacters, (character) => {
    if (joiners.test(character)) return character;
    return shortEscapes[character] ?? textEscape(character);
  });
}

/** Returns at most `most` characters of the text, and the count of the rest. */
export function truncate(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const left = characters.length - most;
  const tail = `… (${left} more)`;
  // A cut that hides fewer characters than it writes would make the text longer.
  if (left <= tail.length) return text;
  return `${characters.slice(0, most).join("")}${tail}`;
}

/** Joins the nonempty parts with an empty line between them. */
export function joinBlocks(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** `1 call`, `2 calls`. */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
