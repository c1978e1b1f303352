// Writes SVG: escaped texts in the font of all pictures, and cards.
import type { Look } from "../../../charts/index.ts";

/** The font of all texts. The drawing process loads its files. */
export const fontFamily = "Inter, DejaVu Sans, sans-serif";

/** The language of numbers and dates in pictures and mails. */
export const pictureLocale = "en-US";

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
  readonly color: string;
  readonly isBold?: boolean;
  readonly anchor?: "start" | "middle" | "end";
}

/** Returns a line of text. `y` is its baseline. */
export function textLine(
  text: string,
  [x, y]: readonly [number, number],
  { size, color, isBold = false, anchor = "start" }: TextStyle,
): string {
  const weight = isBold ? ' font-weight="600"' : "";
  const style = `font-family="${fontFamily}" font-size="${size}"${weight} fill="${color}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${style}>${escapeXml(text)}</text>`;
}

/** Returns a rectangle with round corners. */
export function card(
  { x, y, width, height }: Box,
  { card: fill, border, radius }: Pick<Look, "card" | "border" | "radius">,
): string {
  const size = `width="${round(width)}" height="${round(height)}"`;
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="${radius}" fill="${fill}" stroke="${border}"/>`;
}

/** Rounds to hundredths, so that files are short and the same everywhere. */
export function round(number: number): number {
  return Math.round(number * 100) / 100;
}
