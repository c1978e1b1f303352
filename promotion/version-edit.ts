// Changes the version that a manifest pins, and nothing else of its text: comments, quotes and layout stay.
import { isScalar, LineCounter, parseAllDocuments } from "yaml";
import type { Place } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";

/** One version to be changed in a text. */
export interface VersionEdit {
  /** `Kind/name`, for messages. */
  readonly address: string;
  /** Where the document begins. */
  readonly place: Place;
  /** Members that lead to the version in the document. */
  readonly path: readonly string[];
  readonly from: string;
  readonly to: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made. Fails with `refused` where a version does not stand there as plain text. */
export function applyVersionEdits(text: string, edits: readonly VersionEdit[]): string {
  const lines = new LineCounter();
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  const documents = parseAllDocuments(text.slice(mark), { lineCounter: lines });
  const found = Array.isArray(documents) ? documents : [];
  const spans = edits.map((edit): Span => {
    const document = found.find(({ contents }) => {
      const at = contents?.range?.[0];
      const { line, col } = at === undefined ? { line: 0, col: 0 } : lines.linePos(at);
      return line === edit.place.line && col === edit.place.column;
    });
    const node: unknown = document?.getIn(edit.path, true);
    const range = isScalar(node) ? node.range : undefined;
    if (!range) throw cannotWriteError(edit, "it does not stand in its document");
    if (isScalar(node) && node.anchor !== undefined)
      throw cannotWriteError(edit, "it has an anchor, which other places may refer to");
    const written = text.slice(mark + range[0], mark + range[1]);
    if (written.includes("${")) throw cannotWriteError(edit, "it comes from a variable");
    if (!written.includes(edit.from))
      throw cannotWriteError(edit, "its document says something else");
    const [start, end] = [mark + range[0], mark + range[1]];
    return { start, end, text: written.replace(edit.from, edit.to) };
  });
  return spans
    .toSorted((left, right) => right.start - left.start)
    .reduce((now, span) => now.slice(0, span.start) + span.text + now.slice(span.end), text);
}

function cannotWriteError({ address, path }: VersionEdit, why: string): Failure {
  return new Failure("refused", `the version of ${address} cannot be written: ${why}`, {
    remedy: `write ${path.join(".")} out in the document, as plain text`,
  });
}
