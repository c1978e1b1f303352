// Checks attribute values against the type of the attribute.
import type { Static } from "typebox";
import { type AttributeValue, defaultValuePatterns } from "../../../api/schemas.ts";
import { matchesType } from "../../../core/spec/attribute-types.ts";
import { Failure } from "../../../core/errors.ts";
import { member } from "../../../core/schema/schema.ts";
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

/**
 * Returns the default of an attribute for users without a value; undefined if it has none. Lists are JSON, or items separated by
 * commas.
 */
export function defaultOf(type: string, text: string | null): Value | undefined {
  const form = member(defaultValuePatterns, type);
  // A default may be older than the check of its form.
  if (text === null || (form && !new RegExp(form.pattern, "u").test(text))) return undefined;
  switch (type) {
    case "string":
      return text;
    case "number":
      return finite(text);
    case "boolean":
      return text === "true";
    default:
      return listOf(type, text);
  }
}

function listOf(type: string, text: string): Value | undefined {
  const items: readonly unknown[] = text.trimStart().startsWith("[")
    ? jsonList(text)
    : text.split(",").map((item) => item.trim());
  if (type === "string_array") return items.map(String);
  const numbers = items.map((item) => finite(String(item)));
  return numbers.every((item) => item !== undefined) ? numbers : undefined;
}

/** The pattern of defaults accepts any escape in a string, but JSON accepts only some. */
function jsonList(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch {
    return [];
  }
}

function finite(text: string): number | undefined {
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
