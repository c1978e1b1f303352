// Writes SVG: escaped texts in the font of all pictures, and cards.

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

/** Returns a text without characters that XML does not allow. */
export function allowedInXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- XML does not allow these characters
  const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;
  return text.toWellFormed().replace(forbidden, "");
}

/** Escapes a text for SVG and HTML, without characters that XML does not allow. */
export function escapeXml(text: string): string {
  return allowedInXml(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
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
