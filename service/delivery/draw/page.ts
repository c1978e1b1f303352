// Lays a dashboard out by the positions of its widgets, and draws it as one picture or as pages.
import {
  type ChartModel,
  type ChartSpace,
  describeChart,
  fitText,
  type Look,
  noteText,
  pixelsOf,
  readChartConfig,
  type ResultTable,
  textWidth,
  type WidgetStyle,
  wrapText,
} from "../../../charts/index.ts";
import { gridColumns, gridGap, gridRow } from "../../../charts/layout/grid.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Picture, WidgetContent } from "./picture-input.ts";
import {
  drawControl,
  drawError,
  drawNumbers,
  drawTab,
  drawTable,
  drawText,
  type TitleLook,
} from "./blocks.ts";
import { drawChart } from "./chart.ts";
import { drawContainers, frameOf, paddedBox } from "./frames.ts";
import { paginate } from "./paginate.ts";
import { sheetMargin as margin, sheetWidth as pageWidth } from "./sheet.ts";
import { type Box, drawFrame, fontFamily, pictureLocale, round, textLine } from "./svg.ts";

/** A drawing of a size in points. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** A place that opens an address. */
  readonly link?: { readonly box: Box; readonly address: string };
}

const gap = gridGap;
const footerHeight = 28;
const footerWidth = 1000;
/** Height of a line of the title. */
const titleHeight = 32;
/** Height of the title that each page but the first repeats. */
const runningHeight = 32;

/** Returns a dashboard as one drawing. */
export function drawPicture(picture: Picture): Drawing {
  const blocks = layout(picture, limits.drawHeight);
  const top = headerHeight(picture);
  const bottom = blocks.reduce((most, { box }) => Math.max(most, top + box.y + box.height), top);
  const height = bottom + footerHeight + margin;
  return drawing(picture, height, [
    header(picture),
    drawBlocks(blocks, top, picture),
    footer(picture, height),
  ]);
}

/**
 * Returns a dashboard as the pages of a document. No widget is divided: one that is higher than a page becomes as high
 * as the page, and says what it leaves out.
 */
export function drawPages(picture: Picture): readonly Drawing[] {
  const { height, pages } = paginate(layout(picture, Infinity), {
    width: pageWidth,
    // The footer takes the margin at the bottom.
    firstRoom: (page) => page - headerHeight(picture) - footerHeight - gap,
    room: (page) => page - margin - runningHeight - footerHeight - gap,
    gap,
  });
  const { link: address } = picture;
  const box = {
    x: margin,
    y: height - footerHeight - 20,
    width: footerWidth,
    height: footerHeight,
  };
  const link = address === undefined ? {} : { link: { box, address } };
  return pages.map((blocks, at) => {
    const top = at === 0 ? headerHeight(picture) : margin + runningHeight;
    const drawn = drawing(picture, height, [
      at === 0 ? header(picture) : runningTitle(picture),
      drawBlocks(blocks, top, picture),
      footer(picture, height, pages.length > 1 ? `${at + 1} of ${pages.length}` : ""),
    ]);
    return { ...drawn, ...link };
  });
}

function drawing({ look }: Picture, height: number, parts: readonly string[]): Drawing {
  const size = `width="${pageWidth}" height="${round(height)}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${pageWidth} ${round(height)}"><rect ${size} fill="${look.surface}"/>${parts.join("")}</svg>`;
  return { svg, width: pageWidth, height };
}

interface Block {
  readonly content: WidgetContent;
  readonly box: Box;
  readonly style: WidgetStyle;
  /** The containers around it, the outermost first. */
  readonly inside: readonly string[];
  /** Whether it is the title of what follows. */
  readonly leads: boolean;
}

/** Draws blocks below a top, on the frames of their containers. */
function drawBlocks(blocks: readonly Block[], top: number, { look, frames = {} }: Picture): string {
  const placed = blocks.map((block) => ({ ...block, box: { ...block.box, y: top + block.box.y } }));
  const drawn = placed.map((block) => drawBlock(block, look));
  return drawContainers(placed, frames, look) + drawn.join("");
}

