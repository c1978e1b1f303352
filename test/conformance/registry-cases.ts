// Derives conformance cases from the registry: the documents that an example needs, and what a front end supports for a
// kind.
import {
  capability,
  isUnavailable,
  missingOperations,
  type Capability,
} from "../../core/kind/capability.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { address, nameOf } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Example } from "../../core/kind/example.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { type Operation, sources } from "../../core/operation/operation.ts";
import { referencesOf, withReferences } from "../../core/kind/references.ts";
import { kinds } from "../../resources/index.ts";
import type { Surface } from "../../service/server/server.ts";
import { examplesOf } from "../support/examples.ts";
import type { Doc } from "../support/test-stack.ts";

const byName = kindsByName(kinds);

/** Returns the kind with that name. */
export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** Returns the capabilities of a server of this surface for the kind. */
export function capabilityOn(surface: Surface, kind: Kind): Capability {
  return capability(kind, offeredOn(surface));
}

/**
 * Returns true if the surface offers every binding that writes the kind, so that writes are the same as on the whole
 * surface.
 */
export function isWrittenAlike(surface: Surface, { bindings }: Kind): boolean {
  const writing = [...bindings.create, ...bindings.update, ...bindings.delete];
  const offers = offeredOn(surface);
  return writing.every((binding) => missingOperations(binding, offers).length === 0);
}

function offeredOn(surface: Surface): (operation: Operation) => boolean {
  const furthest = sources.indexOf(surface === "full" ? "proposed" : surface);
  return (operation) => sources.indexOf(operation.source) <= furthest;
}

/** Returns true if objects of the kind can be read and created there. */
export function isSupportedOn(surface: Surface, kind: Kind): boolean {
  const { observe, create, update } = capabilityOn(surface, kind);
  const names = fieldsOf(kind).map(({ name }) => name);
  const isWritable = isSingleton(kind) ? !("uncovered" in update(names)) : !isUnavailable(create);
  return observe.length === 0 && isWritable;
}

/** Returns true if the surface lacks an operation of the kind or of its parents that a server's description lists. */
export function lacksListed(surface: Surface, kind: Kind, parents: readonly Doc[]): boolean {
  return [kind, ...parents.map((one) => kindNamed(one.kind))]
    .map((one) => capabilityOn(surface, one))
    .flatMap(({ observe, create }) => [
      ...observe,
      ...(isUnavailable(create) ? create.missing : []),
    ])
    .some(({ unlisted }) => unlisted !== true);
}

/**
 * Returns the example for the surface. Required references to unsupported objects refer to objects outside the stack.
 * Optional references to them, and fields that no operation can set, are left out.
 */
export function exampleOn(surface: Surface, kind: Kind, example: Example): JsonObject {
  const required = new Set(
    fieldsOf(kind)
      .filter((one) => one.required)
      .map(({ name }) => name),
  );
  const absent = referencesOf(kind, example.spec).filter(
    (one) => !isSupportedOn(surface, kindNamed(one.kind)),
  );
  const spec: Record<string, JsonValue | undefined> = {
    ...withReferences(example.spec, absent, (one) => ({
      external: referenceValue(kindNamed(one.kind), one.value),
    })),
  };
  for (const { field } of absent) if (!required.has(field)) spec[field] = undefined;
  const { create } = capabilityOn(surface, kind);
  if (!isUnavailable(create)) for (const name of create.uncovered) spec[name] = undefined;
  return spec;
}

/** Returns the documents that this spec refers to, directly and indirectly, parents first. */
export function parentDocuments(surface: Surface, kind: Kind, spec: JsonObject): Doc[] {
  const found = new Map<string, Doc>();
  for (const { kind: target, value, external } of referencesOf(kind, spec)) {
    if (external) continue;
    const parent = kindNamed(target);
    const parentSpec = exampleOn(surface, parent, exampleNamed(parent, value));
    const doc = { kind: target, name: value, spec: parentSpec };
    for (const one of [...parentDocuments(surface, parent, parentSpec), doc]) {
      found.set(address(one.kind, one.name), one);
    }
  }
  return [...found.values()];
}

function referenceValue(kind: Kind, name: string): JsonValue {
  return nameOf(kind, normalize(kind, exampleNamed(kind, name).spec)) ?? null;
}

function exampleNamed(kind: Kind, name: string): Example {
  const example = examplesOf(kind).find((one) => one.name === name);
  if (example === undefined) throw new Error(`no example of ${kind.name} is called ${name}`);
  return example;
}
