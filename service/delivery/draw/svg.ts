// Writes SVG: escaped texts, cut and wrapped by an estimate of their width, in the font of all pictures.

/** The font of all texts. The drawing process loads its files. */
export const fontFamily = "Inter, DejaVu Sans, sans-serif";

/** The language of numbers and dates in pictures and mails. */
export const pictureLocale = "en-US";

/** Colors of pictures. */
export const colors = {
  page: "#f4f5f7",
  card: "#ffffff",
  border: "#e2e5ea",
  text: "#1f2733",
  muted: "#66707f",
  error: "#b42318",
  errorCard: "#fef3f2",
  errorBorder: "#fbd5d0",
  stripe: "#f8f9fb",
} as const;

/** A rectangle in points. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Escapes a text for SVG and HTML, without characters that XML does not allow. */
export function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- XML does not allow these characters
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, "")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

/** The style of a line of text. */
export interface TextStyle {
  readonly size: number;
  readonly color?: string;
  readonly isBold?: boolean;
  readonly anchor?: "start" | "middle" | "end";
}

/** Returns a line of text. `y` is its baseline. */
export function textLine(
  text: string,
  [x, y]: readonly [number, number],
  { size, color = colors.text, isBold = false, anchor = "start" }: TextStyle,
): string {
  const weight = isBold ? ' font-weight="600"' : "";
  const style = `font-family="${fontFamily}" font-size="${size}"${weight} fill="${color}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${style}>${escapeXml(text)}</text>`;
}

/** Returns a rectangle with round corners. */
export function card(
  { x, y, width, height }: Box,
  { fill = colors.card, border = colors.border }: { fill?: string; border?: string } = {},
): string {
  const size = `width="${round(width)}" height="${round(height)}"`;
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="8" fill="${fill}" stroke="${border}"/>`;
}

/** Rounds to hundredths, so that files are short and the same everywhere. */
export function round(number: number): number {
  return Math.round(number * 100) / 100;
}

/** Estimates the width of a text. The estimate errs on the wide side and is exact enough to cut the text. */
export function textWidth(text: string, size: number): number {
  let units = 0;
  for (const char of text) units += charWidth(char);
  return units * size;
}

function charWidth(char: string): number {
  if (/[\s.,:;|'!ijlIft()[\]]/u.test(char)) return 0.34;
  if (/[mwMW@%]/u.test(char)) return 0.9;
  if (/[A-Z]/u.test(char)) return 0.7;
  // Chinese, Japanese and Korean characters, and emoji, are as wide as high.
  return (char.codePointAt(0) ?? 0) >= 0x1100 && !/[\u1e00-\u2bff]/u.test(char) ? 1.05 : 0.6;
}

/** Cuts a text to a width, with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (textWidth(line, size) <= width) return line;
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
