// Parses the text of a manifest file into documents. Each document can locate its values in the file.
import {
  Composer,
  type Document as YamlDocument,
  type ErrorCode,
  LineCounter,
  Parser,
  visit,
  type YAMLError,
} from "yaml";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { convert, tooDeep, type ConversionError } from "./yaml-to-json.ts";
import { locator, type KeyOrValue } from "../../core/yaml-locator.ts";

/** One YAML document of a file, before its meaning is checked. */
export interface Document {
  readonly file: string;
  /** The place of its first value. */
  readonly place: Place;
  /** Its value. Of a document with errors, the part that could be parsed. */
  readonly value: JsonValue;
  /** True if the document has syntax errors, so that members may be missing from its value. */
  readonly hasErrors: boolean;
  /** What changed the document after it was read from its file. Absent if nothing did. */
  readonly generatedBy?: "overlay" | "script" | "component";
  /** The name of its spec in messages, for a document that a component expands to. Default: `spec`. */
  readonly specLabel?: string;
  /** Returns the place of the value at a JSON Pointer, or of its key. Falls back to the nearest existing ancestor. */
  readonly locate: (pointer: string, side?: KeyOrValue) => Place;
}

/** The documents of a text, and its syntax errors. */
export interface Parsed {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The text of a file. */
interface Source {
  readonly file: string;
  readonly text: string;
  /** The lines of the file. Computed on first use. */
  readonly lines: () => LineCounter;
}

/** The part of a text that is one document. */
interface DocumentText {
  readonly source: Source;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  /** The offsets of located values in the source, by side and JSON Pointer. Undefined until one was located. */
  offsets: Map<string, number> | undefined;
}

/** Parses YAML 1.2, and so JSON, with any number of documents. Skips empty documents. Never throws. */
export function parse(file: string, given: string): Parsed {
  return parseForReuse(file, given)();
}

/**
 * Parses as {@link parse}. Each call of the result returns new documents of the same values, without the nodes that earlier
 * ones needed to locate values: those take much more memory than the values.
 */
export function parseForReuse(file: string, given: string): () => Parsed {
  const text = given.replace(/^\uFEFF/, "");
  let counted: LineCounter | undefined;
  const source: Source = { file, text, lines: () => (counted ??= linesOf(text)) };
  const conflicts = mergeConflicts(source);
  if (conflicts.length > 0) return () => ({ documents: [], diagnostics: conflicts });
  const documents: (() => Document)[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const one of parsedDocuments(source)) {
    if ("unreadable" in one) return () => ({ documents: [], diagnostics: [one.unreadable] });
    if (one.document !== undefined) documents.push(one.document);
    diagnostics.push(...one.diagnostics);
  }
  counted = undefined;
  return () => ({ documents: documents.map((create) => create()), diagnostics });
}

/** A document with its errors. Undefined for an empty document. */
interface ParsedDocument {
  readonly document: (() => Document) | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Yields one document after the other, so that the nodes of a large file are not all kept at once. */
function* parsedDocuments(
  source: Source,
): Generator<ParsedDocument | { readonly unreadable: Diagnostic }> {
  try {
    // convertDocument reports duplicate keys: the library compares each key with all others.
    const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
    const composer = new Composer({ ...options, uniqueKeys: false });
    const tokens = new Parser().parse(source.text);
    for (const yaml of composer.compose(tokens)) yield convertDocument(source, yaml);
  } catch (error) {
    yield { unreadable: unreadable(source, error) };
  }
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/gu)) lines.addNewLine(index + 1);
  return lines;
}

/** The library throws a RangeError for values nested deeper than its call stack. */
function unreadable(source: Source, error: unknown): Diagnostic {
  if (error instanceof RangeError) {
    const place = placeAt(source, deepestOffset(source.text));
    return { ...tooDeep, severity: "error", place };
  }
  const why = error instanceof Error ? error.message : String(error);
  return syntax(`the text cannot be read: ${why}`, placeAt(source, 0));
}

/** Returns the offset where more brackets are open than the depth limit, ignoring quotes and comments; 0 if there is none. */
function deepestOffset(text: string): number {
  let depth = 0;
  for (const { index, 0: bracket } of text.matchAll(/[[\]{}]/gu)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limits.depth) return index;
  }
  return 0;
}

function convertDocument(source: Source, yaml: YamlDocument.Parsed): ParsedDocument {
  const { value, errors: conversionErrors } = convert(yaml.contents);
  const found = [
    ...syntaxErrors(source, yaml),
    ...[...conversionErrors, ...overflowErrors(yaml, conversionErrors)].map((one) =>
      diagnosticOf(source, one),
    ),
  ];
  const hasErrors = found.some(({ severity }) => severity === "error");
  if (value === null && !hasErrors) return { document: undefined, diagnostics: found };
  const [start, , end] = yaml.range;
  const place = placeAt(source, yaml.contents?.range[0] ?? start);
  const own = { source, start, end, offsets: undefined };
  return { document: documentOf(own, { place, value, hasErrors }), diagnostics: found };
}

