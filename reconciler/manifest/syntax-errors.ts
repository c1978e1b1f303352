// Reports the syntax errors of a manifest file. Adds a remedy where the library's message lacks one.
import {
  type Document as YamlDocument,
  type ErrorCode,
  LineCounter,
  visit,
  type YAMLError,
} from "yaml";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";

/** The text of a file. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** The lines of the file. Computed on first use. */
  readonly lines: () => LineCounter;
}

/** Returns the source of a text. It keeps nothing else: each object that can be located keeps the source. */
export function sourceOf(file: string, given: string): Source {
  const text = given.replace(/^\uFEFF/, "");
  let counted: LineCounter | undefined;
  return { file, text, lines: () => (counted ??= linesOf(text)) };
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/gu)) lines.addNewLine(index + 1);
  return lines;
}

/** Keeps the first error of each line: the others usually follow from it. */
export function syntaxErrors(source: Source, yaml: YamlDocument.Parsed): readonly Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  const findOpening = openingFinder(yaml);
  const isSubstitutionAt = substitutionFinder(source);
  for (const error of [...yaml.errors, ...tagWarnings(yaml.warnings)]) {
    // The conversion reports keys that are not text, and values nested too deep.
    if (
      error.code === "NON_STRING_KEY" ||
      isStackOverflow(error) ||
      byLine.size >= limits.diagnosticsShown
    )
      continue;
    const isSubstitution = isSubstitutionAt(error.pos[0]);
    const opening = isSubstitution ? undefined : findOpening(error);
    const place = placeAt(source, opening ?? error.pos[0]);
    if (byLine.has(place.line)) continue;
    if (opening !== undefined) {
      byLine.set(place.line, unclosed(source.text.charAt(opening), place));
      continue;
    }
    const remedy = isSubstitution ? quoting : yamlRemedies[error.code];
    byLine.set(place.line, { ...syntax(error.message, place), ...(remedy && { remedy }) });
  }
  const { yaml: version } = yaml.directives;
  if (version.explicit === true && version.version !== "1.2") {
    const place = placeAt(source, yaml.range[0]);
    byLine.set(
      0,
      syntax(`the document declares YAML ${version.version}; only YAML 1.2 is supported`, place),
    );
  }
  return [...byLine.values()];
}

/** Reports the markers that Git leaves in a file with conflicts, in place of the errors that follow from them. */
export function mergeConflicts(source: Source): readonly Diagnostic[] {
  const markers = [...source.text.matchAll(/^<{7} .*$/gmu)].slice(0, limits.diagnosticsShown);
  return markers.map(({ index }) => ({
    ...syntax("the file has an unresolved merge conflict", placeAt(source, index)),
    remedy: "Edit the conflict, and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
  }));
}

/**
 * Returns a function that finds where a text in quotes, an object or a list starts that is not closed: the library reports
 * where it ends. A file can have an error for each of its characters, so the nodes are visited once.
 */
function openingFinder(yaml: YamlDocument.Parsed): (error: YAMLError) => number | undefined {
  let found: Openings | undefined;
  return ({ code, message, pos: [end] }) => {
    const isQuote = code === "MISSING_CHAR" && /closing .quote/u.test(message);
    if (!isQuote && !/ end with a [}\]]/u.test(message)) return undefined;
    found ??= openingsIn(yaml);
    return isQuote ? found.quoted.findLast((start) => start < end) : found.byEnd.get(end);
  };
}

/** The start offsets of values in a document. */
interface Openings {
  /** Texts in quotes, in the order of the document. */
  readonly quoted: readonly number[];
  /** The innermost objects and lists in braces and brackets, by where they end. */
  readonly byEnd: ReadonlyMap<number, number>;
}

function openingsIn(yaml: YamlDocument.Parsed): Openings {
  const quoted: number[] = [];
  const byEnd = new Map<number, number>();
  visit(yaml, {
    Scalar(_, { range, type }) {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range != null) quoted.push(range[0]);
    },
    Collection(_, { range, flow }) {
      if (flow === true && range != null) byEnd.set(range[1], range[0]);
    },
  });
  return { quoted, byEnd };
}

/** Returns a function that finds out whether the line of an offset has a variable without quotes in braces or brackets. */
function substitutionFinder({ text, lines }: Source): (offset: number) => boolean {
  const known = new Map<number, boolean>();
  return (offset) => {
    const { line, col } = lines().linePos(offset);
    const before = known.get(line);
    if (before !== undefined) return before;
    const end = text.indexOf("\n", offset);
    const whole = text.slice(offset - col + 1, end < 0 ? undefined : end);
    const ownText = whole.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/gu, "");
    const opening = ownText.search(/[{[]/u);
    const isFound = opening >= 0 && ownText.includes("${", opening + 1);
    known.set(line, isFound);
    return isFound;
  };
}

/** Returns the error for a quote, a brace or a bracket that is not closed. */
function unclosed(opening: string, place: Place): Diagnostic {
  const closing = { "{": "}", "[": "]" }[opening];
  if (closing === undefined) {
    const remedy = `Add the closing ${opening} at the end of the text.`;
    return { ...syntax("the quoted text is not closed", place), remedy };
  }
  const remedy = `Add the closing ${closing}, and put commas between the items.`;
  return { ...syntax(`the ${opening} is not closed`, place), remedy };
}

/** Remedies of syntax errors that the message of the library does not give. */
const yamlRemedies: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "In double quotes, write \\\\ for a backslash, or use single quotes.",
  BAD_INDENT:
    "Indent the fields of one object, and the items of one list, by the same number of spaces.",
  BAD_SCALAR_START: "Put the text in quotes.",
  BLOCK_AS_IMPLICIT_KEY:
    "Put text that contains a colon and a space in quotes, or start a new line.",
  BLOCK_IN_FLOW:
    "Inside { } or [ ], put commas between the items, and put text that contains a colon and a space in quotes.",
  DUPLICATE_KEY: "Remove one of the two fields.",
  MISSING_CHAR: "Close each { with } and each [ with ], and put commas between the items.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a space after the name of each field.",
  TAB_AS_INDENT: "Indent with spaces.",
};

const quoting = "Inside { } or [ ], put text with ${...} in quotes.";

/** Returns true if the library exceeded its call stack, far beyond the depth limit. */
export function isStackOverflow({ message }: YAMLError): boolean {
  return /Maximum call stack|Stack overflow/u.test(message);
}

function tagWarnings(warnings: readonly YAMLError[]): readonly YAMLError[] {
  return warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
}

/** Returns a syntax error at its place. */
export function syntax(summary: string, place: Place): Diagnostic {
  return { code: "yaml-syntax", severity: "error", summary, place };
}

/** Returns the place of an offset. */
export function placeAt({ file, lines }: Source, offset: number): Place {
  const { line, col } = lines().linePos(offset);
  return { file, line, column: col };
}
