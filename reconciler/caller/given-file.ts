// Files that the caller of svc names beside the manifests, such as grants and policies.
import { readFileSync } from "node:fs";
import type { TSchema } from "typebox";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { validator } from "../../core/validate.ts";
import { diagnosticOf } from "../manifest/document.ts";
import { type Document, parse } from "../manifest/parse.ts";
import { type Mistake, mistakes } from "../manifest/violations.ts";

/** The whole text of a file. Fails with `usage` where it cannot be read. */
export function readGiven(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be read: ${code ?? "unknown"}`, { cause: error });
  }
}

/** The JSON Schema of such a file, for editors. */
export function givenSchema(title: string, schema: TSchema): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return JSON.parse(JSON.stringify({ $schema, title, ...schema })) as JsonObject;
}

/** What a schema cannot say of a file. */
export interface FurtherMistake {
  /** JSON Pointer into the document. */
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
  /** `out-of-bounds` where it is left out. */
  readonly code?: DiagnosticCode;
}

/** The form of a file that holds one document. */
export interface GivenForm {
  /** Within a sentence: `file of grants`. */
  readonly called: string;
  readonly schema: TSchema;
  readonly bytes: number;
  /** What to do about any mistake. */
  readonly remedy: string;
  /** Asked where nothing is wrong by the schema. */
  readonly further: (value: JsonValue) => readonly FurtherMistake[];
}

/** What a file says, YAML or JSON; undefined where it is empty. Fails with `usage` and every mistake in it. */
export function readGivenDocument(file: string, form: GivenForm): JsonValue | undefined {
  const text = readGiven(file);
  if (text.length > form.bytes) throw notThat(file, form, { why: "it is too long" });
  const { documents, diagnostics } = parse(file, text);
  const [document, second] = documents;
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw notThat(file, form, { found: wrong });
  if (second !== undefined) throw notThat(file, form, { why: "it holds several documents" });
  if (document === undefined) return undefined;
  const found = mistakesIn(document, form).map((one) => diagnosticOf(document, one));
  if (found.length > 0) throw notThat(file, form, { found });
  return document.value;
}

function mistakesIn({ value }: Document, { schema, further }: GivenForm): readonly Mistake[] {
  const checked = { schema, value, written: value, label: "" };
  const found = mistakes(validator(schema)(value), checked);
  if (found.length > 0) return found;
  return further(value).map((one) => ({ code: "out-of-bounds", inKey: false, ...one }));
}

function notThat(
  file: string,
  { called, remedy }: GivenForm,
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
