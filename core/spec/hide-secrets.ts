// Hides the secrets of an answer where it is shown: members that the schema declares as sensitive.
import type { TSchema } from "typebox";
import { containsSecret } from "../kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { mapValues, typeOf, typesOf, variantFor, view } from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";

/** The text that replaces a secret. */
export const hiddenValue = "[HIDDEN]";

/** Returns the value with {@link hiddenValue} in place of each part that its schema declares as sensitive. */
export function hideSecrets(schema: TSchema, value: JsonValue): JsonValue {
  if (!containsSecret(schema)) return value;
  if (traitsOf(schema).sensitive === true) return hideValue(value);
  const variant = variantFor(schema, value);
  // A value that the schema does not describe may be the secret.
  if (variant === undefined || !typesOf(variant).includes(typeOf(value))) return hideValue(value);
  const { items, properties = {} } = view(variant);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((one) => hideSecrets(items ?? {}, one));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const described = Object.hasOwn(properties, name) ? properties[name] : mapValues(variant);
    return inner === undefined ? [] : [[name, hideSecrets(described ?? {}, inner)]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Hides a secret. Whether there is one is not secret: null and booleans are shown. */
export function hideValue(value: JsonValue): JsonValue {
  return value === null || typeof value === "boolean" ? value : hiddenValue;
}