/** Places widgets from 0 downwards, within a height. */
function layout({ widgets }: Picture, height: number): readonly Block[] {
  const columns = widgets.reduce((most, { x, w }) => Math.max(most, x + w), gridColumns);
  const total = widgets.reduce((most, { y, h }) => Math.max(most, y + h), 1);
  const unit = Math.min(gridRow, height / total);
  const width = (pageWidth - 2 * margin + gap) / columns;
  return widgets.map(({ x, y, w, h, content, style = {}, inside = [] }) => ({
    content,
    style,
    inside,
    leads: content.kind === "tab",
    box: {
      x: margin + x * width,
      y: y * unit,
      width: Math.max(1, w * width - gap),
      height: Math.max(1, h * unit - gap),
    },
  }));
}

function descriptionLines({ description }: Picture): readonly string[] {
  const width = pageWidth - 2 * margin;
  const lines = description === "" ? [] : wrapText(description, 14, width);
  const rest = lines.slice(3).join(" ");
  return [...lines.slice(0, 3), ...(rest === "" ? [] : [fitText(rest, 14, width)])];
}

/** Returns the title in at most two lines, the first beside the name of the account. */
function titleLines(picture: Picture): readonly string[] {
  const name = accountName(picture);
  const room = pageWidth - 2 * margin - (name === "" ? 0 : textWidth(name, 14) + gap);
  const [first = "", ...more] = wrapText(picture.title || "Dashboard", 26, room);
  return more.length === 0 ? [first] : [first, fitText(more.join(" "), 26, room)];
}

function accountName({ account = "" }: Picture): string {
  return fitText(account, 14, 400);
}

function controlLine({ controls }: Picture): string {
  return fitText(controls.join("   ·   "), 13, pageWidth - 2 * margin);
}

function headerHeight(picture: Picture): number {
  const controls = picture.controls.length > 0 ? 24 : 0;
  const title = titleLines(picture).length * titleHeight;
  return margin + 8 + title + descriptionLines(picture).length * 20 + controls + 12;
}

function header(picture: Picture): string {
  const { look } = picture;
  const name = accountName(picture);
  const titles = titleLines(picture);
  const title = titles.map((line, at) =>
    textLine(line, [margin, margin + 24 + at * titleHeight], {
      size: 26,
      isBold: true,
      color: look.text,
    }),
  );
  const below = margin + 20 + titles.length * titleHeight;
  const lines = descriptionLines(picture);
  const texts = lines.map((line, at) =>
    textLine(line, [margin, below + at * 20], { size: 14, color: look.muted }),
  );
  const controls = controlLine(picture);
  const y = below + 2 + lines.length * 20;
  const right = { size: 14, color: look.muted, anchor: "end" } as const;
  return [
    ...title,
    name === "" ? "" : textLine(name, [pageWidth - margin, margin + 24], right),
    ...texts,
    controls === ""
      ? ""
      : textLine(controls, [margin, y], { size: 13, isBold: true, color: look.text }),
  ].join("");
}

/** Returns the title above each page but the first. */
function runningTitle({ title, look }: Picture): string {
  const style = { size: 13, color: look.muted };
  return textLine(
    fitText(title || "Dashboard", 13, pageWidth - 2 * margin),
    [margin, margin + 12],
    style,
  );
}

/** Returns the freshness and the address of the dashboard, in two lines if they need them, and the number of the page. */
function footer({ footer: text, link, look }: Picture, height: number, page = ""): string {
  const style = { size: 12, color: look.muted };
  const y = height - 20;
  const [first = "", ...more] = wrapText(
    `${text}${link === undefined ? "" : ` · ${link}`}`,
    12,
    footerWidth,
  );
  const lines = more.length === 0 ? [first] : [first, fitText(more.join(" "), 12, footerWidth)];
  const left = lines.map((line, at) =>
    textLine(line, [margin, y - 15 * (lines.length - 1 - at)], style),
  );
  const right = textLine(page, [pageWidth - margin, y], { ...style, anchor: "end" });
  return left.join("") + (page === "" ? "" : right);
}

