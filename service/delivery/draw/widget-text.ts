// The text of a widget as lines: what its Markdown says, without the Markdown.
import MarkdownIt from "markdown-it";

/** One line of a text. */
export interface TextLine {
  /** 1 to 6 for a heading, 0 for other text. */
  readonly level: number;
  readonly text: string;
}

// As the page reads it.
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
type Token = ReturnType<typeof markdown.parse>[number];

/** Returns the lines of a text in Markdown. Paragraphs have an empty line between them, entries of lists a mark. */
export function linesOfText(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let level = 0;
  let mark = "";
  let isAfterText = false;
  for (const { type, tag, info, markup, content, children } of markdown.parse(text, {})) {
    if (type === "heading_open") level = Number(tag.slice(1));
    if (type === "heading_close") level = 0;
    if (type === "list_item_open") mark = info === "" ? "• " : `${info}${markup} `;
    if (type === "paragraph_open" && mark === "" && isAfterText) lines.push({ level: 0, text: "" });
    if (["paragraph_close", "bullet_list_close", "ordered_list_close"].includes(type)) {
      isAfterText = true;
    }
    if (type === "heading_open") isAfterText = false;
    const shown = children === null ? content.replace(/\n$/u, "") : inlineText(children);
    if (shown === "") continue;
    for (const line of shown.split("\n")) {
      lines.push({ level, text: mark + line });
      mark = "";
    }
  }
  return lines;
}

/** Returns what emphasis, links, code and pictures say. */
function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type === "softbreak" || type === "hardbreak" ? "\n" : content))
    .join("");
}
