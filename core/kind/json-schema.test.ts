// JSON Schemas for editors: each document is validated by its kind, and fields are described.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { manifestSchema, traitNotes, typeText } from "./json-schema.ts";
import { defineKind, defineObserve, type Kind } from "./kind.ts";
import { field, oneOf } from "../schema/traits.ts";
import { validator } from "../schema/validate.ts";

const kindNamed = (name: string, member: string): Kind =>
  defineKind(
    {
      name,
      plural: `${name}s`,
      doc: `A \`${name}\`.`,
      shape: "item",
      key: [member],
      scope: [],
      spec: Type.Object({
        [member]: field(Type.String(), { doc: "What `it` is called.", onChange: "replace" }),
      }),
      status: Type.Object({}),
      examples: [{ title: "One", name: "one", spec: { [member]: "x" }, variations: {} }],
    },
    () => ({
      observe: defineObserve({ cost: "list", needs: [], read: async () => [] }),
      create: [],
      update: [],
      delete: [],
    }),
  );

const schema = manifestSchema([kindNamed("Thing", "name"), kindNamed("Room", "number")]);
const head = { apiVersion: "svc/v1", metadata: { name: "a" } };

describe("manifestSchema", () => {
  it("checks each document by its kind", () => {
    const check = validator(schema);
    expect(check({ ...head, kind: "Thing", spec: { name: "x" } })).toEqual([]);
    expect(check({ ...head, kind: "Room", spec: { name: "x" } }).map(({ path }) => path)).toEqual([
      "/spec/number",
      "/spec/name",
    ]);
  });

  it("lists the kinds there are", () => {
    const [violation] = validator(schema)({ ...head, kind: "Thin", spec: {} });
    expect(violation?.message).toBe('must be one of "Thing", "Room"');
  });

  it("describes fields for editors, as plain text and as Markdown", () => {
    expect(schema).toMatchObject({
      $defs: {
        Thing: {
          description: "A Thing.",
          markdownDescription: "A `Thing`.",
          properties: {
            spec: {
              properties: {
                name: {
                  description: "What it is called.",
                  markdownDescription: expect.stringContaining("forces replacement"),
                },
              },
            },
          },
          examples: [{ ...head, metadata: { name: "one" }, kind: "Thing", spec: { name: "x" } }],
        },
      },
    });
  });
});

describe("descriptions of schemas", () => {
  it("contain types, limits and targets", () => {
    expect(typeText(Type.String({ minLength: 1, maxLength: 5 }))).toBe(
      "string (1 to 5 characters)",
    );
    expect(typeText(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 2 }))).toBe(
      "list (at most 2 items) of integer (at least 1)",
    );
    expect(typeText(oneOf(["a", "b"]))).toBe('"a", "b"');
    expect(typeText(Type.Record(Type.String(), Type.String()), "a Thing")).toBe("map of a Thing");
    expect(typeText(Type.Union([Type.Number(), Type.Null()]))).toBe("number");
    expect(typeText(Type.Unknown())).toBe("anything");
  });

  it("state the default of a field", () => {
    expect(traitNotes({ doc: "", whenOmitted: "default" }, "red")).toEqual(['Defaults to "red".']);
    expect(traitNotes({ doc: "" })).toEqual([]);
  });
});
