// Which values of an answer are hidden where it is shown.
import { Type } from "typebox";
import { expect, it } from "vitest";
import { hideSecrets } from "./hide-secrets.ts";
import { field } from "../schema/traits.ts";

const secret = field(Type.String(), { doc: "A secret.", sensitive: true });

it("hides what a schema declares as sensitive, at any depth, and nothing else", () => {
  const schema = Type.Object({
    name: Type.String(),
    token: secret,
    inner: Type.Array(Type.Object({ key: Type.Optional(secret), id: Type.Integer() })),
    byName: Type.Record(Type.String(), secret),
    absent: Type.Union([secret, Type.Null()]),
  });
  const value = {
    name: "ci",
    token: "t-1",
    inner: [{ key: "k-1", id: 1 }, { id: 2 }],
    byName: { a: "v-1" },
    absent: null,
    unknown: "kept",
  };
  expect(hideSecrets(schema, value)).toEqual({
    name: "ci",
    token: "[HIDDEN]",
    inner: [{ key: "[HIDDEN]", id: 1 }, { id: 2 }],
    byName: { a: "[HIDDEN]" },
    absent: null,
    unknown: "kept",
  });
});

it("hides a value that its schema does not describe, if the schema has a secret", () => {
  const schema = Type.Object({ token: secret });
  expect(hideSecrets(schema, ["t-1"])).toBe("[HIDDEN]");
  expect(hideSecrets(Type.Object({ name: Type.String() }), ["a"])).toEqual(["a"]);
});
