// Limits the size of request bodies: large for operations whose body has lists or free values, small for the others.
import { limits } from "../../../core/limits/limits.ts";
import { memoizePerObject } from "../../../core/memoize.ts";
import type { Operation } from "../../../core/operation/operation.ts";

type LimitedOperation = Pick<Operation, "permission" | "body" | "verbatim" | "multipart">;

/** Returns the maximum body size in bytes. Operations without a credential get the smallest limit, except webhooks. */
export const bodyLimit = memoizePerObject((operation: LimitedOperation): number => {
  const { permission, body, verbatim, multipart } = operation;
  if (permission === "public" && verbatim === true) return limits.hookBytes;
  if (body === undefined || permission === "public") return limits.shortBodyBytes;
  if (verbatim === true) return limits.stateBytes;
  return multipart === true || allowsLongValue(body) ? limits.bodyBytes : limits.flatBodyBytes;
});

/** Returns true for a schema that permits a list, a map or a value of any type. */
function allowsLongValue(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  const {
    type,
    const: literal,
    enum: choices,
    anyOf,
    properties,
    additionalProperties,
  } = {
    ...(schema as Readonly<Record<string, unknown>>),
  };
  if (literal !== undefined || choices !== undefined) return false;
  if (Array.isArray(anyOf)) return anyOf.some(allowsLongValue);
  const types = [type].flat();
  if (types.length === 0 || types.includes(undefined) || types.includes("array")) return true;
  if (!types.includes("object")) return false;
  const members = typeof properties === "object" && properties !== null ? properties : {};
  return additionalProperties !== false || Object.values(members).some(allowsLongValue);
}