/** A large stack keeps what this creates for each of its documents, so it is little. */
function documentOf(
  text: DocumentText,
  { place, value, hasErrors }: Pick<Document, "place" | "value" | "hasErrors">,
): () => Document {
  const { file } = text.source;
  return () => ({ file, place, value, hasErrors, locate: locateIn(text) });
}

function locateIn(text: DocumentText): Document["locate"] {
  let find: ReturnType<typeof locator> | undefined;
  return (pointer, side = "value") => {
    const { source, start, end } = text;
    const name = `${side} ${pointer}`;
    let offset = text.offsets?.get(name);
    if (offset === undefined) {
      find ??= locator(source.text.slice(start, end));
      offset = start + find(pointer, side);
      (text.offsets ??= new Map()).set(name, offset);
    }
    return placeAt(source, offset);
  };
}

/** Keeps the first error of each line: the others usually follow from it. */
function syntaxErrors(source: Source, yaml: YamlDocument.Parsed): readonly Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  for (const error of [...yaml.errors, ...tagWarnings(yaml.warnings)]) {
    // The conversion reports keys that are not text, and values nested too deep.
    if (
      error.code === "NON_STRING_KEY" ||
      isStackOverflow(error) ||
      byLine.size >= limits.diagnosticsShown
    )
      continue;
    const quote = unclosedQuote(yaml, error);
    const place = placeAt(source, quote ?? error.pos[0]);
    if (byLine.has(place.line)) continue;
    if (quote !== undefined) {
      const remedy = `Add the closing ${source.text.charAt(quote)} at the end of the text.`;
      byLine.set(place.line, { ...syntax("the quoted text is not closed", place), remedy });
      continue;
    }
    const isSubstitution = /[{[].*\$\{/u.test(lineAt(source.text, error.pos[0]));
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
function mergeConflicts(source: Source): readonly Diagnostic[] {
  const markers = [...source.text.matchAll(/^<{7} .*$/gmu)].slice(0, limits.diagnosticsShown);
  return markers.map(({ index }) => ({
    ...syntax("the file has an unresolved merge conflict", placeAt(source, index)),
    remedy: "Edit the conflict, and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
  }));
}

/** Returns where the text of a missing closing quote starts: the library reports where it ends. */
function unclosedQuote(yaml: YamlDocument.Parsed, error: YAMLError): number | undefined {
  if (error.code !== "MISSING_CHAR" || !/closing .quote/u.test(error.message)) return undefined;
  let start: number | undefined;
  visit(yaml, {
    Scalar(_, { range, type }) {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range != null && range[0] < error.pos[0]) start = range[0];
    },
  });
  return start;
}

/** Remedies of syntax errors that the message of the library does not give. */
const yamlRemedies: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "In double quotes, write \\\\ for a backslash, or use single quotes.",
  BAD_INDENT:
    "Indent the fields of one object, and the items of one list, by the same number of spaces.",
  BAD_SCALAR_START: "Put the text in quotes.",
  BLOCK_AS_IMPLICIT_KEY:
    "Put text that contains a colon and a space in quotes, or start a new line.",
  DUPLICATE_KEY: "Remove one of the two fields.",
  MISSING_CHAR: "Close each { with } and each [ with ], and put commas between the items.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a space after the name of each field.",
  TAB_AS_INDENT: "Indent with spaces.",
};

const quoting = "Inside { } or [ ], put text with ${...} in quotes.";

function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? undefined : end);
}

/** Returns true if the library exceeded its call stack, far beyond the depth limit. */
function isStackOverflow({ message }: YAMLError): boolean {
  return /Maximum call stack|Stack overflow/u.test(message);
}

/** Reports excessive depth that the conversion did not reach. */
function overflowErrors(
  yaml: YamlDocument.Parsed,
  conversionErrors: readonly ConversionError[],
): readonly ConversionError[] {
  const isReported = conversionErrors.some(({ summary }) => summary === tooDeep.summary);
  const [first] = isReported ? [] : yaml.errors.filter(isStackOverflow);
  return first === undefined ? [] : [{ ...tooDeep, offset: first.pos[0] }];
}

function tagWarnings(warnings: readonly YAMLError[]): readonly YAMLError[] {
  return warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
}

function diagnosticOf(source: Source, { offset, ...detail }: ConversionError): Diagnostic {
  return { severity: "error", ...detail, place: placeAt(source, offset) };
}

function syntax(summary: string, place: Place): Diagnostic {
  return { code: "yaml-syntax", severity: "error", summary, place };
}

function placeAt({ file, lines }: Source, offset: number): Place {
  const { line, col } = lines().linePos(offset);
  return { file, line, column: col };
}
