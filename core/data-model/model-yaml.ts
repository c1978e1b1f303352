// Parses the YAML of a data model: for the service, and before a manifest or a provider sends it.
import { type Document, parseDocument, visit } from "yaml";
import { limits } from "../limits/limits.ts";
import { exactNumberRemedy, inexactReason } from "../text/exact-numbers.ts";
import { describeYamlErrors } from "../text/yaml-errors.ts";

/** An error of a file. */
export interface ModelYamlError {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
}

/** The value of a file, or its errors. */
export type ModelYaml =
  | { readonly value: unknown }
  | { readonly errors: readonly ModelYamlError[] };

/** Parses a file. The value of an empty file is null. */
export function parseModelYaml(text: string): ModelYaml {
  try {
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true });
    const errors = modelErrors(document, text);
    errors.push(...numberErrors(document));
    if (errors.length > 0) return { errors };
    return { value: document.toJS({ maxAliasCount: limits.yamlAliases }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    return { errors: [{ offset: 0, message: `YAML: ${reason}` }] };
  }
}

function numberErrors(document: Document.Parsed): readonly ModelYamlError[] {
  const errors: ModelYamlError[] = [];
  visit(document, {
    Scalar: (_, { value, source, range }) => {
      const reason = typeof value === "number" ? inexactReason(value, source) : undefined;
      if (reason === undefined) return;
      const message = `the number ${source ?? ""} ${reason}. ${exactNumberRemedy}`;
      errors.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return errors;
}

function modelErrors(document: Document.Parsed, text: string): ModelYamlError[] {
  return describeYamlErrors(document.errors, document, text).map(({ offset, message, remedy }) => {
    const [line = message] = message.split("\n", 1);
    return { offset, message: `YAML syntax: ${line}${remedy === undefined ? "" : `. ${remedy}`}` };
  });
}
