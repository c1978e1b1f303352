// Formats errors in a data model on one line.
import { pluralize } from "../text/escape-text.ts";

/** An error with its place, if the place is known. */
interface PlacedError {
  readonly fileName?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** Formats the first error, and says how many there are beyond it. */
export function modelErrorsText(first: PlacedError, more: readonly PlacedError[]): string {
  const rest = more.length > 0 ? `, and ${pluralize(more.length, "more error")}` : "";
  return `${modelErrorText(first)}${rest}`;
}

/** Formats an error with its place: `model/cubes/orders.yml:3:5: message`. */
export function modelErrorText({ fileName, line, column, message }: PlacedError): string {
  const place = [fileName, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? message : `${place}: ${message}`;
}
