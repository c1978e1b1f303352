// The formats that data models and widgets can name.
import { isNumberFormat } from "./number-format.ts";
import { isTimeFormat } from "./time-format.ts";

/** The formats by name; others are d3-format or strftime. */
export const formatNames = [
  "number",
  "decimal",
  "percent",
  "currency",
  "accounting",
  "abbr",
  "id",
  "link",
  "imageUrl",
] as const;

/** Returns whether a text is a format of numbers, of times, or of cells that are links or pictures. */
export function isFormat(text: string): boolean {
  return ["link", "imageUrl"].includes(text) || isNumberFormat(text) || isTimeFormat(text);
}
