// Converts pages of the documentation, and sections of them, to the topics of `svc help TOPIC`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../cli/command-list.ts";

/** Pages of `docs/`, and a section of a page after `#`. */
const sources: Readonly<Record<string, string>> = {
  "how-it-works": "explanation/how-it-works.md",
  ownership: "explanation/ownership.md",
  "change-order": "explanation/change-order.md",
  safety: "explanation/safety.md",
  promotion: "explanation/promotion.md",
  "controller-loop": "explanation/controller.md",
  manifests: "reference/manifests.md",
  stack: "reference/stack.md",
  references: "reference/manifests.md#References",
  secrets: "how-to/use-secrets.md",
  pipelines: "reference/pipelines.md",
  "controller-file": "reference/controller.md",
  "exit-codes": "reference/cli.md#Exit codes",
  confirmation: "reference/cli.md#Confirmation",
  tables: "reference/cli.md#Tables",
  "environment-variables": "reference/cli.md#Environment variables",
};

/** Columns of a line. */
const columns = 80;

/** Returns the topics as JSON: a title and the text of each. Fails for a topic with the name of a command. */
export function helpTopics(root: string): string {
  const clash = commands.find(({ name }) => Object.hasOwn(sources, name));
  if (clash !== undefined) throw new Error(`the topic ${clash.name} has the name of a command`);
  const topics = Object.entries(sources).map(([name, source]) => {
    const [page = "", section] = source.split("#");
    const text = readFileSync(join(root, "docs", page), "utf8");
    const [title, body] =
      section === undefined ? pageOf(text) : [section, sectionOf(text, section)];
    return [name, { title, text: plainText(body) }] as const;
  });
  return `${JSON.stringify(Object.fromEntries(topics), undefined, 2)}\n`;
}

function pageOf(text: string): readonly [title: string, body: string] {
  const [, title = "", body = ""] = /^# ([^\n]*)\n(.*)$/su.exec(text) ?? [];
  return [title, body];
}

function sectionOf(text: string, section: string): string {
  const [, after] = text.split(`\n## ${section}\n`);
  if (after === undefined) throw new Error(`the documentation has no section ${section}`);
  return after.split("\n## ", 1).join();
}

/** Returns the paragraphs, lists, tables and code of a page for a terminal. Diagrams are left out. */
function plainText(markdown: string): string {
  const blocks: string[] = [];
  for (const [part, isCode] of codeAndText(markdown)) {
    if (!isCode) blocks.push(...part.split(/\n{2,}/u).map((block) => blockText(block.trim())));
    else if (!part.startsWith("mermaid\n"))
      blocks.push(part.replace(/^.*\n/u, "").replace(/^/gmu, "  "));
  }
  return blocks
    .map((block) => block.trimEnd())
    .filter((block) => block !== "")
    .join("\n\n");
}

function codeAndText(markdown: string): readonly (readonly [part: string, isCode: boolean])[] {
  return markdown.split(/^```/gmu).map((part, index) => [part, index % 2 === 1]);
}

function blockText(block: string): string {
  if (block.startsWith("#")) return inlineText(block.replace(/^#+ /u, "")).toUpperCase();
  if (block.startsWith("|")) return tableText(block);
  if (/^(?:-|\d+\.) /u.test(block)) {
    const items = block.split(/\n(?=(?:-|\d+\.) )/u);
    return items.map((item) => wrap(inlineText(item), "  ")).join("\n");
  }
  return wrap(inlineText(block), "");
}

/**
 * Returns the rows of a table: the first cell with the others below it, which have their headings if there are several.
 */
function tableText(block: string): string {
  const [[, ...heads] = [], , ...rows] = block.split("\n").map(cellsOf);
  const lines = rows.flatMap(([first = "", ...rest]) => [
    `  ${first}`,
    ...rest.map((cell, column) => {
      const head = rest.length > 1 ? `${heads[column] ?? ""}: ` : "";
      return wrap(`      ${head}${cell}`, "        ");
    }),
  ]);
  return lines.join("\n");
}

function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => inlineText(cell.trim()));
}

function inlineText(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll("**", "")
    .replaceAll("\\|", "|")
    .replaceAll("\n", " ");
}

/** Breaks a text into lines; lines after the first begin with `indent`. */
function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = /^ */u.exec(text)?.[0] ?? "";
  let isEmpty = true;
  for (const word of text.trim().split(/ +/u)) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line);
      [line, isEmpty] = [indent, true];
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}
