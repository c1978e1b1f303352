// Measures and shortens text by the columns that a terminal shows it in: wide characters take two, combining ones none.
import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const ellipsis = "…";

/** Returns the columns that a text without control characters takes. */
export function displayWidth(text: string): number {
  return isPrintableAscii(text) ? text.length : stringWidth(text);
}

/** Returns a text that takes at most `width` columns: the text itself, or its beginning with an ellipsis. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let [kept, used] = ["", displayWidth(ellipsis)];
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}

/** Appends spaces until a text takes `width` columns. */
export function padText(text: string, width: number): string {
  return `${text}${" ".repeat(Math.max(0, width - displayWidth(text)))}`;
}

function isPrintableAscii(text: string): boolean {
  return /^[\u{20}-\u{7e}]*$/u.test(text);
}
