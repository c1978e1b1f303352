// Validation reports all errors, in words, without the value.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { field, oneOf } from "./traits.ts";
import { validator } from "./validate.ts";

const closed = { additionalProperties: false };
const schema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 3, pattern: "^[a-z]*$" }),
    colour: Type.Optional(oneOf(["red", "green"])),
    size: Type.Optional(Type.Integer({ minimum: 1 })),
    at: Type.Optional(Type.String({ format: "date-time" })),
    tags: Type.Optional(field(Type.Array(Type.String(), { maxItems: 1 }), { doc: "Tags." })),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 2 }), Type.Null()])),
    target: Type.Optional(
      Type.Union([Type.String(), Type.Object({ external: Type.String() }, closed)]),
    ),
    list: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Array(Type.Number()), Type.Null()]),
    ),
  },
  closed,
);
const errorsOf = (value: unknown) =>
  validator(schema)(value).map(({ path, message, remedy }) =>
    [`${path} ${message}`, ...(remedy === undefined ? [] : [remedy])].join(". "),
  );

describe("validator", () => {
  it("accepts a valid value", () => {
    const list = [1, 2];
    expect(errorsOf({ name: "ab", note: null, target: { external: "x" }, list })).toEqual([]);
  });

  it("reports every error, with the allowed values", () => {
    expect(
      errorsOf({ name: "ABCD", colour: "blue", size: 0, at: "today", tags: ["a", "b"], extra: 1 }),
    ).toEqual([
      "/extra is not a known field. The known fields are name, colour, size, at, tags, note, target, list.",
      "/name must have at most 3 characters",
      "/name must match the pattern ^[a-z]*$",
      '/colour must be one of "red", "green"',
      "/size must be at least 1",
      "/at must be a date and time such as 2026-01-31T09:30:00Z",
      "/tags must have at most 1 item",
    ]);
  });

  it("reports one error for a text that has neither its pattern nor its format", () => {
    const of = (format: string, text: string) =>
      validator(Type.String({ format, pattern: "^\\S+$" }))(text).map(({ message }) => message);
    expect(of("date", "a b")).toEqual(["must match the pattern ^\\S+$"]);
    expect(of("time-zone", " europe/berlin")).toEqual([
      "must be a time zone such as Europe/Berlin",
    ]);
    expect(of("time-zone", "no zone")).toEqual(["must match the pattern ^\\S+$"]);
  });

  it("reports one error for a union: that of the matching alternative, or the list of alternatives", () => {
    expect(errorsOf({ name: "a", note: "abc" })).toEqual(["/note must have at most 2 characters"]);
    expect(errorsOf({ name: "a", note: 1 })).toEqual([
      "/note must be a string or null, not a number",
    ]);
    expect(errorsOf({ name: "a", target: { extern: "x" } })).toEqual([
      "/target/external is required",
      '/target/extern is not a known field. Did you mean "external"?',
    ]);
    expect(errorsOf({ name: "a", list: ["a", 1] })).toEqual([
      "/list must be a list of strings, a list of numbers or null",
    ]);
  });

  it("checks a string against the pattern that a sibling field selects, also if it is nullable", () => {
    const text = field(Type.String({ minLength: 1 }), {
      doc: "Spelt.",
      patternBy: {
        field: "type",
        patterns: { number: { pattern: "^[0-9]+$", expectation: "a number" } },
      },
    });
    const nullable = Type.Union([text, Type.Null()]);
    const formed = Type.Object({ type: Type.String(), text: Type.Optional(text), nullable });
    const of = (value: object) =>
      validator(formed)({ nullable: null, ...value }).map(
        ({ path, message }) => `${path} ${message}`,
      );
    expect(of({ type: "number", text: "12", nullable: "3" })).toEqual([]);
    expect(of({ type: "other", text: "x", nullable: "y" })).toEqual([]);
    expect(of({ type: "constructor", text: "x" })).toEqual([]);
    expect(of({ type: "number", text: "x" })).toEqual(["/text must be a number"]);
    expect(of({ type: "number", nullable: "x" })).toEqual(["/nullable must be a number"]);
    expect(of({ type: "number", nullable: "" })).toContain("/nullable must be a number");
    expect(of({ type: "other", nullable: "" })).toEqual(["/nullable must not be empty"]);
    expect(of({ type: "number", nullable: 1 })).toEqual([
      "/nullable must be a string or null, not a number",
    ]);
    expect(of({ type: null, text: "x" })).toEqual(["/type must be a string, not null"]);
  });

  it("never repeats the value", () => {
    for (const value of ["hush", { name: "hush-hush", colour: "hush", size: "hush" }]) {
      expect(errorsOf(value).join()).not.toContain("hush");
    }
  });

  it("reads only a value's own members", () => {
    expect(errorsOf({ ["__proto__"]: { name: "a" } }).length).toBeGreaterThan(0);
    expect(errorsOf(Object.create({ name: "a" }))).toEqual(["/name is required"]);
  });

  it("is made once for a schema", () => {
    expect(validator(schema)).toBe(validator(schema));
  });
});
