// From the text of a manifest file to its documents, which remember where in the file every value stands.
import { Composer, type Document as YamlDocument, LineCounter, Parser, type YAMLError } from "yaml";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { convert, type Trouble } from "./convert.ts";
import { locator, type Side } from "./locate.ts";

/** One YAML document of a file, before anything is known about its meaning. */
export interface Document {
  readonly file: string;
  /** Where its first value stands. */
  readonly place: Place;
  /** What it says; of a broken document, what could be understood. */
  readonly value: JsonValue;
  /** It has mistakes of its own, so nothing may be concluded from what it does not say. */
  readonly broken: boolean;
  /** Where the value at a JSON Pointer stands, or its key; of one that does not exist, the nearest ancestor. */
  locate(pointer: string, side?: Side): Place;
}

/** What a text gives: its documents, and what is wrong with it as YAML. */
export interface Parsed {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

/** Parses YAML 1.2 (and so JSON), several documents a text; documents without any value are skipped. Never throws. */
export function parse(file: string, text: string): Parsed {
  const source: Source = { file, text: text.replace(/^\uFEFF/, ""), lines: new LineCounter() };
  const documents: Document[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const yaml of yamlDocuments(source)) {
    if (typeof yaml === "string") {
      const place = { file, line: 1, column: 1 };
      return { documents: [], diagnostics: [syntax(`the text cannot be read: ${yaml}`, place)] };
    }
    const { document, found } = understand(source, yaml);
    if (document !== undefined) documents.push(document);
    diagnostics.push(...found);
  }
  return { documents, diagnostics };
}

/**
 * The documents one after the other, since the nodes of a large file, all kept at once, would take long to collect; at the
 * end, why the rest cannot be read.
 */
function* yamlDocuments({ text, lines }: Source): Generator<YamlDocument.Parsed | string> {
  // Duplicate keys are found while converting: the library compares each key with each.
  const options = { prettyErrors: false, resolveKnownTags: false, stringKeys: true };
  try {
    const composer = new Composer({ ...options, uniqueKeys: false });
    yield* composer.compose(new Parser(lines.addNewLine).parse(text));
  } catch (error) {
    yield error instanceof Error ? error.message : String(error);
  }
}

function understand(
  source: Source,
  yaml: YamlDocument.Parsed,
): { readonly document: Document | undefined; readonly found: readonly Diagnostic[] } {
  const { value, troubles } = convert(yaml.contents);
  const found = [
    ...syntaxErrors(source, yaml),
    ...troubles.map((trouble) => diagnosticOf(source, trouble)),
  ];
  const broken = found.some(({ severity }) => severity === "error");
  if (value === null && !broken) return { document: undefined, found };
  return { document: documentOf(source, yaml, { value, broken }), found };
}

function documentOf(
  source: Source,
  yaml: YamlDocument.Parsed,
  { value, broken }: Pick<Document, "value" | "broken">,
): Document {
  const [start, , end] = yaml.range;
  let locateIn: ReturnType<typeof locator> | undefined;
  return {
    file: source.file,
    place: placeAt(source, yaml.contents?.range[0] ?? start),
    value,
    broken,
    locate(pointer, side = "value") {
      locateIn ??= locator(source.text.slice(start, end));
      return placeAt(source, start + locateIn(pointer, side));
    },
  };
}

/** Of several errors in one line the first: the others mostly follow from it. */
function syntaxErrors(source: Source, yaml: YamlDocument.Parsed): readonly Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  for (const error of [...yaml.errors, ...tagWarnings(yaml.warnings)]) {
    // Keys that are not text are told while converting.
    if (error.code === "NON_STRING_KEY" || byLine.size >= limits.diagnosticsShown) continue;
    const place = placeAt(source, error.pos[0]);
    if (!byLine.has(place.line)) byLine.set(place.line, syntax(error.message, place));
  }
  const { yaml: version } = yaml.directives;
  if (version.explicit === true && version.version !== "1.2") {
    const place = placeAt(source, yaml.range[0]);
    byLine.set(0, syntax(`the document asks for YAML ${version.version}; YAML 1.2 is read`, place));
  }
  return [...byLine.values()];
}

function tagWarnings(warnings: readonly YAMLError[]): readonly YAMLError[] {
  return warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
}

function diagnosticOf(source: Source, { offset, ...said }: Trouble): Diagnostic {
  return { severity: "error", ...said, place: placeAt(source, offset) };
}

function syntax(summary: string, place: Place): Diagnostic {
  return { code: "yaml-syntax", severity: "error", summary, place };
}

function placeAt({ file, lines }: Source, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
}
