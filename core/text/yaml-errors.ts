// Describes syntax errors of YAML: the message of the library, and what to do where the message lacks it.
import { type Document, type ErrorCode, visit, type YAMLError } from "yaml";
import { lowerFirst, quoted } from "./naming.ts";

/** A syntax error. */
export interface YamlSyntaxError {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
  /** The remedy, if the message does not contain it. */
  readonly remedy?: string;
}

/**
 * Describes errors of a document, up to the first unexpected token: the library reports everything after it. `text` is
 * the whole file.
 */
export function describeYamlErrors(
  errors: readonly YAMLError[],
  yaml: Document.Parsed,
  text: string,
): readonly YamlSyntaxError[] {
  const end = errors.findIndex(({ code }) => code === unexpected);
  const starts = errors.some(({ code }) => code === "MISSING_CHAR") ? quoteStarts(yaml) : undefined;
  return errors.slice(0, end < 0 ? undefined : end + 1).map(({ code, message, pos: [offset] }) => {
    const isSubstitution = text.startsWith("${", offset - 1);
    const remedy = isSubstitution ? "Put text with ${...} in quotes." : remedies[code];
    // The library shows the whole token, which can be a secret.
    const plain = code === unexpected ? `unexpected ${quoted(text.charAt(offset))}` : message;
    const start = (code === "MISSING_CHAR" ? starts?.get(offset) : undefined) ?? offset;
    return { offset: start, message: lowerFirst(plain), ...(remedy && { remedy }) };
  });
}

/** Returns where each text in quotes starts, by its end, which is where the library reports that it is not closed. */
function quoteStarts(yaml: Document.Parsed): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  visit(yaml, {
    Scalar(_, { range, type = "" }) {
      if (type.startsWith("QUOTE") && range != null) starts.set(range[1], range[0]);
    },
  });
  return starts;
}

const unexpected: ErrorCode = "UNEXPECTED_TOKEN";

const remedies: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "In double quotes, write \\\\ for a backslash, or use single quotes.",
  BAD_INDENT: "Indent by equally many spaces, and close each { with } and each [ with ].",
  BAD_SCALAR_START: "Put the text in quotes.",
  BLOCK_AS_IMPLICIT_KEY: "Put text with a colon and a space in quotes, or correct the indentation.",
  BLOCK_IN_FLOW: "Put commas between the items, and text with a colon and a space in quotes.",
  DUPLICATE_KEY: "Remove one of the two fields.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a space after the name of each field.",
  TAB_AS_INDENT: "Indent with spaces.",
};