function drawBlock({ content, box, style }: Block, look: Look): string {
  const frame = drawFrame(box, frameOf(content.kind, style, look));
  return (
    frame + drawContent(content, paddedBox(box, style), { look, head: titleLook(style, look) })
  );
}

/** What the parts of a widget are drawn with. */
interface BlockLook {
  readonly look: Look;
  readonly head: TitleLook;
}

function titleLook(
  { titleColor, titleSize, titleWeight = "600" }: WidgetStyle,
  look: Look,
): TitleLook {
  return {
    color: titleColor ?? look.text,
    size: titleSize === undefined ? 15 : Math.min(60, Math.max(6, pixelsOf(titleSize))),
    isBold: titleWeight === "bold" || Number(titleWeight) >= 600,
  };
}

function drawContent(content: WidgetContent, box: Box, at: BlockLook): string {
  const { look } = at;
  switch (content.kind) {
    case "text":
      return drawText(content.text, { ...box, y: box.y + 8, height: box.height - 8 }, look);
    case "control":
      return drawControl(content, { ...box, x: box.x + 16, width: box.width - 32 }, look);
    case "divider": {
      const y = round(box.y + box.height / 2);
      return `<rect x="${round(box.x)}" y="${y}" width="${round(box.width)}" height="1" fill="${look.border}"/>`;
    }
    case "tab":
      return drawTab(content.title, box, look);
    case "error":
      return drawError(content, box, at);
    case "chart":
      return drawChartBlock(content, box, at);
  }
}

type ChartContent = Extract<WidgetContent, { kind: "chart" }>;

/** Height of the notes below a chart. */
const notesHeight = 16;

function drawChartBlock(
  { title, config, result, now }: ChartContent,
  box: Box,
  { look, head: { size, isBold, color } }: BlockLook,
): string {
  const top = title === "" ? 16 : Math.max(44, size + 29);
  const inner: Box = {
    x: box.x + 16,
    y: box.y + top,
    width: box.width - 32,
    height: box.height - top - (title === "" ? 16 : 14),
  };
  const head = textLine(fitText(title, size, inner.width), [inner.x, box.y + 12 + size], {
    size,
    isBold,
    color,
  });
  if (inner.width < 24 || inner.height < 16) return head;
  const { scheme, accent } = look;
  const spaceOf = ({ width, height }: Box): ChartSpace => {
    return { width, height, locale: pictureLocale, scheme, accent, fontFamily, now: () => now };
  };
  const read = readChartConfig({ ...config, title });
  const model = describeChart(result, read, spaceOf(inner));
  if (notesOf(model, result) === "") return head + drawModel(model, inner, look);
  // The notes take their place from the chart.
  const rest = { ...inner, height: Math.max(16, inner.height - notesHeight) };
  const beside = describeChart(result, read, spaceOf(rest));
  const line = textLine(
    fitText(notesOf(beside, result), 11, inner.width),
    [inner.x, box.y + box.height - 10],
    {
      size: 11,
      color: look.muted,
    },
  );
  return head + drawModel(beside, rest, look) + line;
}

/** Returns what a chart leaves out. Tables say it themselves, in their last line. */
function notesOf(model: ChartModel, { isCut, rows }: ResultTable): string {
  if (model.kind !== "echarts" && model.kind !== "number") return "";
  const texts = model.notes.map((one) => noteText(one));
  return [...(isCut ? [`First ${rows.length} rows`] : []), ...texts].join("   ·   ");
}

function drawModel(model: ChartModel, box: Box, look: Look): string {
  switch (model.kind) {
    case "echarts":
      return drawChart(model.option, box);
    case "table":
    case "pivot":
      return drawTable(model.table, box, look);
    case "number":
      return drawNumbers(model.numbers, box, look);
    case "html":
      return drawMessage("Shown on the dashboard", box, look);
    case "empty":
      return drawMessage("No data", box, look);
    case "refused":
      return drawMessage(model.reason, box, look);
  }
}

function drawMessage(text: string, box: Box, look: Look): string {
  const at = [box.x + box.width / 2, box.y + box.height / 2] as const;
  const style = { size: 13, color: look.muted, anchor: "middle" } as const;
  return textLine(fitText(text, 13, box.width), at, style);
}
