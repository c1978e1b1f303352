// Turns an error in a value of an object into a diagnostic with its place.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { ValueError } from "../../core/kind/server-checks.ts";
import { type DesiredObject, locationIn } from "./index.ts";

/** Returns the warnings about values of an object that have no effect. */
export function ineffectiveValues(
  object: DesiredObject,
  warnings: readonly ValueError[],
): readonly Diagnostic[] {
  return warnings.slice(0, limits.diagnosticsShown).map((warning) => ({
    ...valueRefused(object, warning),
    code: "value-ineffective",
    severity: "warning",
  }));
}

/**
 * Returns the error of a value. If the value is a separate file, the place is inside the file. Otherwise it is the
 * place of the value, and the message has the position in it.
 */
export function valueRefused(
  object: DesiredObject,
  { path, line, column, message, remedy }: ValueError,
): Diagnostic {
  const pointer = `/spec${path === "" ? "" : (object.declaredPointer?.(path) ?? path)}`;
  const file = object.fileOf?.(pointer);
  const name = splitPointer(path).at(-1) ?? "";
  const inValue = line === undefined ? "" : `${name}:${line}:${column ?? 1}: `;
  const place = file !== undefined && { place: { file, line: line ?? 1, column: column ?? 1 } };
  return {
    code: "value-refused",
    severity: "error",
    ...locationIn(object, pointer),
    ...place,
    summary: file === undefined ? `${inValue}${message}` : message,
    ...(remedy !== undefined && { remedy }),
  };
}
