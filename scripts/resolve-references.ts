// Resolves references in documents: names of documents become natural keys.
import { address, nameOf } from "../core/kind/identity.ts";
import type { JsonObject } from "../core/json.ts";
import { type Kind, kindsByName } from "../core/kind/kind.ts";
import { normalize } from "../core/spec/normalize.ts";
import { referencesOf, withReferences } from "../core/kind/references.ts";
import { kinds } from "../resources/index.ts";
import type { ManifestDoc } from "./hcl.ts";

/** A document with its kind and its resolved spec. */
export interface ResolvedDoc {
  readonly kind: Kind;
  readonly name: string;
  readonly spec: JsonObject;
}

const byName = kindsByName(kinds);

/** Resolves the documents, in order. A reference to an unknown document counts as a natural key. */
export function resolveReferences(documents: readonly ManifestDoc[]): readonly ResolvedDoc[] {
  const docs = new Map(documents.map((doc) => [address(doc.kind, doc.name), doc]));
  const resolve = ({ kind: kindName, name, spec }: ManifestDoc): ResolvedDoc => {
    const kind = byName.get(kindName);
    if (kind === undefined) throw new Error(`unknown kind ${kindName}`);
    const references = referencesOf(kind, spec).filter((one) =>
      docs.has(address(one.kind, one.value)),
    );
    const resolved = withReferences(spec, references, ({ kind: target, value }) => {
      const doc = docs.get(address(target, value));
      if (doc === undefined) return value;
      const parent = resolve(doc);
      return nameOf(parent.kind, normalize(parent.kind, parent.spec)) ?? null;
    });
    return { kind, name, spec: resolved };
  };
  return documents.map(resolve);
}
