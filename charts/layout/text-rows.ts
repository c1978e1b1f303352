// Estimates the rows of the grid that a text in Markdown takes, so that a narrow page has no empty space below it. Pure.
import { wrapText } from "../scales/text-width.ts";

/** Sizes of headings; other text has the last. As in the style sheet of the page. */
const headingSizes = [20, 16, 16];
const textSize = 14;
const lineHeight = 1.45;
/** Space below headings, and between paragraphs. */
const spaces = { heading: 4, paragraph: 8 };
const listIndent = 40;
/** Longer texts are cut for the estimate: they take more than a page anyway. */
const mostCharacters = 5000;

/** Returns the height of a text in Markdown; undefined if it has pictures, tables or code, whose height only the page knows. */
export function heightOfText(text: string, width: number): number | undefined {
  if (/!\[|^\s*\||^\s*(?:```|~~~)/mu.test(text)) return undefined;
  return text
    .slice(0, mostCharacters)
    .trim()
    .split(/\r?\n/u)
    .reduce((sum, line) => sum + heightOfLine(line, width), 0);
}

function heightOfLine(line: string, width: number): number {
  const shown = line.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll(/[*_`]/gu, "");
  if (shown.trim() === "") return spaces.paragraph;
  const [, marks, heading = ""] = /^(#{1,6})\s+(.*)$/u.exec(shown) ?? [];
  if (marks !== undefined) {
    const size = headingSizes[marks.length - 1] ?? textSize;
    return wrapText(heading, size, width).length * size * lineHeight + spaces.heading;
  }
  const indent = /^\s*(?:[-+]|\d+[.)])\s/u.test(shown) ? listIndent : 0;
  return wrapText(shown, textSize, Math.max(1, width - indent)).length * textSize * lineHeight;
}
