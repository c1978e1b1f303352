// Files that the caller of svc names beside the manifests, such as grants and policies.
import { readFileSync } from "node:fs";
import type { TSchema } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { validator } from "../../core/validate.ts";
import { diagnosticOf } from "./document.ts";
import { type Document, parse } from "./parse.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";

/** The whole text of a file. Fails with `usage` where it cannot be read. */
export function readConfigFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be read: ${code ?? "unknown"}`, { cause: error });
  }
}

/** The JSON Schema of such a file, for editors. */
export function configFileSchema(title: string, schema: TSchema): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return JSON.parse(JSON.stringify({ $schema, title, ...schema })) as JsonObject;
}

/** What a schema cannot say of a file. */
export interface ConfigFileError {
  /** JSON Pointer into the document. */
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
  /** `out-of-bounds` where it is left out. */
  readonly code?: DiagnosticCode;
}

/** The form of a file that holds one document. */
export interface ConfigFileFormat {
  /** Within a sentence: `file of grants`. */
  readonly label: string;
  readonly schema: TSchema;
  readonly maxBytes: number;
  /** What to do about any mistake. */
  readonly remedy: string;
  /** Asked where nothing is wrong by the schema. */
  readonly validate: (value: JsonValue) => readonly ConfigFileError[];
}

/** What a file says, YAML or JSON; undefined where it is empty. Fails with `usage` and every mistake in it. */
export function readConfigDocument(file: string, form: ConfigFileFormat): JsonValue | undefined {
  const text = readConfigFile(file);
  if (text.length > form.maxBytes) throw invalidFile(file, form, { why: "it is too long" });
  const { documents, diagnostics } = parse(file, text);
  const [document, second] = documents;
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw invalidFile(file, form, { found: wrong });
  if (second !== undefined) throw invalidFile(file, form, { why: "it holds several documents" });
  if (document === undefined) return undefined;
  const found = errorsIn(document, form).map((one) => diagnosticOf(document, one));
  if (found.length > 0) throw invalidFile(file, form, { found });
  return document.value;
}

function errorsIn(
  { value }: Document,
  { schema, validate: further }: ConfigFileFormat,
): readonly FieldError[] {
  const checked = { schema, value, written: value, label: "" };
  const found = fieldErrors(validator(schema)(value), checked);
  if (found.length > 0) return found;
  return further(value).map((one) => ({ code: "out-of-bounds", inKey: false, ...one }));
}

function invalidFile(
  file: string,
  { label: called, remedy }: ConfigFileFormat,
  { found = [], why = "" }: { readonly found?: readonly Diagnostic[]; readonly why?: string },
): Failure {
  const lines = found.slice(0, limits.placesNamed).map((one) => {
    const at = one.place === undefined ? "" : `${one.place.line}:${one.place.column}: `;
    return `\n  ${at}${one.summary}${one.remedy === undefined ? "" : ` (${one.remedy})`}`;
  });
  const more = found.length - lines.length;
  const rest = more > 0 ? `\n  and ${more} more` : "";
  return new Failure("usage", `${file} is no ${called}: ${why}${lines.join("")}${rest}`, {
    remedy,
  });
}
