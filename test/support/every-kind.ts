// Small stacks of every kind: the examples, which refer to each other by name, and the same with every value changed.
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import { referencesOf } from "../../core/references.ts";
import { view } from "../../core/schema.ts";
import { kinds } from "../../resources/index.ts";
import type { TestService } from "./test-service.ts";
import type { Doc } from "./test-stack.ts";

/** Makes the users whom examples name: there is no kind for them. */
export async function createReferencedUsers({ send }: Pick<TestService, "send">): Promise<void> {
  const body = { username: "analyst", email: "analyst@svc.localhost" };
  await send("POST", "/api/v1/users", { body });
}

/** Every example of every kind as a document. */
export const everyKind: readonly Doc[] = kinds.flatMap(({ name: kind, examples }) =>
  examples.map(({ name, spec }) => ({ kind, name, spec: spec as JsonObject })),
);

/** The same documents with every variation of their examples, but for references, and for types that others rely on. */
export const everyKindChanged: readonly Doc[] = kinds.flatMap((kind) =>
  kind.examples.map(({ name, spec, variations }) => {
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
