// Changes the version that a manifest pins, and keeps the rest of its text: comments, quotes and layout.
import { isScalar, LineCounter, parseAllDocuments } from "yaml";
import type { Place } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import { withoutEnvironment } from "../core/text/yaml-environment.ts";

/** One version to change in a text. */
export interface VersionEdit {
  /** `Kind/name`, for messages. */
  readonly address: string;
  /** Start of the document. */
  readonly place: Place;
  /** Path of the version in the document. */
  readonly path: readonly string[];
  readonly from: string;
  readonly to: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with all edits applied. Fails with `refused` if a version is not a plain scalar there. */
export function applyVersionEdits(text: string, edits: readonly VersionEdit[]): string {
  const lines = new LineCounter();
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  const documents = withoutEnvironment(() =>
    parseAllDocuments(text.slice(mark), { lineCounter: lines }),
  );
  const found = Array.isArray(documents) ? documents : [];
  const spans = edits.map((edit): Span => {
    const document = found.find(({ contents }) => {
      const at = contents?.range?.[0];
      const { line, col } = at === undefined ? { line: 0, col: 0 } : lines.linePos(at);
      return line === edit.place.line && col === edit.place.column;
    });
    const node: unknown = document?.getIn(edit.path, true);
    const range = isScalar(node) ? node.range : undefined;
    if (!range) throw cannotWriteError(edit, "the document does not contain it");
    if (isScalar(node) && node.anchor !== undefined)
      throw cannotWriteError(edit, "it has an anchor, to which aliases may refer");
    const written = text.slice(mark + range[0], mark + range[1]);
    if (written.includes("${")) throw cannotWriteError(edit, "it comes from a variable");
    if (!written.includes(edit.from))
      throw cannotWriteError(edit, "the document contains another value");
    const [start, end] = [mark + range[0], mark + range[1]];
    return { start, end, text: written.replace(edit.from, edit.to) };
  });
  return spans
    .toSorted((left, right) => right.start - left.start)
    .reduce((now, span) => now.slice(0, span.start) + span.text + now.slice(span.end), text);
}

function cannotWriteError({ address, path }: VersionEdit, why: string): Failure {
  return new Failure("refused", `the version of ${address} cannot be changed: ${why}`, {
    remedy: `Write ${path.join(".")} as a plain value in the document.`,
  });
}
