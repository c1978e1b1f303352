// Reports the syntax errors of a manifest file. Adds a remedy where the library's message lacks one.
import { type Document as YamlDocument, LineCounter, type YAMLError } from "yaml";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";
import { describeYamlErrors, type YamlSyntaxError } from "../../core/text/yaml-errors.ts";

/** The text of a file. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** The lines of the file. Computed on first use. */
  readonly lines: () => LineCounter;
}

/** Returns the source of a text. It keeps nothing else: each object that can be located keeps the source. */
export function sourceOf(file: string, content: string): Source {
  const text = content.replace(/^\uFEFF/, "");
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
  for (const { offset, message, remedy } of libraryErrors(source, yaml)) {
    if (byLine.size >= limits.diagnosticsShown) break;
    const place = placeAt(source, offset);
    if (!byLine.has(place.line))
      byLine.set(place.line, { ...syntax(message, place), ...(remedy && { remedy }) });
  }
  const { yaml: version } = yaml.directives;
  if (version.explicit === true && version.version !== "1.2") {
    const place = placeAt(source, yaml.range[0]);
    byLine.set(
      0,
      syntax(`the document declares YAML ${version.version}; only YAML 1.2 is supported`, place),
    );
  }
  return [...byLine.entries()]
    .toSorted(([left], [right]) => left - right)
    .map(([, error]) => error);
}

/** Reports the markers that Git leaves in a file with conflicts, in place of the errors that follow from them. */
export function mergeConflicts(source: Source): readonly Diagnostic[] {
  const markers = [...source.text.matchAll(/^<{7} .*$/gmu)].slice(0, limits.diagnosticsShown);
  return markers.map(({ index }) => ({
    ...syntax("the file has an unresolved merge conflict", placeAt(source, index)),
    remedy: "Edit the conflict, and remove the lines that start with <<<<<<<, ======= and >>>>>>>.",
  }));
}

/** Returns the errors of the library, except those that the conversion reports: keys that are not text, and excessive depth. */
function libraryErrors({ text }: Source, yaml: YamlDocument.Parsed): readonly YamlSyntaxError[] {
  const errors = [...yaml.errors, ...tagWarnings(yaml.warnings)].filter(
    (error) => error.code !== "NON_STRING_KEY" && !isStackOverflow(error),
  );
  return describeYamlErrors(errors, yaml, text);
}

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
