// Documents of a stack as the specs they come to: names of documents become what the objects are called.
import { address, nameOf } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { referencesOf } from "../../core/references.ts";
import { kinds } from "../../resources/index.ts";
import type { Doc } from "./stack.ts";

/** A document with its kind and its spec in natural keys. */
export interface ResolvedDoc {
  readonly kind: Kind;
  readonly name: string;
  readonly spec: JsonObject;
}

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** The documents in their order; a reference to a document that is not among them is taken as a key. */
export function resolvedDocs(documents: readonly Doc[]): readonly ResolvedDoc[] {
  const docs = new Map(documents.map((doc) => [address(doc.kind, doc.name), doc]));
  const resolve = ({ kind: kindName, name, spec }: Doc): ResolvedDoc => {
    const kind = byName.get(kindName);
    if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
    const resolved = referencesOf(kind, spec).reduce((before, { path, kind: target, value }) => {
      const doc = docs.get(address(target, value));
      if (doc === undefined) return before;
      const parent = resolve(doc);
      const called = nameOf(parent.kind, normalize(parent.kind, parent.spec)) ?? null;
      return placed(before, splitPointer(path), called) as JsonObject;
    }, spec);
    return { kind, name, spec: resolved };
  };
  return documents.map(resolve);
}

function placed(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  called: JsonValue,
): JsonValue {
  if (step === undefined) return called;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, at) =>
      String(at) === step ? placed(item, rest, called) : item,
    );
  }
  return { ...(isObject(value) ? value : {}), [step]: placed(inside(value, step), rest, called) };
}

function inside(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
