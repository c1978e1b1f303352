// Asks the server about written values that only it can check, such as the files of a data model.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Reader } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import type { ValueError } from "../../core/server-checks.ts";
import { splitPointer } from "../../core/pointer.ts";
import { type Change, type DesiredObject, locationIn } from "../model/index.ts";
import type { Session } from "./session.ts";

interface CheckContext {
  readonly session: Pick<Session, "desired" | "apiDiscovery">;
  readonly reader: Reader;
}

/** Returns the errors that the server finds in written values, and what it could not check. */
export async function checkValues(
  written: readonly Change[],
  { session: { desired, apiDiscovery }, reader }: CheckContext,
): Promise<{
  readonly diagnostics: readonly Diagnostic[];
  readonly notVerified: readonly string[];
}> {
  const desiredObjects = new Map(desired.objects.map((one) => [one.address, one]));
  const diagnostics: Diagnostic[] = [];
  const notVerified: string[] = [];
  for (const { address, action, fields, id } of written) {
    const object = desiredObjects.get(address);
    const check = object?.kind.check;
    if (object === undefined || check === undefined || action === "delete") continue;
    if (!check.needs.every((operation) => apiDiscovery.has(operation))) {
      notVerified.push(`${check.what} of ${address} (only an apply validates them on this server)`);
      continue;
    }
    const cause = written.find((one) => decides(desiredObjects.get(one.address), object));
    if (cause !== undefined) {
      notVerified.push(`${check.what} of ${address} (the plan writes ${cause.address} too)`);
      continue;
    }
    const isNew = action === "create" || action === "replace";
    const changed = isNew ? undefined : fields;
    const replacedId = action === "replace" ? id : undefined;
    const result = await check.run(reader, { spec: object.spec, changed, replacedId });
    if ("unknown" in result) notVerified.push(`${check.what} of ${address} (${result.unknown})`);
    else diagnostics.push(...errorsOf(object, result), ...warningsOf(object, result.warnings));
  }
  return { diagnostics, notVerified };
}

/** Returns whether a written object decides the check of another one. */
function decides(written: DesiredObject | undefined, checked: DesiredObject): boolean {
  const { dependsOn } = checked.kind.check ?? {};
  if (dependsOn === undefined || written?.kind.name !== dependsOn.kind) return false;
  const { field, own = field } = dependsOn;
  return written.spec[field] === checked.spec[own];
}

function warningsOf(
  object: DesiredObject,
  warnings: readonly ValueError[] = [],
): readonly Diagnostic[] {
  return warnings.slice(0, limits.diagnosticsShown).map((one) => ({
    ...errorIn(object, one),
    code: "value-ineffective",
    severity: "warning",
  }));
}

function errorsOf(
  object: DesiredObject,
  { errors, errorCount }: { readonly errors: readonly ValueError[]; readonly errorCount: number },
): readonly Diagnostic[] {
  const shown = errors.slice(0, limits.diagnosticsShown).map((one) => errorIn(object, one));
  const rest = errorCount - shown.length;
  if (rest <= 0) return shown;
  const summary = `the server found ${rest} more errors in ${object.address}`;
  return [
    ...shown,
    { code: "value-refused", severity: "error", ...locationIn(object, ""), summary },
  ];
}

/** A value that is a file of its own has the place of the error; other values have theirs, and the message says where in it. */
function errorIn(object: DesiredObject, { path, line, column, message }: ValueError): Diagnostic {
  const at = `/spec${path === "" ? "" : (object.declaredPointer?.(path) ?? path)}`;
  const file = object.fileOf?.(at);
  const name = splitPointer(path).at(-1) ?? "";
  const inValue = line === undefined ? "" : `${name}:${line}:${column ?? 1}: `;
  const place = file !== undefined && { place: { file, line: line ?? 1, column: column ?? 1 } };
  return {
    code: "value-refused",
    severity: "error",
    ...locationIn(object, at),
    ...place,
    summary: file === undefined ? `${inValue}${message}` : message,
  };
}
