// Formats a report as one HTML file for a browser, such as an artifact of CI. It loads nothing, and all but its search works
// without scripts.
import { createHash } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
import { escapeHtml } from "../../core/text/escape-html.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import type { Change } from "../model/index.ts";
import { headline } from "./headline.ts";
import { anchorOf, graphSvg } from "./html-graph.ts";
import { pageScript, pageStyle } from "./html-page.ts";
import { type Report, stackOf } from "./report.ts";
import { type Block, type Section, sectionsOf, titleOf } from "./sections.ts";
import { ansiInks } from "./style.ts";

/** A part of the page: the start of the ids of its elements, and how many changes and messages there is room for. */
interface Part {
  readonly id: string;
  readonly page: { room: number };
}

/** Returns a page with at most {@link limits.htmlBlocks} changes and messages. All text of a report is escaped. */
export function htmlText(...reports: readonly [Report, ...Report[]]): string {
  const page = { room: limits.htmlBlocks };
  const [first, ...others] = reports;
  const isOne = others.length === 0;
  const titles = reports.map(htmlTitle);
  const title = isOne ? htmlTitle(first) : `${titles.length} stacks`;
  const parts = reports.map((report, index) => ({
    summary: summaryOf(report),
    content: contentOf(report, { id: isOne ? "" : `${index}.`, page }),
  }));
  const summary = isOne ? `${parts[0]?.summary}\n` : "";
  const content = isOne
    ? parts[0]?.content
    : parts
        .map((part, index) => `<h2>${titles[index]}</h2>\n${part.summary}\n${part.content}`)
        .join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${summary}<input type="search" id="search" hidden placeholder="Search" aria-label="Search changes and messages">
<p id="matches" role="status"></p>
</header>
<main>
${content}
</main>
<script>${pageScript}</script>
</body>
</html>
`;
}

function htmlTitle(report: Report): string {
  const stack = stackOf(report);
  const title = stack === undefined ? titleOf(report) : `${titleOf(report)} ${stack}`;
  return escapeHtml(escapeInvisible(title));
}

function contentOf(report: Report, part: Part): string {
  const sections = sectionsOf(report, { color: true, width: 160, verbose: true });
  const changes = sections.flatMap(({ blocks }) => blocks.flatMap(({ change }) => change ?? []));
  return `${graphSection(changes, part)}${sectionTexts(sections, changes, part)}`;
}

/** Permits the style and the script of the page, and nothing else. */
const policy = `default-src 'none'; style-src '${hashOf(pageStyle)}'; script-src '${hashOf(pageScript)}'`;

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function summaryOf(report: Report): string {
  const paragraph = (text: string): string => `<p>${escapeHtml(escapeInvisible(text))}</p>`;
  const main = `<p class="headline">${escapeHtml(headline(report))}</p>`;
  if (report.type === "failure")
    return [main, ...(report.remedy === undefined ? [] : [paragraph(report.remedy)])].join("\n");
  if (report.type === "manifests") return main;
  const plan = report.type === "apply" ? report.applied.plan : report.plan;
  const advice = report.type === "plan" ? keepAdvice(plan) : undefined;
  const texts = [`On ${plan.basis.origin}.`, ...(advice === undefined ? [] : [advice])];
  return [main, ...texts.map(paragraph)].join("\n");
}

function graphSection(changes: readonly Change[], { id }: Part): string {
  const graph = graphSvg(changes, id);
  return graph === undefined
    ? ""
    : `<details class="section"><summary>dependencies of the changes</summary>\n${graph}\n</details>\n`;
}

function sectionTexts(
  sections: readonly Section[],
  changes: readonly Change[],
  { id, page }: Part,
): string {
  const links = linksBetween(changes);
  const texts = sections
    .filter(({ blocks }) => blocks.length > 0)
    .map(({ title, open, blocks }) => {
      const shown = blocks.slice(0, page.room);
      page.room -= shown.length;
      const left = blocks.length - shown.length;
      const note =
        left === 0
          ? ""
          : `<p>${left} more not shown. The text and JSON reports are complete.</p>\n`;
      const body = shown.map((block) => blockText(block, links, id)).join("\n");
      return `<details class="section"${open ? " open" : ""}><summary>${escapeHtml(title)}</summary>\n${body}\n${note}</details>`;
    });
  return texts.join("\n");
}

/** The changes that a change needs, and those that need it. */
interface Links {
  readonly needs: readonly string[];
  readonly neededBy: readonly string[];
}

function linksBetween(changes: readonly Change[]): ReadonlyMap<string, Links> {
  const shown = new Set(changes.map(({ address }) => address));
  const pairs = changes.flatMap(({ address, dependsOn }) =>
    dependsOn.filter((needed) => shown.has(needed)).map((needed) => ({ address, needed })),
  );
  const needs = Map.groupBy(pairs, ({ address }) => address);
  const neededBy = Map.groupBy(pairs, ({ needed }) => needed);
  return new Map(
    [...shown].map((address) => [
      address,
      {
        needs: (needs.get(address) ?? []).map(({ needed }) => needed),
        neededBy: (neededBy.get(address) ?? []).map((pair) => pair.address),
      },
    ]),
  );
}

function blockText(
  { lines, change }: Block,
  links: ReadonlyMap<string, Links>,
  part: string,
): string {
  const text = `<pre>${lines.map(coloredLine).join("\n")}</pre>`;
  if (change === undefined) return `<div class="block">${text}</div>`;
  const { needs = [], neededBy = [] } = links.get(change.address) ?? {};
  const related = [...linkList("needs", needs, part), ...linkList("needed by", neededBy, part)];
  const more = related.length === 0 ? "" : `<p class="links">${related.join("; ")}</p>`;
  return `<article class="block" id="${anchorOf(change.address, part)}">${text}${more}</article>`;
}

function linkList(label: string, addresses: readonly string[], part: string): readonly string[] {
  if (addresses.length === 0) return [];
  const shown = addresses.slice(0, limits.diagnosticsShown);
  const left = addresses.length - shown.length;
  const texts = shown.map(
    (address) =>
      `<a href="#${anchorOf(address, part)}">${escapeHtml(escapeInvisible(address))}</a>`,
  );
  return [`${label} ${texts.join(", ")}${left === 0 ? "" : ` and ${pluralize(left, "other")}`}`];
}

/** Returns a line with elements in place of the colors of terminals, which no text of a report contains. */
function coloredLine(line: string): string {
  return escapeHtml(line).replace(/\p{Cc}\[(\d+)m/gu, (_, code: string) => {
    const ink = ansiInks.get(Number(code));
    return ink === undefined ? "</span>" : `<span class="${ink}">`;
  });
}
