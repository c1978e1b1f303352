// Provides a query that an operation refuses, and the expected body of an error, for tests of all operations.
import { expect } from "vitest";
import { type ProblemCode, statusOf } from "../../api/problems.ts";
import type { Operation } from "../../core/operation/operation.ts";

/** Returns a query that the operation refuses. An operation that ignores unknown parameters refuses only values. */
export function refusedQuery({ query }: Operation): string {
  return isStrict(query) ? "nonsense=1" : "nonsense=%00";
}

/** Returns whether a schema of an object refuses unknown members. */
export function isStrict(schema: object): boolean {
  return "additionalProperties" in schema && schema.additionalProperties === false;
}

/** Returns the matcher for the body of the operation's error responses. */
export function errorBody({ protocol }: Operation, code: ProblemCode): object {
  const statusCode = statusOf(code);
  if (protocol !== "scim") return { statusCode, code };
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:Error"];
  return { schemas, status: String(statusCode), detail: expect.any(String) };
}
