// Writes SVG: escaped texts in the font of all pictures, and frames.
import { escapeHtml } from "../../../core/text/escape-html.ts";

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
  return escapeHtml(allowedInXml(text));
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

/** What is around a widget. */
export interface Frame {
  /** The color in it, or `none`. */
  readonly fill: string;
  readonly border: string;
  readonly width: number;
  readonly line: string;
  readonly radius: number;
}

/** Returns a rectangle; "" if nothing of it is visible. */
export function drawFrame(
  { x, y, width, height }: Box,
  { fill, border, width: thickness, line, radius }: Frame,
): string {
  const hasLine = line !== "none" && thickness > 0;
  if (!hasLine && fill === "none") return "";
  const size = `width="${round(width)}" height="${round(height)}"`;
  const dash = { dashed: 3 * thickness, dotted: thickness }[line];
  const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash}"`;
  const stroke = hasLine ? ` stroke="${border}" stroke-width="${thickness}"${dashes}` : "";
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="${radius}" fill="${fill}"${stroke}/>`;
}

/** Rounds to hundredths, so that files are short and the same everywhere. */
export function round(number: number): number {
  return Math.round(number * 100) / 100;
}
