// Checks attribute values against the type of the attribute.
import type { Static } from "typebox";
import { type AttributeValue, defaultValuePatterns } from "../../../api/schemas.ts";
import { Failure } from "../../../core/errors.ts";
import { member } from "../../../core/schema.ts";
import type { Row } from "../../store/schema.ts";

/** A value of an attribute. */
export type Value = NonNullable<Static<typeof AttributeValue>>;

/** Throws `invalid` for a value that is not of the attribute's type. */
export function requireMatchingType(
  { name, type }: Pick<Row<"user_attributes">, "name" | "type">,
  value: Value,
): void {
  if (matchesType(type, value)) return;
  throw new Failure("invalid", `the value of ${JSON.stringify(name)} must be of its type, ${type}`);
}

/** Throws `invalid` for a default that is not written as the attribute's type requires. */
export function requireMatchingDefault(
  { name, type }: Pick<Row<"user_attributes">, "name" | "type">,
  text: string | null | undefined,
): void {
  const form = text == null || text === "" ? undefined : member(defaultValuePatterns, type);
  if (form === undefined || new RegExp(form.pattern, "u").test(text ?? "")) return;
  throw new Failure(
    "invalid",
    `the defaultValue of ${JSON.stringify(name)} must be ${form.expectation}, because its type is ${type}`,
  );
}

/** Returns true for a value of an attribute's type. */
export function matchesType(type: string, value: Value): boolean {
  if (!Array.isArray(value)) return typeof value === type;
  return type.endsWith("_array") && value.every((item) => `${typeof item}_array` === type);
}
