// Reads the documents that svc itself declares besides the Stack: their head, their spec, and all errors of both.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { member } from "../../core/schema/schema.ts";
import type { Validator } from "../../core/schema/validate.ts";
import type { TSchema } from "typebox";
import { diagnosticOf, type DocumentHead, readHead, withoutFailedPaths } from "./document.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";
import type { Document } from "./parse.ts";
import type { Scope } from "./variables.ts";

/** How the spec of a document is checked. */
export interface BuiltInFormat {
  readonly kind: string;
  readonly schema: TSchema;
  readonly validate: Validator;
  /**
   * Returns errors that a schema cannot express, in the parts that the schema accepts: `isValid` says whether it
   * accepts the value at a path. Paths begin with `/spec`.
   */
  readonly semanticErrors?: (
    spec: JsonValue,
    isValid: (path: string) => boolean,
  ) => readonly FieldError[];
}

/** The spec as written, before variables are resolved. */
export function writtenSpec({ value }: Document): JsonValue {
  return (isObject(value) ? member(value, "spec") : undefined) ?? {};
}

/** Reads a document. `name` is undefined if it has errors, all of which are reported. */
export function readBuiltIn(
  document: Document,
  scope: Scope,
  { kind, schema, validate, semanticErrors }: BuiltInFormat,
): {
  readonly head: DocumentHead;
  readonly name: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  const head = readHead(document, scope, "built-in");
  const checked = { schema, value: head.spec, written: writtenSpec(document), label: "spec" };
  const formal = fieldErrors(validate(head.spec), checked).map((error) => ({
    ...error,
    path: `/spec${error.path}`,
  }));
  const isValid = (place: string): boolean =>
    formal.every(({ path }) => path !== place && !path.startsWith(`${place}/`));
  const semantic = semanticErrors?.(head.spec, isValid) ?? [];
  const errors = withoutFailedPaths([...head.errors, ...formal, ...semantic], head.failedPaths);
  // The parser has reported the errors of a document that it could not read.
  if (document.hasErrors) return { head, name: undefined, diagnostics: [] };
  const address = head.name === undefined ? undefined : `${kind}/${head.name}`;
  return {
    head,
    name: errors.length === 0 ? head.name : undefined,
    diagnostics: errors.map((error) => diagnosticOf(document, error, address)),
  };
}
