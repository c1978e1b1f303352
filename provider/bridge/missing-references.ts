// Finds references to objects that a planned write could not resolve: neither on the server nor planned in this run.
import { isFailure } from "../../core/errors.ts";
import { keyOfNamed, nameOf, parseKey } from "../../core/kind/identity.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { fieldsWithin, type Reference, referencesOf } from "../../core/kind/references.ts";
import type { Bridge } from "./bridge.ts";
import { readTargetFor } from "./read-target.ts";

/** Remembers the objects that the plans of one engine run create, update and delete. Addresses have the kind and the natural key. */
export class EngineRunPlans {
  readonly #names = new Set<string>();
  readonly #kindsWithUnknownName = new Set<string>();
  readonly #existing = new Set<string>();
  readonly #removed = new Set<string>();

  /** Adds an object, unless a part of its key is not known yet. */
  add(kind: Kind, spec: JsonObject): void {
    const known = normalize(kind, spec);
    if (kind.key.some((field) => (known[field] ?? null) === null)) return;
    this.#names.add(plannedName(kind.name, nameOf(kind, known)));
  }

  /** Records that the plan of an object of this kind leaves its name unknown: the object is created or replaced. */
  addUnknownName(kind: Kind): void {
    this.#kindsWithUnknownName.add(kind.name);
  }

  /** Returns whether an unknown reference to an object of this kind may come from an object that the run plans. */
  mayGetUnknownName(kind: string): boolean {
    return this.#kindsWithUnknownName.has(kind);
  }

  /** Records the plan of an object that exists. */
  addExisting(objectAddress: string): void {
    this.#existing.add(objectAddress);
  }

  /** Returns whether the plan of an object that exists was recorded. */
  isExisting(objectAddress: string): boolean {
    return this.#existing.has(objectAddress);
  }

  /** Records the plan of a delete, also to replace the object. */
  addRemoved(objectAddress: string): void {
    this.#removed.add(objectAddress);
  }

  /** Returns whether the run deletes an object that exists, also to replace it. */
  isRemoved(objectAddress: string): boolean {
    return this.#removed.has(objectAddress);
  }

  has({ kind, value }: Reference): boolean {
    return this.#names.has(plannedName(kind, value));
  }
}

function plannedName(kind: string, name: JsonValue | undefined): string {
  return `${kind} ${canonical(name ?? null)}`;
}

/** The inputs of a check of references. */
export interface ReferenceContext {
  /** The spec before an update: its references are not checked again. */
  readonly before?: JsonObject | undefined;
  readonly bridge: Pick<Bridge, "read">;
  readonly kindNamed: (name: string) => Kind | undefined;
  readonly planned: EngineRunPlans;
}

/** A reference that a write cannot resolve. */
export interface MissingReference {
  /** The top-level field that contains it. */
  readonly field: string;
  readonly message: string;
}

/** Returns each reference whose object does not exist and is not created before in this run. */
export async function missingReferences(
  kind: Kind,
  spec: JsonObject,
  { before, bridge, kindNamed, planned }: ReferenceContext,
): Promise<readonly MissingReference[]> {
  const missing: MissingReference[] = [];
  const earlier = before === undefined ? [] : referencesOf(kind, before);
  const kept = new Set(earlier.map((one) => plannedName(one.kind, one.value)));
  for (const reference of referencesOf(kind, spec)) {
    const target = kindNamed(reference.kind);
    if (target === undefined || planned.has(reference)) continue;
    if (kept.has(plannedName(reference.kind, reference.value))) continue;
    if ((await exists(target, { reference, spec, bridge })) !== false) continue;
    missing.push({
      field: reference.field,
      message: `${target.name} ${canonical(reference.value)} does not exist, and no resource before this one creates it.`,
    });
  }
  return missing;
}

/** Returns whether the object of a reference exists; undefined if the reference does not determine its whole key. */
async function exists(
  target: Kind,
  {
    reference,
    spec,
    bridge,
  }: {
    readonly reference: Reference;
    readonly spec: JsonObject;
    readonly bridge: Pick<Bridge, "read">;
  },
): Promise<boolean | undefined> {
  const text = keyOfNamed(target, reference.value, { ...spec, ...fieldsWithin(reference, spec) });
  const key = text === undefined ? undefined : parseKey(target, text);
  if (key === undefined) return undefined;
  try {
    return (
      (await bridge.read(readTargetFor(target, key, { requestedFields: new Set() }))) !== undefined
    );
  } catch (error) {
    // A missing parent has its own warning. Without the right to read, or without an answer, it is not known.
    if (isFailure(error) && error.code !== "aborted") return undefined;
    throw error;
  }
}
