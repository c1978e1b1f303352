// How large the body of an operation may be: what has lists or free values in it may be long, anything else is short.
import { limits } from "../../core/limits.ts";
import type { Operation } from "../../core/operation.ts";

/** Bytes that the body of a request may have; callers who show no credential get the least. */
export function bodyLimit({
  access,
  body,
  verbatim,
}: Pick<Operation, "access" | "body" | "verbatim">): number {
  if (body === undefined || access === "anyone") return limits.shortBodyBytes;
  if (verbatim === true) return limits.stateBytes;
  return allowsLongValue(body) ? limits.bodyBytes : limits.flatBodyBytes;
}

/** True for a schema that a list, a map or a value of any form fits. */
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
