// What conformance derives from the registry: the documents that an example needs, and what a surface can do for a kind.
import { capability, type Capability } from "../../core/capability.ts";
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Example, Kind } from "../../core/kind.ts";
import { type Operation, sources } from "../../core/operation.ts";
import { referencesOf } from "../../core/references.ts";
import { kinds } from "../../resources/index.ts";
import type { Surface } from "../../service/server.ts";
import type { Doc } from "../support/stack.ts";

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind of that name. */
export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** What a server of this surface can do for the kind. */
export function capabilityOn(surface: Surface, kind: Kind): Capability {
  const furthest = sources.indexOf(surface === "full" ? "proposed" : surface);
  return capability(kind, (operation: Operation) => sources.indexOf(operation.source) <= furthest);
}

/** True when objects of the kind can be seen and made there, and so can all that every one of them refers to. */
export function canLive(surface: Surface, kind: Kind): boolean {
  const { observe, create } = capabilityOn(surface, kind);
  const parents = fieldsOf(kind).filter(({ required, traits }) => required && traits.refersTo);
  return (
    observe.length === 0 &&
    !("missing" in create) &&
    parents.every(({ traits }) => canLive(surface, kindNamed(traits.refersTo ?? "")))
  );
}

/** The example without the optional fields that refer to what cannot live on the surface. */
export function exampleOn(surface: Surface, kind: Kind, example: Example): JsonObject {
  const required = new Set(
    fieldsOf(kind)
      .filter((one) => one.required)
      .map(({ name }) => name),
  );
  const dropped = referencesOf(kind, example.spec)
    .filter(({ kind: target }) => !canLive(surface, kindNamed(target)))
    .map(({ field }) => field)
    .filter((name) => !required.has(name));
  return Object.fromEntries(
    Object.entries(example.spec).filter(([name]) => !dropped.includes(name)),
  );
}

/** The documents that this spec refers to, and those that they refer to, parents first. */
export function parentsOf(surface: Surface, kind: Kind, spec: JsonObject): Doc[] {
  const found = new Map<string, Doc>();
  for (const { kind: target, value } of referencesOf(kind, spec)) {
    const parent = kindNamed(target);
    const example = parent.examples.find(({ name }) => name === value);
    if (example === undefined) throw new Error(`no example of ${target} is called ${value}`);
    const parentSpec = exampleOn(surface, parent, example);
    const doc = { kind: target, name: value, spec: parentSpec };
    for (const one of [...parentsOf(surface, parent, parentSpec), doc])
      found.set(`${one.kind}/${one.name}`, one);
  }
  return [...found.values()];
}
