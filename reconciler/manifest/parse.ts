// Parses the text of a manifest file into documents. Each document can locate its values in the file.
// Bounds aliases and depth; requires unique text keys and exact numbers.
import {
  Composer,
  type Document as YamlDocument,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Parser,
  type Scalar,
} from "yaml";
import type { Diagnostic, DiagnosticCode, Place } from "../../core/diagnostics.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { exactNumberRemedy, inexactReason } from "../../core/text/exact-numbers.ts";
import { unstorableTextReason } from "../../core/text/storable-text.ts";
import { withoutEnvironment } from "../../core/text/yaml-environment.ts";
import { locator, type KeyOrValue } from "../../core/text/yaml-locator.ts";
import {
  isStackOverflow,
  mergeConflicts,
  placeAt,
  type Source,
  sourceOf,
  syntax,
  syntaxErrors,
} from "./syntax-errors.ts";

/** One YAML document of a file, before its meaning is checked. */
export interface Document {
  readonly file: string;
  /** The place of its first value. */
  readonly place: Place;
  /** Its value. Of a document with errors, the part that could be parsed. */
  readonly value: JsonValue;
  /** True if the document has syntax errors, so that members may be missing from its value. */
  readonly hasErrors: boolean;
  /** The overlay or component that changed the document after it was read. Absent without one. */
  readonly generatedBy?: "overlay" | "component";
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

/** The parsed form of a document. `start` and `end` are its offsets in the text. */
export interface DocumentPart extends Pick<Document, "place" | "value" | "hasErrors"> {
  readonly start: number;
  readonly end: number;
}

/** The parsed form of a text. */
export interface ParsedParts {
  readonly parts: readonly DocumentPart[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses YAML 1.2, and so JSON, with any number of documents. Skips empty documents. Never throws. */
export function parse(file: string, text: string): Parsed {
  const { parts, diagnostics } = parseParts(file, text);
  return { documents: documentsOf(file, text, { parts, places: new Map() }), diagnostics };
}

/** Parses as {@link parse}, to the input of {@link documentsOf}. */
export function parseParts(file: string, text: string): ParsedParts {
  const source = sourceOf(file, text);
  const conflicts = mergeConflicts(source);
  if (conflicts.length > 0) return { parts: [], diagnostics: conflicts };
  return withoutEnvironment(() => collectParts(source));
}

/** Places of located values of a file, by the offset of the document, side and JSON Pointer. */
export type LocatedPlaces = Map<string, Place>;

/** Returns the documents of a text that was parsed. They keep the text, and add the places of located values to `places`. */
export function documentsOf(
  file: string,
  text: string,
  { parts, places }: { readonly parts: Iterable<DocumentPart>; readonly places: LocatedPlaces },
): readonly Document[] {
  const source = sourceOf(file, text);
  return Array.from(parts, ({ place, value, hasErrors, start, end }) => {
    const locate = locateIn({ source, start, end, places });
    return { file, place, value, hasErrors, locate };
  });
}

function collectParts(source: Source): ParsedParts {
  const parts: DocumentPart[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of parsedDocuments(source)) {
    if ("unreadable" in document) return { parts: [], diagnostics: [document.unreadable] };
    if (document.part !== undefined) parts.push(document.part);
    diagnostics.push(...document.diagnostics);
  }
  return { parts, diagnostics };
}

/** A document with its errors. `part` is undefined for an empty document. */
interface ParsedDocument {
  readonly part: DocumentPart | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Yields one document after the other, so that the nodes of a large file are not all in memory together. */
function* parsedDocuments(
  source: Source,
): Generator<ParsedDocument | { readonly unreadable: Diagnostic }> {
  try {
    const anchors = new Set<string>();
    for (const yaml of composed(source.text)) yield convertDocument(source, yaml, anchors);
  } catch (error) {
    yield { unreadable: unreadable(source, error) };
  }
}

function composed(text: string): Generator<YamlDocument.Parsed> {
  // The conversion reports duplicate keys: the library compares each key with all others.
  const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
  return new Composer({ ...options, uniqueKeys: false }).compose(new Parser().parse(text));
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

/** Adds the anchors of the document to the anchors of the earlier documents of its file. */
function convertDocument(
  source: Source,
  yaml: YamlDocument.Parsed,
  fileAnchors: Set<string>,
): ParsedDocument {
  const { value, errors: conversionErrors, anchors } = convert(yaml.contents, fileAnchors);
  for (const name of anchors) fileAnchors.add(name);
  const diagnostics = [
    ...syntaxErrors(source, yaml),
    ...[...conversionErrors, ...overflowErrors(yaml, conversionErrors)].map((error) =>
      diagnosticOf(source, error),
    ),
  ];
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  if (value === null && !hasErrors) return { part: undefined, diagnostics };
  const [start, , end] = yaml.range;
  const place = placeAt(source, yaml.contents?.range[0] ?? start);
  return { part: { place, value, hasErrors, start, end }, diagnostics };
}

/** The part of a text that is one document. */
interface DocumentText {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  readonly places: LocatedPlaces;
}

/** A large stack keeps this for each of its documents, so it is small. */
function locateIn({ source, start, end, places }: DocumentText): Document["locate"] {
  let find: ReturnType<typeof locator> | undefined;
  return (pointer, side = "value") => {
    const name = `${start} ${side} ${pointer}`;
    const located = places.get(name);
    if (located !== undefined) return located;
    find ??= locator(source.text.slice(start, end));
    const place = placeAt(source, start + find(pointer, side));
    places.set(name, place);
    return place;
  };
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

function diagnosticOf(source: Source, { offset, ...detail }: ConversionError): Diagnostic {
  return { severity: "error", ...detail, place: placeAt(source, offset) };
}

/** An error in a YAML text; `offset` counts from the start of the text. */
interface ConversionError {
  readonly code: DiagnosticCode;
  readonly offset: number;
  readonly summary: string;
  readonly remedy?: string;
}

/** A JSON value with its errors. Invalid parts are omitted or null. */
interface Converted {
  readonly value: JsonValue;
  readonly errors: readonly ConversionError[];
  /** The names of its anchors. */
  readonly anchors: Iterable<string>;
}

interface Anchor {
  readonly value: JsonValue;
  /** The number of aliases expanded inside it. */
  readonly aliases: number;
}

interface ConversionState {
  readonly errors: ConversionError[];
  readonly anchors: Map<string, Anchor | "open">;
  /** The anchors of earlier documents of the file, which aliases cannot name. */
  readonly fileAnchors: ReadonlySet<string>;
  aliases: number;
  /** True once the excess of aliases was reported. */
  isReported: boolean;
}

/** The error for values that are nested too deep. */
const tooDeep = {
  code: "out-of-bounds",
  summary: `values are nested deeper than ${limits.depth}`,
  remedy: "Flatten them.",
} as const;

/** Converts a YAML node to a JSON value. Reports everything that JSON cannot hold. Never throws. */
function convert(node: unknown, fileAnchors: ReadonlySet<string>): Converted {
  const counted = { aliases: 0, isReported: false };
  const run: ConversionState = { errors: [], anchors: new Map(), fileAnchors, ...counted };
  return { value: valueOf(run, node, 0), errors: run.errors, anchors: run.anchors.keys() };
}

function valueOf(run: ConversionState, node: unknown, depth: number): JsonValue {
  if (depth > limits.depth) return addError(run, node, tooDeep);
  if (isAlias(node)) return aliased(run, node, node.source);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const anchor = node.anchor;
  if (anchor === undefined) return plainValue(run, node, depth);
  const before = run.aliases;
  run.anchors.set(anchor, "open");
  const value = plainValue(run, node, depth);
  run.anchors.set(anchor, { value, aliases: run.aliases - before });
  return value;
}

function plainValue(run: ConversionState, node: Node, depth: number): JsonValue {
  if (isScalar(node)) return scalar(run, node);
  if (isSeq(node)) return node.items.map((item) => valueOf(run, item, depth + 1));
  return isMap(node) ? members(run, node.items, depth) : null;
}

/** Returns the value of the anchor. The limit counts aliases as if they were expanded in full. */
function aliased(run: ConversionState, node: Node, name: string): JsonValue {
  const anchor = run.anchors.get(name);
  if (anchor === undefined || anchor === "open") {
    return addError(run, node, aliasError(name, { ...run, isOpen: anchor === "open" }));
  }
  run.aliases += 1 + anchor.aliases;
  if (run.aliases <= limits.yamlAliases) return anchor.value;
  // Report the excess once.
  if (run.isReported) return null;
  run.isReported = true;
  return addError(run, node, {
    code: "out-of-bounds",
    summary: `the document expands more than ${limits.yamlAliases} aliases`,
    remedy: "Write the values in full.",
  });
}

function aliasError(
  name: string,
  { isOpen, fileAnchors }: Pick<ConversionState, "fileAnchors"> & { readonly isOpen: boolean },
): Omit<ConversionError, "offset"> {
  const [code, alias] = ["yaml-syntax", `the alias "*${name}"`] as const;
  if (isOpen) {
    const remedy = "Write the value in full.";
    return { code, summary: `${alias} is inside its own anchor`, remedy };
  }
  if (!fileAnchors.has(name)) {
    const remedy = `Write "&${name}" before a value above it. If it is text, put it in quotes.`;
    return { code, summary: `${alias} has no anchor before it`, remedy };
  }
  return {
    code,
    summary: `${alias} names an anchor of an earlier document of the file; an anchor ends with its document, at ---`,
    remedy: `Define "&${name}" in this document too, or write the values in full. For values that documents share, use a variable or an overlay.`,
  };
}

function scalar(run: ConversionState, node: Scalar): JsonValue {
  const { value } = node;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "string") {
    const reason = unstorableTextReason(value);
    if (reason === undefined) return value;
    return addError(run, node, { code: "out-of-bounds", summary: `the value ${reason}` });
  }
  const reason = inexactReason(Number(value), node.source);
  if (typeof value === "number" && reason === undefined) return value;
  return addError(run, node, {
    code: "out-of-bounds",
    summary: `the number ${node.source ?? ""} ${reason ?? ""}`,
    remedy: exactNumberRemedy,
  });
}

function members(
  run: ConversionState,
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  depth: number,
): JsonObject {
  const object: Record<string, JsonValue> = {};
  const seen = new Set<string>();
  for (const { key, value } of items) {
    const name = keyOf(run, key, seen);
    const member = valueOf(run, value, depth + 1);
    if (name !== undefined) object[name] = member;
  }
  return object;
}

/** Returns the text of a key, or undefined if the member is invalid. */
function keyOf(run: ConversionState, key: unknown, seen: Set<string>): string | undefined {
  const error = keyError(key, seen);
  if (error !== undefined) {
    addError(run, key, error);
    return undefined;
  }
  const name = (key as Scalar<string>).value;
  seen.add(name);
  return name;
}

function keyError(
  key: unknown,
  seen: ReadonlySet<string>,
): Omit<ConversionError, "offset"> | undefined {
  const code = "yaml-syntax";
  if (!isScalar(key) || typeof key.value !== "string") {
    return { code, summary: "a key is not text", remedy: "Put the key in quotes." };
  }
  const name = key.value;
  if (seen.has(name)) {
    const summary = `the key "${name}" occurs twice`;
    return { code, summary, remedy: "Keep one of them." };
  }
  if (name === "<<" && key.type === "PLAIN") {
    const remedy = "Repeat the members in each map. Aliases are supported for whole values only.";
    return {
      code,
      summary: 'the merge key "<<" is not supported: it is not part of YAML 1.2',
      remedy,
    };
  }
  // Assigning to this name would set the prototype of the object.
  if (name === "__proto__") {
    return { code: "unknown-field", summary: '"__proto__" cannot be a key', remedy: "Remove it." };
  }
  return undefined;
}

function addError(
  run: ConversionState,
  node: unknown,
  error: Omit<ConversionError, "offset">,
): null {
  run.errors.push({ ...error, offset: offsetOf(node) ?? 0 });
  return null;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}
