// Tests the rules for the declaration of every kind.
import { describe, expect, it } from "vitest";
import { fieldsOf, membersOf } from "../core/kind/fields.ts";
import { traitsOf } from "../core/schema/traits.ts";
import { authorizeCall } from "../core/operation/authorize.ts";
import { kinds } from "./index.ts";

describe.each([...kinds])("$name", (kind) => {
  it.each([
    ...fieldsOf(kind).map(({ name, schema }) => ({ part: "spec", name, schema })),
    ...membersOf(kind.status).map(({ name, schema }) => ({ part: "status", name, schema })),
  ])("says in a sentence what $part.$name is", ({ schema }) => {
    expect(traitsOf(schema).doc).toMatch(/^\p{Lu}.+\.$/su);
  });
});

it.each(kinds.map((kind) => [kind.name, kind] as const))(
  "%s can be read with a key that only reads",
  (_, { bindings: { observe } }) => {
    const rights = { isAdmin: true, grants: [], limits: { actions: ["ReadAll" as const] } };
    const refused = [...observe.needs, ...(observe.byId?.needs ?? [])].filter(
      (operation) => authorizeCall(rights, operation) !== undefined,
    );
    expect(refused.map(({ id }) => id)).toEqual([]);
  },
);
