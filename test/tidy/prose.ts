// Checks the limits of documentation: lengths of pages and, in text by people, of lines, sentences and decision records.
import { maxPageLines } from "../../scripts/markdown.ts";

/** Maximum number of columns of a line, without the targets of its links. */
export const maxColumns = 120;
/** Maximum number of words of a sentence; inline code counts as one word. */
export const maxWords = 35;
/** Maximum number of lines of a decision record. */
export const maxRecordLines = 15;

/** A run of prose: a paragraph, a list item or a quotation, with the number of its first line. */
interface Block {
  readonly line: number;
  readonly text: string;
}

/** Returns one line for each limit that a hand-written page exceeds, with the remedy. */
export function proseProblems(path: string, text: string): readonly string[] {
  return [
    ...pageProblems(path, text),
    ...lineProblems(path, text),
    ...sentenceProblems(path, text),
  ];
}

/** Returns one line if a page, hand-written or generated, has too many lines. */
export function pageProblems(path: string, text: string): readonly string[] {
  const lines = text.trimEnd().split("\n").length;
  if (path.startsWith("docs/decisions/") && !path.endsWith("README.md")) {
    return lines <= maxRecordLines
      ? []
      : [
          `${path}: ${lines} lines, at most ${maxRecordLines}: keep the decision and its reason, leave out how it works`,
        ];
  }
  return path.startsWith("docs/") && lines > maxPageLines
    ? [
        `${path}: ${lines} lines, at most ${maxPageLines}: split the page by task, and link the parts from docs/README.md`,
      ]
    : [];
}

function lineProblems(path: string, text: string): readonly string[] {
  return proseLines(text).flatMap(({ line, text: prose }) => {
    const columns = prose.replace(/\]\([^)\s]*\)/gu, "]").length;
    return columns > maxColumns
      ? [
          `${path}:${line}: ${columns} columns, at most ${maxColumns}: break the line between two words`,
        ]
      : [];
  });
}

function sentenceProblems(path: string, text: string): readonly string[] {
  return blocksOf(text).flatMap(({ line, text: block }) =>
    sentencesOf(block)
      .map((sentence) => ({ sentence, words: sentence.split(/\s+/u).length }))
      .filter(({ words }) => words > maxWords)
      .map(
        ({ sentence, words }) =>
          `${path}:${line}: a sentence of ${words} words, at most ${maxWords}: make two of it, or a list: ${sentence.slice(0, 60)}…`,
      ),
  );
}

/** Returns the lines that are neither code nor a table; headings are prose. */
function proseLines(text: string): readonly Block[] {
  let fence: string | undefined;
  return text.split("\n").flatMap((line, index) => {
    const [, mark] = /^\s*(`{3,})/u.exec(line) ?? [];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark === fence) fence = undefined;
      return [];
    }
    return fence !== undefined || /^\s*(?:\||<!--)/u.test(line)
      ? []
      : [{ line: index + 1, text: line }];
  });
}

/** Joins the lines of each paragraph and of each list item. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let last = 0;
  for (const { line, text: prose } of proseLines(text)) {
    const begins =
      line !== last + 1 || prose.trim() === "" || /^\s*(?:[-*]|\d+\.|#+|>)\s/u.test(prose);
    if (begins) blocks.push({ line, text: prose });
    else {
      const before = blocks.pop();
      blocks.push({ line: before?.line ?? line, text: `${before?.text ?? ""} ${prose.trim()}` });
    }
    last = prose.trim() === "" ? 0 : line;
  }
  return blocks.filter(({ text: block }) => block.trim() !== "");
}

function sentencesOf(block: string): readonly string[] {
  return block
    .replace(/^\s*(?:[-*]|\d+\.|#+|>)\s+/u, "")
    .replace(/`[^`]*`/gu, "code")
    .replace(/\]\([^)\s]*\)/gu, "]")
    .split(/(?<=[.!?]["”)]?)\s+(?=\S)/u)
    .map((sentence) => sentence.trim());
}
