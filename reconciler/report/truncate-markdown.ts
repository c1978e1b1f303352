// Cuts folded sections of a Markdown report to the size limit, and says what was omitted.
import { limits } from "../../core/limits/limits.ts";
import { pluralize, truncate } from "../../core/text/escape-text.ts";
import type { Block, Section } from "./sections.ts";

/**
 * Returns the head and the nonempty sections in at most {@link limits.markdownCharacters} characters.
 */
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
  return `${text}\n**Truncated: ${left} of ${all} omitted.** The text and JSON reports are complete.\n`;
}

/** Space for the notice and for the frames of the remaining sections. */
const noticeReserve = 2500;
const sectionOverhead = 300;

function blocksThatFit(blocks: readonly Block[], room: number): readonly (readonly string[])[] {
  const fitting: (readonly string[])[] = [];
  let [left, run] = [room - sectionOverhead, 3];
  for (const block of blocks) {
    const lines = shortened(block.lines);
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

/**
 * The fence has more backticks than the text, so the text cannot contain Markdown, HTML or mentions.
 */
function sectionText(
  { title, open, blocks }: Section,
  fitting: readonly (readonly string[])[],
): string {
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
    ...(left > 0 ? [`… ${left} more not shown`, ""] : []),
    "</details>",
    "",
  ].join("\n");
}

function longestBacktickRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map(({ length }) => length));
}
