// The text of a widget as lines: headings, and text without Markdown syntax.

/** One line of a text. */
export interface TextLine {
  /** 1 to 6 for a heading, 0 for other text. */
  readonly level: number;
  readonly text: string;
}

/** Returns the lines of a text. Lines that begin with `#` are headings; bold and code are shown as plain text. */
export function linesOfText(text: string): readonly TextLine[] {
  return text.split(/\r?\n/u).map((line) => {
    const [, marks = "", rest = line] = /^(#{1,6})\s+(.*)$/u.exec(line) ?? [];
    return { level: marks.length, text: rest.replace(/\*\*|__|`/gu, "") };
  });
}
