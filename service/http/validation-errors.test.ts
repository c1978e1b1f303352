// Messages about invalid requests.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { strictObject, nullish } from "../../api/schemas.ts";
import { isFailure } from "../../core/errors.ts";
import { oneOf } from "../../core/schema/traits.ts";
import { check } from "./validate.ts";

const schema = strictObject({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  size: nullish(Type.Integer({ minimum: 1 })),
  value: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  kind: Type.Optional(oneOf(["big", "small"])),
  list: Type.Optional(Type.Array(strictObject({ id: Type.Integer() }), { maxItems: 3 })),
});

function validationMessage(value: unknown, bytes = 100): string {
  try {
    check([{ name: "body", schema, value }], bytes);
    return "";
  } catch (error) {
    if (isFailure(error, "invalid")) return error.message;
    throw error;
  }
}

describe("a validation error", () => {
  it.each([
    [{}, "body.name is required"],
    [{ name: "" }, "body.name must not be empty"],
    [{ name: "abcdef" }, "body.name must have at most 5 characters"],
    [{ name: "a", siez: 1 }, 'body.siez is not a known field. Did you mean "size"?'],
    [
      { name: "a", "x y": 1 },
      'body["x y"] is not a known field. The known fields are name, size, value, kind, list.',
    ],
    [{ name: "a", size: "1" }, "body.size must be an integer or null, not a string"],
    [{ name: "a", size: 0 }, "body.size must be at least 1"],
    [{ name: "a", value: {} }, "body.value must be a string, a number or null, not an object"],
    [{ name: "a", kind: "tall" }, 'body.kind must be one of "big", "small". Did you mean "small"?'],
    [
      { name: "a", list: [{ id: 1 }, { id: "2" }] },
      "body.list[1].id must be an integer, not a string",
    ],
    [[], "body must be an object, not a list"],
  ])("about %j", (value, text) => {
    expect(validationMessage(value)).toBe(text);
  });

  it("is reported together with all others", () => {
    expect(validationMessage({ size: "1", kind: 3 }).split("; ").length).toBeGreaterThanOrEqual(3);
  });

  it("is reported alone for a long request, and the number shown is limited", () => {
    const list = Array.from({ length: 500 }, () => ({ id: "x" }));
    expect(validationMessage({ name: "a", list }, 1_000_000)).not.toContain("; body.list[0]");
    expect(validationMessage({ name: "a", list }).split("; body").length).toBeLessThanOrEqual(50);
  });

  it("never repeats a value", () => {
    expect(validationMessage({ name: "hunter2-hunter2", size: "hunter2" })).not.toContain(
      "hunter2",
    );
  });
});
