// Changes the version that a manifest pins, and keeps the rest of its text: comments, quotes and layout.
import { isScalar, LineCounter, parseAllDocuments, type Scalar } from "yaml";
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

/** Returns the line of the version that an edit would change, from 1. Undefined if it is not a plain scalar there. */
export function lineOfVersion(
  text: string,
  edit: Pick<VersionEdit, "place" | "path">,
): number | undefined {
  const { scalarAt, lines } = readScalars(text);
  const start = scalarAt(edit)?.range?.[0];
  return start === undefined ? undefined : lines.linePos(start).line;
}

/** Reads a text of several documents, and finds scalars in it by document and path. Positions do not count a byte order mark. */
function readScalars(text: string): {
  readonly scalarAt: (edit: Pick<VersionEdit, "place" | "path">) => Scalar | undefined;
  readonly lines: LineCounter;
} {
  const lines = new LineCounter();
  const documents = withoutEnvironment(() =>
    parseAllDocuments(text.slice(markLength(text)), { lineCounter: lines }),
  );
  const all = Array.isArray(documents) ? documents : [];
  const scalarAt = ({ place, path }: Pick<VersionEdit, "place" | "path">): Scalar | undefined => {
    const document = all.find(({ contents }) => {
      const at = contents?.range?.[0];
      const { line, col } = at === undefined ? { line: 0, col: 0 } : lines.linePos(at);
      return line === place.line && col === place.column;
    });
    const node: unknown = document?.getIn(path, true);
    return isScalar(node) ? node : undefined;
  };
  return { scalarAt, lines };
}

function markLength(text: string): number {
  return text.startsWith("\uFEFF") ? 1 : 0;
}

/** Returns the text with all edits applied. Fails with `refused` if a version is not a plain scalar there. */
export function applyVersionEdits(text: string, edits: readonly VersionEdit[]): string {
  const mark = markLength(text);
  const { scalarAt } = readScalars(text);
  const spans = edits.map((edit): Span => {
    const node = scalarAt(edit);
    const range = node?.range;
    if (!range) throw cannotWriteError(edit, "the document does not contain it");
    if (node.anchor !== undefined)
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
