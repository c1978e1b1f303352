// Finds references to objects that a create in a preview could not resolve: neither on the server nor planned in this run.
import { isFailure } from "../../core/errors.ts";
import { nameOf } from "../../core/identity.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { type Reference, referencesOf } from "../../core/references.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { readTargetFor } from "../bridge/read-cache.ts";

/** Remembers the objects that the previews of one engine run create. */
export class PlannedObjects {
  readonly #names = new Set<string>();

  add(kind: Kind, spec: JsonObject): void {
    this.#names.add(plannedName(kind.name, nameOf(kind, normalize(kind, spec))));
  }

  has({ kind, value }: Reference): boolean {
    return this.#names.has(plannedName(kind, value));
  }
}

function plannedName(kind: string, name: JsonValue | undefined): string {
  return `${kind} ${canonical(name ?? null)}`;
}

/** What a check of references needs. */
export interface ReferenceContext {
  readonly bridge: Bridge;
  readonly kindNamed: (name: string) => Kind | undefined;
  readonly planned: PlannedObjects;
}

/** Returns a warning for each reference whose object does not exist and is not created before in this run. */
export async function missingReferenceWarnings(
  kind: Kind,
  spec: JsonObject,
  { bridge, kindNamed, planned }: ReferenceContext,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const reference of referencesOf(kind, spec)) {
    const target = kindNamed(reference.kind);
    if (target === undefined || planned.has(reference)) continue;
    if ((await exists(target, { reference, spec, bridge })) !== false) continue;
    warnings.push(
      `${target.name} ${canonical(reference.value)} does not exist, and no resource before this one creates it. If this program declares it, use its output or dependsOn.`,
    );
  }
  return warnings;
}

/** Returns whether the object of a reference exists; undefined if the reference does not determine its whole key. */
async function exists(
  target: Kind,
  {
    reference,
    spec,
    bridge,
  }: { readonly reference: Reference; readonly spec: JsonObject; readonly bridge: Bridge },
): Promise<boolean | undefined> {
  const own = target.key.filter((name) => !target.scope.includes(name));
  const [name = ""] = own;
  const scope = target.scope.map((field) => [field, spec[reference.within?.[field] ?? field]]);
  if (own.length !== 1 || scope.some(([, value]) => typeof value !== "string")) return undefined;
  const key = { ...(Object.fromEntries(scope) as JsonObject), [name]: reference.value };
  try {
    return (
      (await bridge.read(readTargetFor(target, key, { requestedFields: new Set() }))) !== undefined
    );
  } catch (error) {
    // A missing parent has its own warning; a key without the right to read cannot tell.
    if (isFailure(error, "not_found") || isFailure(error, "forbidden")) return undefined;
    throw error;
  }
}
