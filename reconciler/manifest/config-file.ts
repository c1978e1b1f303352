// Reads configuration files of the operator, such as grants and policies.
import type { TSchema } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { validator } from "../../core/schema/validate.ts";
import { readTextFile } from "../../files/text-file.ts";
import { diagnosticOf } from "./document.ts";
import { type Document, parse } from "./parse.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";

/** Returns the JSON Schema of a configuration file, for editors. */
export function configFileSchema(title: string, schema: TSchema): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return JSON.parse(JSON.stringify({ $schema, title, ...schema })) as JsonObject;
}

/** An error that the schema cannot express. */
export interface ConfigFileError {
  /** JSON Pointer into the document. */
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
  /** Default: `out-of-bounds`. */
  readonly code?: DiagnosticCode;
}

/** The format of a configuration file with one document. */
export interface ConfigFileFormat {
  /** A noun for messages: `grants file`. */
  readonly label: string;
  readonly schema: TSchema;
  readonly maxBytes: number;
  /** The remedy for any error. */
  readonly remedy: string;
  /** Further checks, for a value that the schema accepts. */
  readonly validate: (value: JsonValue) => readonly ConfigFileError[];
}

/** Returns the content of a YAML or JSON file. Undefined if it is empty. Fails with `usage`, listing all errors. */
export function readConfigDocument(file: string, format: ConfigFileFormat): JsonValue | undefined {
  const text = readTextFile(file);
  if (text.length > format.maxBytes) throw invalidFile(file, format, { why: "it is too large" });
  const { documents, diagnostics } = parse(file, text);
  const [document, second] = documents;
  const syntaxErrors = diagnostics.filter(({ severity }) => severity === "error");
  if (syntaxErrors.length > 0) throw invalidFile(file, format, { errors: syntaxErrors });
  if (second !== undefined)
    throw invalidFile(file, format, { why: "it contains several documents" });
  if (document === undefined) return undefined;
  const errors = errorsIn(document, format).map((error) => diagnosticOf(document, error));
  if (errors.length > 0) throw invalidFile(file, format, { errors });
  return document.value;
}

function errorsIn(
  { value }: Document,
  { schema, validate }: ConfigFileFormat,
): readonly FieldError[] {
  const checked = { schema, value, written: value, label: "" };
  const errors = fieldErrors(validator(schema)(value), checked);
  if (errors.length > 0) return errors;
  return validate(value).map((error) => ({ code: "out-of-bounds", inKey: false, ...error }));
}

function invalidFile(
  file: string,
  { label, remedy }: ConfigFileFormat,
  { errors = [], why = "" }: { readonly errors?: readonly Diagnostic[]; readonly why?: string },
): Failure {
  const lines = errors.slice(0, limits.placesNamed).map((error) => {
    const position = error.place === undefined ? "" : `${error.place.line}:${error.place.column}: `;
    return `\n  ${position}${error.summary}${error.remedy === undefined ? "" : ` (${error.remedy})`}`;
  });
  const more = errors.length - lines.length;
  const rest = more > 0 ? `\n  and ${more} more` : "";
  return new Failure(
    "usage",
    `${file} is not a valid ${label}:${why === "" ? "" : ` ${why}`}${lines.join("")}${rest}`,
    {
      remedy,
    },
  );
}
