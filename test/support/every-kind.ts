// Small stacks of every kind whose objects are created and deleted: the examples, which refer to each other by name, and the
// same with every value changed.
import { fieldsOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Reference, referencesOf } from "../../core/kind/references.ts";
import { view } from "../../core/schema/schema.ts";
import { kinds } from "../../resources/index.ts";
import { examplesOf } from "./examples.ts";
import { runsAllCases, sampled } from "./sampling.ts";
import type { TestService } from "./test-service.ts";
import type { Doc } from "./test-stack.ts";

/** Creates the prerequisites of examples that no kind declares: a user, and an account in which OIDC is enabled. */
export async function prepareAccount({ send }: Pick<TestService, "send">): Promise<void> {
  const body = { username: "analyst", email: "analyst@svc.localhost" };
  await send("POST", "/api/v1/users", { body });
  await send("PUT", "/api/v1/tenant/settings", { body: { oidcEnabled: true } });
}

/** The kinds whose objects are created and deleted. */
const itemKinds = kinds.filter((kind) => !isSingleton(kind));

/** The kinds whose object always exists. */
export const singletons: readonly Kind[] = kinds.filter(isSingleton);

/** Every example of every kind as a document, except singletons. */
export const everyKind: readonly Doc[] = documentsOf(itemKinds);

/** The examples of singletons as documents. */
export const everySingleton: readonly Doc[] = documentsOf(singletons);

function documentsOf(some: readonly Kind[]): readonly Doc[] {
  return some.flatMap((kind) =>
    examplesOf(kind).map(({ name, spec }) => ({
      kind: kind.name,
      name,
      spec: spec as JsonObject,
    })),
  );
}

/**
 * Returns the documents of each `of`-th kind, or of fewer kinds in an ordinary run, and the documents that they or
 * their variations refer to. Another `part` takes other kinds. Returns all documents if {@link runsAllCases}.
 */
export function shareOfKinds(
  documents: readonly Doc[],
  { part, of }: Readonly<Record<"part" | "of", number>>,
): readonly Doc[] {
  if (runsAllCases) return documents;
  const chosen = new Set(sampled(itemKinds, of, part));
  const taken = new Set(documents.filter(({ kind }) => chosen.has(kindNamed(kind))));
  // Grows while it is read: what a document refers to may refer to others.
  for (const doc of taken)
    for (const target of referredDocuments(doc))
      for (const one of documents)
        if (one.kind === target.kind && one.name === target.value) taken.add(one);
  return documents.filter((doc) => taken.has(doc));
}

function kindNamed(name: string): Kind {
  const kind = itemKinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Returns the references of a document, with and without its variations. */
function referredDocuments({ kind: kindName, name, spec }: Doc): readonly Reference[] {
  const kind = kindNamed(kindName);
  const variations = examplesOf(kind).find((one) => one.name === name)?.variations;
  return [spec, { ...spec, ...variations }].flatMap((one) => referencesOf(kind, one));
}

/** The same documents with every variation of their examples, except references and types that others rely on. */
export const everyKindChanged: readonly Doc[] = changedDocumentsOf(itemKinds);

/** The singletons with every variation that other examples do not rely on: their switches stay on. */
export const everySingletonChanged: readonly Doc[] = changedDocumentsOf(singletons).map(
  ({ spec, ...doc }) => {
    const before = everySingleton.find(({ kind }) => kind === doc.kind)?.spec ?? {};
    const kept = Object.entries(before).filter(([, value]) => value === true);
    return { ...doc, spec: { ...spec, ...Object.fromEntries(kept) } };
  },
);

function changedDocumentsOf(some: readonly Kind[]): readonly Doc[] {
  return some.flatMap((kind) =>
    examplesOf(kind).map(({ name, spec, variations }) => {
      const referring = new Set(referencesOf(kind, spec as JsonObject).map(({ field }) => field));
      const free = fieldsOf(kind).filter(
        (field) => !referring.has(field.name) && view(field.schema).enum === undefined,
      );
      const names = new Set(free.map((field) => field.name));
      const changed = Object.entries(variations).filter(([field]) => names.has(field));
      return {
        kind: kind.name,
        name,
        spec: { ...spec, ...Object.fromEntries(changed) },
      };
    }),
  );
}
