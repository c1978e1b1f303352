// Asks the server about written values that only it can check, such as the files of a data model.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Kind, Reader } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { address as addressOf, keyOf } from "../../core/identity.ts";
import type { CheckedWrite, PlannedObject, ValueError } from "../../core/server-checks.ts";
import { splitPointer } from "../../core/pointer.ts";
import { checkDeciders } from "../model/check-dependencies.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
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
  const desiredObjects = objectsByAddress(desired.objects);
  const deciderOf = checkDeciders(
    written.flatMap(({ address }) => desiredObjects.get(address) ?? []),
  );
  const planned = plannedObjects(written, desiredObjects);
  const diagnostics: Diagnostic[] = [];
  const unknown = collectUnknown();
  for (const { address, action, fields, id } of written) {
    const object = desiredObjects.get(address);
    const check = object?.kind.check;
    if (object === undefined || check === undefined || action === "delete") continue;
    const isOffered = check.needs.every((operation) => apiDiscovery.has(operation));
    const decider = deciderOf(object);
    const beside = decider && `the plan writes ${decider} too`;
    const unasked = isOffered ? (beside ?? unknown.ofAll.get(check)) : notOffered;
    if (unasked !== undefined) {
      unknown.add(check, address, unasked);
      continue;
    }
    const isNew = action === "create" || action === "replace";
    const changed = isNew ? undefined : fields;
    const replacedId = action === "replace" ? id : undefined;
    const result = await check.run(reader, { spec: object.spec, changed, replacedId, planned });
    if (!("unknown" in result))
      diagnostics.push(...errorsOf(object, result), ...warningsOf(object, result.warnings));
    else {
      unknown.add(check, address, result.unknown);
      if (result.ofAll === true) unknown.ofAll.set(check, result.unknown);
    }
  }
  return { diagnostics, notVerified: unknown.texts() };
}

/** Returns a lookup of the objects that the plan creates or changes, by natural key. */
function plannedObjects(
  written: readonly Change[],
  desiredObjects: ReadonlyMap<string, DesiredObject>,
): CheckedWrite["planned"] {
  const objects = new Map<string, PlannedObject>();
  const kinds = new Map<string, Kind>();
  for (const { address, action, id } of written) {
    const object = desiredObjects.get(address);
    if (object === undefined || action === "delete") continue;
    const { kind, key, spec } = object;
    kinds.set(kind.name, kind);
    const isNew = action === "create" || action === "replace";
    objects.set(addressOf(kind.name, key), { address, spec, id: isNew ? undefined : id });
  }
  return (name, key) => {
    const kind = kinds.get(name);
    return kind && objects.get(addressOf(name, keyOf(kind, key)));
  };
}

const notOffered = "only an apply validates them on this server";

type Check = NonNullable<DesiredObject["kind"]["check"]>;

/** Collects what could not be checked, with one text for each check and reason. */
function collectUnknown() {
  const found = new Map<string, { what: string; why: string; addresses: string[] }>();
  return {
    /** Reasons that are those of all objects of a check. */
    ofAll: new Map<Check, string>(),
    add: ({ what }: Check, address: string, why: string): void => {
      const key = JSON.stringify([what, why]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { what, why, addresses: [address] });
      else known.addresses.push(address);
    },
    texts: (): readonly string[] =>
      [...found.values()].map(({ what, why, addresses }) => {
        const named = addresses.slice(0, limits.placesNamed).join(", ");
        const more = addresses.length - limits.placesNamed;
        return `${what} of ${named}${more > 0 ? ` and ${more} more` : ""} (${why})`;
      }),
  };
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
function errorIn(
  object: DesiredObject,
  { path, line, column, message, remedy }: ValueError,
): Diagnostic {
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
    ...(remedy !== undefined && { remedy }),
  };
}
