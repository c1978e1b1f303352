// References in every type of field, with their paths.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { defineKind, defineObserve } from "./kind.ts";
import { referencesOf } from "./references.ts";
import { field } from "../schema/traits.ts";

const Name = Type.String();
const kind = defineKind(
  {
    name: "Thing",
    plural: "things",
    doc: "A thing.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec: Type.Object({
      name: Name,
      parent: field(Name, { doc: "Parent.", refersTo: "Room" }),
      friends: field(Type.Array(Name), {
        doc: "Friends.",
        refersTo: "Thing",
        within: { parent: "parent" },
      }),
      roles: field(Type.Record(Name, Name), { doc: "Roles.", refersTo: "Person" }),
      nested: Type.Object({
        owner: field(Name, { doc: "Owner.", refersTo: "Person", within: { parent: "parent" } }),
        list: Type.Array(
          Type.Object({
            parent: Name,
            guest: field(Name, { doc: "Guest.", refersTo: "Person", within: { parent: "parent" } }),
          }),
        ),
      }),
    }),
    status: Type.Object({}),
    examples: [],
  },
  () => ({
    observe: defineObserve({ cost: "list", needs: [], read: async () => [] }),
    create: [],
    update: [],
    delete: [],
  }),
);

describe("referencesOf", () => {
  it("finds them in fields, lists, maps and nested objects, in order", () => {
    const within = { parent: "/parent" };
    const spec = {
      name: "n",
      parent: { external: "a/b" },
      friends: ["x", { external: "y" }],
      roles: { "a/b": "jo" },
      nested: { owner: "di", list: [{ parent: "c", guest: "al" }] },
    };
    const at = (path: string, kindName: string, value: string) => {
      return { path, field: path.split("/")[1], kind: kindName, value, external: false };
    };
    expect(referencesOf(kind, spec)).toEqual([
      { ...at("/parent", "Room", "a/b"), external: true },
      { ...at("/friends/0", "Thing", "x"), within },
      { ...at("/friends/1", "Thing", "y"), within, external: true },
      at("/roles/a~1b", "Person", "jo"),
      { ...at("/nested/owner", "Person", "di"), within },
      {
        ...at("/nested/list/0/guest", "Person", "al"),
        within: { parent: "/nested/list/0/parent" },
      },
    ]);
  });

  it("ignores missing values, null and values of another type", () => {
    expect(referencesOf(kind, { parent: null, friends: 3, roles: 1 })).toEqual([]);
    expect(referencesOf(kind, { parent: { other: "x" } })).toEqual([]);
  });
});
