// Formats a dashboard as the text and the HTML of a mail, with the results of its charts as tables.
import { formatValue, type Look, pageAddress, type ResultTable } from "../../charts/index.ts";
import { limits } from "../../core/limits/limits.ts";
import { escapeXml } from "./draw/svg.ts";
import { moreText } from "./draw/more-rows.ts";
import { pictureLocale } from "./draw/svg.ts";
import { linesOfText } from "./draw/widget-text.ts";
import type { Picture, WidgetContent } from "./draw/picture-input.ts";

/** The parts of a mail. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The content ID of the picture in a mail. */
export const pictureId = "dashboard";

/** What a mail has beside the dashboard. */
export interface MailExtras {
  /** Sentences about the results. */
  readonly summary?: readonly string[];
  /** Whether the mail has the dashboard as a picture, which then comes first. */
  readonly hasPicture: boolean;
}

/** Returns the mail of a dashboard: its picture, its title, when it was read and where it is, then its results. */
export function mailContent(
  picture: Picture,
  { summary = [], hasPicture }: MailExtras,
): MailContent {
  const { title, account = "", description, controls, link, widgets, look } = picture;
  const freshness = [account, picture.footer].filter((part) => part !== "").join(" · ");
  const fonts = (look.font ?? "").split(",").map((name) => name.trim());
  const family = [...fonts.filter((name) => name !== "").map((name) => `'${name}'`), "sans-serif"];
  const shown = widgets
    .map(({ content }) => content)
    .filter(({ kind }) => kind !== "control" && kind !== "divider");
  const head = [description, ...controls, summary.join(" ")].filter((line) => line !== "");
  return {
    subject: (title || "Dashboard").replace(/\s+/gu, " "),
    text: [
      title,
      freshness,
      ...(link === undefined ? [] : [link]),
      ...head,
      ...shown.map((one) => textOf(one)),
    ].join("\n\n"),
    html: [
      `<div style="font-family: ${family.join(", ")}; background: ${look.surface}; color: ${look.text}; padding: 16px">`,
      // The number is for programs that ignore the style.
      hasPicture
        ? `<p><img src="cid:${pictureId}" width="600" alt="${escapeXml(title)}" style="width: 100%; max-width: 1200px; height: auto"></p>`
        : "",
      `<h2>${escapeXml(title)}</h2>`,
      `<p style="color: ${look.muted}">${escapeXml(freshness)}</p>`,
      link === undefined
        ? ""
        : `<p><a href="${escapeXml(link)}" style="color: ${look.accent}">Open the dashboard</a></p>`,
      ...head.map((line) => `<p>${escapeXml(line)}</p>`),
      ...shown.map((one) => htmlOf(one, look)),
      "</div>",
    ]
      .filter((line) => line !== "")
      .join("\n"),
  };
}

/** Adds the unsubscribe link at the end of a mail, and as a member for the header that mail programs read. */
export function withUnsubscribeLink<Content extends MailContent>(content: Content, link: string) {
  return {
    ...content,
    text: `${content.text}\n\nUnsubscribe: ${link}`,
    html: `${content.html}\n<p><a href="${escapeXml(link)}" style="color: #66707f">Unsubscribe</a></p>`,
    unsubscribeLink: link,
  };
}

function textOf(content: WidgetContent): string {
  if (content.kind === "text") {
    return linesOfText(content.text)
      .map(({ text }) => text)
      .join("\n");
  }
  if (content.kind === "tab") return content.title;
  if (content.kind === "error") return `${content.title}\n${content.message}`;
  if (content.kind !== "chart") return "";
  const { columns, rows, more } = shownRows(content.result);
  const lines = [columns, ...rows].map((cells) => cells.join("\t"));
  return [content.title, ...lines, more].filter((line) => line !== "").join("\n");
}

function htmlOf(content: WidgetContent, look: Look): string {
  if (content.kind === "text") {
    return linesOfText(content.text)
      .map(({ level, text }) =>
        level > 0 ? `<h3>${escapeXml(text)}</h3>` : `${escapeXml(text)}<br>`,
      )
      .join("");
  }
  if (content.kind === "tab") return `<h2>${escapeXml(content.title)}</h2>`;
  if (content.kind === "error") {
    return `<h3>${escapeXml(content.title)}</h3><p style="color: ${look.danger}">${escapeXml(content.message)}</p>`;
  }
  if (content.kind !== "chart") return "";
  const { columns, rows, more } = shownRows(content.result);
  const { addresses = {} } = content.result;
  // Mail programs keep styles of elements, and little else.
  const row = (cells: readonly string[], tag: "td" | "th", index = -1) =>
    `<tr>${cells
      .map((cell, at) => {
        const { type, name = "" } = content.result.columns[at] ?? {};
        const isNumber = type === "number";
        const page = pageAddress(addresses[name]?.[index] ?? "");
        const text = escapeXml(cell);
        const shown =
          page === undefined
            ? text
            : `<a href="${escapeXml(page)}" style="color: ${look.accent}">${text}</a>`;
        const style = `padding: 4px 12px; border-bottom: 1px solid ${look.border}; text-align: ${isNumber ? "right" : "left"}`;
        return `<${tag} style="${style}">${shown}</${tag}>`;
      })
      .join("")}</tr>`;
  const body = rows.map((cells, index) => row(cells, "td", index)).join("");
  return `<h3>${escapeXml(content.title)}</h3><table style="border-collapse: collapse; color: ${look.text}">${row(columns, "th")}${body}</table><p>${escapeXml(more)}</p>`;
}

/** Returns the first rows as text, and the number of the remaining rows. */
function shownRows({ columns, rows, isCut }: ResultTable) {
  const shown = rows.slice(0, limits.mailRows);
  const left = rows.length - shown.length;
  return {
    columns: columns.map(({ title }) => title),
    rows: shown.map((row) =>
      columns.map((column, at) => formatValue(row[at], column, { locale: pictureLocale })),
    ),
    more: moreText({ rows: left }, isCut),
  };
}
