// Estimates the width of texts, cuts and wraps them. Pages, pictures and documents lay out by the same estimate.

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns a text that keeps its place before a number: otherwise, the number would be drawn as a part of Arabic or Hebrew. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

/** Estimates the width of a text. The estimate errs on the wide side and is exact enough to cut the text. */
export function textWidth(text: string, size: number): number {
  let units = 0;
  for (const char of text) units += charWidth(char);
  return units * size;
}

function charWidth(char: string): number {
  if (/[\u2068\u2069]/u.test(char)) return 0;
  if (/[\s.,:;|'!ijlIft()[\]]/u.test(char)) return 0.34;
  if (/[mwMW@%]/u.test(char)) return 0.9;
  if (/[A-Z]/u.test(char)) return 0.7;
  // Chinese, Japanese and Korean characters, and emoji, are as wide as high.
  return (char.codePointAt(0) ?? 0) >= 0x1100 && !/[\u1e00-\u2bff]/u.test(char) ? 1.05 : 0.6;
}

/** Sums of widths are as exact as floating point: a text still fits into the sum of its parts. */
const tolerance = 0.01;

/** Cuts a text to a width, with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (textWidth(line, size) <= width + tolerance) return line;
  let used = textWidth("…", size);
  let kept = "";
  for (const char of line) {
    used += charWidth(char) * size;
    if (used > width) break;
    kept += char;
  }
  return kept === "" ? "" : `${kept.trimEnd()}…`;
}

/** Wraps a text into lines of a width. Long words are broken. */
export function wrapText(text: string, size: number, width: number): readonly string[] {
  return text.split(/\r?\n/u).flatMap((paragraph) => wrapParagraph(paragraph, size, width));
}

function wrapParagraph(paragraph: string, size: number, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.trim().split(/\s+/u)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer, size) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (textWidth(line, size) > width && line.length > 1) {
      const part = fitText(line, size, width).replace(/…$/u, "");
      if (part === "") break;
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  return [...lines, line];
}

/** Wraps a label into two lines at most; the second is cut. */
export function twoLines(text: string, size: number, width: number): string {
  const [first = "", second, ...more] = wrapText(text.slice(0, 500), size, width);
  if (second === undefined) return first;
  return `${first}\n${fitText([second, ...more].join(" "), size, width)}`;
}
