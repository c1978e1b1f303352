// Formats an error in a data model on one line.

/** An error with its place, as far as it is known. */
interface PlacedError {
  readonly fileName?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** Formats an error with its place: `model/cubes/orders.yml:3:5: message`. */
export function modelErrorText({ fileName, line, column, message }: PlacedError): string {
  const place = [fileName, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? message : `${place}: ${message}`;
}
