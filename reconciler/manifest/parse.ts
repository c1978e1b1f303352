// From the text of a manifest file to its documents, which remember where in the file every value stands.
import { Composer, type Document as YamlDocument, LineCounter, type YAMLError } from "yaml";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { convert, tooDeep, type ConversionError } from "./yaml-to-json.ts";
import { locator, type KeyOrValue } from "./locate.ts";
import { type Part, partsOf, type PlainDocument, tokensOf } from "./plain-yaml.ts";

/** One YAML document of a file, before anything is known about its meaning. */
export interface Document {
  readonly file: string;
  /** Where its first value stands. */
  readonly place: Place;
  /** What it says; of a broken document, what could be understood. */
  readonly value: JsonValue;
  /** It has mistakes of its own, so nothing may be concluded from what it does not say. */
  readonly hasErrors: boolean;
  /** What made it say something else than its file; left out where nothing did. */
  readonly generatedBy?: "overlay" | "script";
  /** Where the value at a JSON Pointer stands, or its key; of one that does not exist, the nearest ancestor. */
  locate(pointer: string, side?: KeyOrValue): Place;
}

/** What a text gives: its documents, and what is wrong with it as YAML. */
export interface Parsed {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A text, or the part of one that is a document. */
interface Source {
  readonly file: string;
  readonly text: string;
  /** Where the text begins in the file. */
  readonly base: number;
  /** Of the whole file; made when somebody asks for a place. */
  readonly lines: () => LineCounter;
}

/** Parses YAML 1.2 (and so JSON), several documents a text; documents without any value are skipped. Never throws. */
export function parse(file: string, given: string): Parsed {
  const text = given.replace(/^\uFEFF/, "");
  let counted: LineCounter | undefined;
  const source: Source = { file, text, base: 0, lines: () => (counted ??= linesOf(text)) };
  const documents: Document[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const one of parsedDocuments(source)) {
    if ("unreadable" in one) return { documents: [], diagnostics: [one.unreadable] };
    if (one.document !== undefined) documents.push(one.document);
    diagnostics.push(...one.diagnostics);
  }
  return { documents, diagnostics };
}

/** A document, or none where there is no value, and what is wrong with it. */
interface ParsedDocument {
  readonly document: Document | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The documents one after the other, since the nodes of a large file, all kept at once, would take long to collect; at the
 * end, why the rest cannot be read.
 */
function* parsedDocuments(
  source: Source,
): Generator<ParsedDocument | { readonly unreadable: Diagnostic }> {
  try {
    for (const part of partsOf(source.text)) {
      yield* part.plain === undefined
        ? fromComposer(source, part)
        : [fromPlain(source, part, part.plain)];
    }
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

function fromPlain(
  source: Source,
  { start, end }: Part,
  { value, offset: first }: PlainDocument,
): ParsedDocument {
  const own = { ...source, text: source.text.slice(start, end), base: start };
  return { document: documentOf(own, first, { value, hasErrors: false }), diagnostics: [] };
}

function* fromComposer(source: Source, part: Part): Generator<ParsedDocument> {
  // Duplicate keys are found while converting: the library compares each key with each.
  const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
  const composer = new Composer({ ...options, uniqueKeys: false });
  for (const yaml of composer.compose(tokensOf(part))) yield convertDocument(source, yaml);
}

/** The library gives up on values that are nested deeper than its stack. */
function unreadable(source: Source, error: unknown): Diagnostic {
  if (error instanceof RangeError) {
    const place = placeAt(source, deepestOffset(source.text));
    return { ...tooDeep, severity: "error", place };
  }
  const why = error instanceof Error ? error.message : String(error);
  return syntax(`the text cannot be read: ${why}`, placeAt(source, 0));
}

/** Where more brackets are open than values may be nested, quotes and comments not looked at; the start where nowhere. */
function deepestOffset(text: string): number {
  let depth = 0;
  for (const { index, 0: bracket } of text.matchAll(/[[\]{}]/gu)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limits.depth) return index;
  }
  return 0;
}

function convertDocument(source: Source, yaml: YamlDocument.Parsed): ParsedDocument {
  const { value, errors: troubles } = convert(yaml.contents);
  const found = [
    ...syntaxErrors(source, yaml),
    ...[...troubles, ...overflowErrors(yaml, troubles)].map((one) => diagnosticOf(source, one)),
  ];
  const broken = found.some(({ severity }) => severity === "error");
  if (value === null && !broken) return { document: undefined, diagnostics: found };
  const [start, , end] = yaml.range;
  const own = { ...source, text: source.text.slice(start, end), base: source.base + start };
  const first = (yaml.contents?.range[0] ?? start) - start;
  return { document: documentOf(own, first, { value, hasErrors: broken }), diagnostics: found };
}

function documentOf(
  source: Source,
  start: number,
  { value, hasErrors: broken }: Pick<Document, "value" | "hasErrors">,
): Document {
  let locateIn: ReturnType<typeof locator> | undefined;
  return {
    file: source.file,
    place: placeAt(source, start),
    value,
    hasErrors: broken,
    locate(pointer, side = "value") {
      locateIn ??= locator(source.text);
      return placeAt(source, locateIn(pointer, side));
    },
  };
}

/** Of several errors in one line the first: the others mostly follow from it. */
function syntaxErrors(source: Source, yaml: YamlDocument.Parsed): readonly Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  for (const error of [...yaml.errors, ...tagWarnings(yaml.warnings)]) {
    // Keys that are not text, and values nested too deep, are told while converting.
    if (
      error.code === "NON_STRING_KEY" ||
      isStackOverflow(error) ||
      byLine.size >= limits.diagnosticsShown
    )
      continue;
    const place = placeAt(source, error.pos[0]);
    if (byLine.has(place.line)) continue;
    const remedy = /[{[].*\$\{/u.test(lineAt(source.text, error.pos[0])) ? quoting : undefined;
    byLine.set(place.line, { ...syntax(error.message, place), ...(remedy && { remedy }) });
  }
  const { yaml: version } = yaml.directives;
  if (version.explicit === true && version.version !== "1.2") {
    const place = placeAt(source, yaml.range[0]);
    byLine.set(0, syntax(`the document asks for YAML ${version.version}; YAML 1.2 is read`, place));
  }
  return [...byLine.values()];
}

const quoting = "Put text with ${...} in quotes where it stands inside { } or [ ].";

function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? undefined : end);
}

/** The library ran out of stack, on values far deeper than any that are allowed. */
function isStackOverflow({ message }: YAMLError): boolean {
  return /Maximum call stack|Stack overflow/u.test(message);
}

/** What converting did not come to see. */
function overflowErrors(
  yaml: YamlDocument.Parsed,
  troubles: readonly ConversionError[],
): readonly ConversionError[] {
  const isTold = troubles.some(({ summary }) => summary === tooDeep.summary);
  const [first] = isTold ? [] : yaml.errors.filter(isStackOverflow);
  return first === undefined ? [] : [{ ...tooDeep, offset: first.pos[0] }];
}

function tagWarnings(warnings: readonly YAMLError[]): readonly YAMLError[] {
  return warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
}

function diagnosticOf(source: Source, { offset, ...said }: ConversionError): Diagnostic {
  return { severity: "error", ...said, place: placeAt(source, offset) };
}

function syntax(summary: string, place: Place): Diagnostic {
  return { code: "yaml-syntax", severity: "error", summary, place };
}

function placeAt({ file, base, lines }: Source, offset: number): Place {
  const { line, col } = lines().linePos(base + offset);
  return { file, line, column: col };
}
