// Folded sections of a Markdown report, as many of their lines as there is room for; what is left out is said.
import { limits } from "../../core/limits.ts";
import { pluralize, truncate } from "./escape-text.ts";

/** A part that can be folded; its blocks are changes or messages, each a few lines that stay together. */
export interface Section {
  /** In our own words: nothing in it comes from elsewhere. */
  readonly title: string;
  readonly open: boolean;
  readonly blocks: readonly (readonly string[])[];
}

/** The head and the sections that have something in them, in at most {@link limits.markdownCharacters} characters. */
export function truncateToFit(head: readonly string[], sections: readonly Section[]): string {
  let text = `${head.join("\n")}\n`;
  let [shown, all] = [0, 0];
  for (const section of sections) {
    const { length } = section.blocks;
    if (length === 0) continue;
    const room = limits.markdownCharacters - text.length - noticeReserve;
    const fitting = blocksThatFit(section.blocks, room);
    text += sectionText(section, fitting);
    shown += fitting.length;
    all += length;
  }
  if (shown === all) return text;
  const left = pluralize(all - shown, "entry").replace(/entrys$/u, "entries");
  return `${text}\n**Cut to fit a comment: ${left} of ${all} left out.** The report as text or JSON shows them all.\n`;
}

/** For what is said of the cut, and for the frames of sections that come when nothing more fits. */
const noticeReserve = 2500;
const sectionOverhead = 300;

function blocksThatFit(
  blocks: readonly (readonly string[])[],
  room: number,
): readonly (readonly string[])[] {
  const fitting: (readonly string[])[] = [];
  let [left, run] = [room - sectionOverhead, 3];
  for (const block of blocks) {
    const lines = shortened(block);
    const text = lines.join("\n");
    const longest = Math.max(run, longestBacktickRun(text) + 1);
    left -= text.length + 1 + 2 * (longest - run);
    run = longest;
    if (left < 0) break;
    fitting.push(lines);
  }
  return fitting;
}

function shortened(block: readonly string[]): readonly string[] {
  const lines = block
    .slice(0, limits.markdownLines)
    .map((line) => truncate(line, limits.markdownLine));
  const left = block.length - lines.length;
  return left === 0 ? lines : [...lines, `    … ${pluralize(left, "more line")}`];
}

/** The text stands between more backticks than it holds, so nothing in it is Markdown, HTML or a mention. */
function sectionText({ title, open, blocks }: Section, fitting: Section["blocks"]): string {
  const text = fitting.flat().join("\n");
  const fence = "`".repeat(Math.max(3, longestBacktickRun(text) + 1));
  const left = blocks.length - fitting.length;
  const body = fitting.length === 0 ? [] : [`${fence}diff`, text, fence, ""];
  return [
    "",
    open ? "<details open>" : "<details>",
    `<summary>${title}</summary>`,
    "",
    ...body,
    ...(left > 0 ? [`… ${left} more not shown here`, ""] : []),
    "</details>",
    "",
  ].join("\n");
}

function longestBacktickRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map(({ length }) => length));
}
