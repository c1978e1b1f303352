// Draws everything except charts: tables, numbers, texts, controls and errors.
import {
  colorAt,
  fitText,
  type HeadCell,
  type Look,
  type NumberModel,
  pageAddress,
  sparklinePoints,
  sparklineSize,
  type TableCell,
  type TableModel,
  type TableRow,
  textWidth,
  wrapText,
} from "../../../charts/index.ts";
import { limits } from "../../../core/limits/limits.ts";
import { moreText } from "./more-rows.ts";
import { linesOfText } from "./widget-text.ts";
import { type Box, escapeXml, round, textLine } from "./svg.ts";

const cellSize = 12;
const rowHeight = 24;
/** Height of what a table says that it leaves out. */
const noteHeight = 20;

/** Widths of columns: a text may be cut to the middle one where there is no room for the largest. */
const columnSizes = { least: 48, cut: 120, largest: 280 } as const;
/** Space beside the texts of cells. */
const cellPadding = 8;

/**
 * Draws as many rows and columns of a table as fit, and how many more there are. Totals are the last row. Texts may be
 * cut, numbers are not.
 */
export function drawTable(table: TableModel, box: Box, look: Look): string {
  const { head, rows, totals, isCut } = table;
  const last = totals === undefined ? [] : [totals];
  const most = Math.ceil(box.height / rowHeight);
  const widths = columnWidths(table.columns, [...rows.slice(0, most), ...last], box.width);
  const columns = table.columns.slice(0, widths.length);
  const hidden = table.columns.length - columns.length;
  const heads = head ?? [
    columns.map(({ title, align }) => ({ text: title, align, colSpan: 1, rowSpan: 1 })),
  ];
  const headHeight = heads.length * rowHeight;
  const roomFor = (height: number): number =>
    Math.max(0, Math.floor(height / rowHeight) - last.length);
  const isWhole = rows.length <= roomFor(box.height - headHeight) && !isCut && hidden === 0;
  const room = roomFor(box.height - headHeight - noteHeight);
  const shown = isWhole ? rows : rows.slice(0, room);
  const place = { box, widths, columns, look };
  const yOf = (row: number): number => box.y + headHeight + rowHeight * row;
  const parts = [
    drawHead(heads, place),
    `<rect x="${box.x}" y="${round(yOf(0))}" width="${round(box.width)}" height="1" fill="${look.border}"/>`,
    ...shown.map(({ cells }, at) => {
      const below = `<rect x="${box.x}" y="${round(yOf(at + 1))}" width="${round(box.width)}" height="1" fill="${colorAt([look.card, look.border], 0.55)}"/>`;
      return tableRow(cells, yOf(at), place) + below;
    }),
  ];
  if (totals !== undefined) {
    const bold = totals.cells.map((cell) => ({ ...cell, isBold: true }));
    parts.push(tableRow(bold, yOf(shown.length), place));
  }
  if (!isWhole) {
    const more = moreText({ rows: rows.length - shown.length, columns: hidden }, isCut);
    const y = yOf(shown.length + (totals === undefined ? 0 : 1)) + 16;
    const line = fitText(more, cellSize, box.width - 12);
    parts.push(textLine(line, [box.x + 8, y], { size: cellSize, color: look.muted }));
  }
  return parts.join("");
}

interface TablePlace {
  readonly box: Box;
  readonly widths: readonly number[];
  readonly columns: TableModel["columns"];
  readonly look: Look;
}

/** Draws the rows of a header. A cell may cover several columns and rows. */
function drawHead(
  heads: readonly (readonly HeadCell[])[],
  { box, widths, look }: TablePlace,
): string {
  const covered = heads.map(() => new Set<number>());
  return heads
    .map((cells, row) => {
      let column = 0;
      return cells
        .map(({ text, align, colSpan, rowSpan }) => {
          while (covered[row]?.has(column) === true) column++;
          const first = column;
          column += colSpan;
          for (let below = row + 1; below < row + rowSpan; below++) {
            for (let at = first; at < column; at++) covered[below]?.add(at);
          }
          if (first >= widths.length) return "";
          const x = box.x + sumOf(widths.slice(0, first));
          const width = sumOf(widths.slice(first, column));
          const style = { size: cellSize, isBold: true, color: look.muted };
          const y = box.y + rowHeight * (row + rowSpan - 1) + 16;
          return alignedText(text, { x, width, y, align }, style);
        })
        .join("");
    })
    .join("");
}

function tableRow(
  cells: readonly TableCell[],
  y: number,
  { box, widths, columns, look }: TablePlace,
): string {
  let x = box.x;
  return cells
    .slice(0, columns.length)
    .map(({ text, color, background, bar = 0, isBold = false, rowSpan, links = [] }, index) => {
      const width = widths[index] ?? 0;
      const left = x;
      x += width;
      if (rowSpan === 0) return "";
      const filled = (part: number, fillColor: string): string =>
        `<rect x="${round(left)}" y="${round(y + 1)}" width="${round(width * part)}" height="${rowHeight}" fill="${escapeXml(fillColor)}"/>`;
      const fill =
        (background === undefined ? "" : filled(1, background)) +
        (bar === 0 ? "" : filled(bar, colorAt([look.card, look.accent], 0.25)));
      const align = columns[index]?.align ?? "left";
      const style = { size: cellSize, isBold, color: color ?? look.text };
      const line = alignedText(text, { x: left, width, y: y + 16, align }, style);
      const href = links.map((link) => pageAddress(link.href)).find((page) => page !== undefined);
      if (href === undefined) return fill + line;
      // The rectangle is what a reader of a PDF clicks; nothing of it is visible.
      const area = `<rect x="${round(left)}" y="${round(y)}" width="${round(width)}" height="${rowHeight}" fill="none"/>`;
      return `${fill}<a href="${escapeXml(href)}" fill="${escapeXml(color ?? look.accent)}">${area}${line}</a>`;
    })
    .join("");
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly align: "left" | "right" | "center";
}

function alignedText(
  text: string,
  { x, y, width, align }: TextPlace,
  style: { readonly size: number; readonly isBold: boolean; readonly color: string },
): string {
  const at = { left: x + cellPadding, right: x + width - cellPadding, center: x + width / 2 }[
    align
  ];
  const anchor = ({ left: "start", right: "end", center: "middle" } as const)[align];
  return textLine(fitText(text, cellSize, width - 2 * cellPadding), [at, y], { ...style, anchor });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** Returns the widths of the columns that have room: each has at least that of its numbers, and a share of the rest. */
function columnWidths(
  columns: TableModel["columns"],
  rows: readonly TableRow[],
  width: number,
): readonly number[] {
  const { least, cut, largest } = columnSizes;
  const sizes = columns.map(({ title, align }, index) => {
    const widest = (texts: readonly string[]): number =>
      texts.reduce((most, text) => Math.max(most, textWidth(text, cellSize)), 0) + 2 * cellPadding;
    const values = widest(rows.map(({ cells }) => cells[index]?.text ?? ""));
    const whole = Math.max(values, widest([title]));
    const needed = Math.max(least, Math.min(whole, cut));
    return align === "right"
      ? { needed: Math.max(needed, values), wanted: whole }
      : { needed: Math.min(needed, width), wanted: Math.min(whole, largest) };
  });
  let rest = width;
  const end = sizes.findIndex(({ needed }) => (rest -= needed) < -0.01);
  const shown = end < 0 ? sizes : sizes.slice(0, end);
  const free = width - sumOf(shown.map(({ needed }) => needed));
  const more = shown.map(({ needed, wanted }) => Math.max(0, wanted - needed));
  const lacking = sumOf(more);
  const given = Math.min(free, lacking);
  return shown.map(
    ({ needed }, at) =>
      needed +
      (lacking === 0 ? 0 : ((more[at] ?? 0) / lacking) * given) +
      (free - given) / shown.length,
  );
}

/** Draws large numbers in their places, each with its label, what it is compared with and its course. */
export function drawNumbers(numbers: readonly NumberModel[], { x, y }: Box, look: Look): string {
  return numbers
    .map(({ text, unit = "", size, label, hasLabel, box, comparison, sparkline: values }) => {
      const lines = [
        ...(hasLabel ? [label] : []),
        ...(comparison
          ? [`${arrows[comparison.direction]} ${comparison.text} vs. ${comparison.with}`]
          : []),
      ];
      const textHeight = size * 1.2 + lines.length * numberLine;
      const hasCourse = values.length > 1;
      const height = textHeight + (hasCourse ? sparklineSize.height + 4 : 0);
      const left = x + box.x;
      const top = y + box.y + (box.height - height) / 2;
      const muted = { size: 12, color: look.muted };
      const below = lines.map((line, at) => {
        const baseline = top + size * 1.2 + numberLine * at + 13;
        return textLine(fitText(line, 12, box.width), [left, baseline], muted);
      });
      const number = { size: round(size), isBold: true, color: look.text };
      const course = hasCourse
        ? `<polyline transform="translate(${round(left)} ${round(top + textHeight + 4)})" points="${sparklinePoints(values, sparklineSize)}" fill="none" stroke="${look.accent}" stroke-width="2"/>`
        : "";
      return textLine(`${text}${unit}`, [left, top + size], number) + below.join("") + course;
    })
    .join("");
}

const arrows = { up: "▲", down: "▼", same: "=" } as const;

/** Height of a line below a number. */
const numberLine = 18;

/** Draws a text in Markdown. */
export function drawText(text: string, box: Box, look: Look): string {
  const lines = linesOfText(text.slice(0, limits.drawCharacters)).flatMap((line) => {
    const isBold = line.level > 0;
    const size = isBold ? Math.max(15, 24 - 3 * line.level) : 14;
    return wrapText(line.text, size, box.width).map((part) => ({ part, size, isBold }));
  });
  // A short text of one line is a heading of what is below.
  const isHeading = lines.length === 1 && text.length <= 80;
  const sized = lines.map((line) => (isHeading ? { ...line, size: 20, isBold: true } : line));
  const bottom = box.y + box.height;
  let y = box.y;
  const places = sized.map((line) => {
    const at = y;
    y += line.size * 1.45;
    return { ...line, y: at, end: at + line.size * 1.2 };
  });
  const fits = places.filter(({ end }, at) => at === 0 || end <= bottom + 4);
  const isWhole = fits.length === places.length && text.length <= limits.drawCharacters;
  // The note takes the place of lines, except of the first one.
  const shown = isWhole ? fits : fits.filter(({ end }, at) => at === 0 || end <= bottom - 16);
  const parts = shown.map(({ part, size, isBold, y: at }) =>
    textLine(part, [box.x, at + size], { size, isBold, color: look.text }),
  );
  const note = fitText("More text on the dashboard", 12, box.width);
  const style = { size: 12, color: look.muted };
  return parts.join("") + (isWhole ? "" : textLine(note, [box.x, bottom], style));
}

/** Draws the label of a control and its value. */
export function drawControl(
  { label, value }: { readonly label: string; readonly value: string },
  box: Box,
  look: Look,
): string {
  const y = box.y + box.height / 2;
  return (
    textLine(fitText(label, 12, box.width), [box.x, y - 3], { size: 12, color: look.muted }) +
    textLine(fitText(value, 13, box.width), [box.x, y + 15], {
      size: 13,
      isBold: true,
      color: look.text,
    })
  );
}

/** The look of the title of a chart. */
export interface TitleLook {
  readonly size: number;
  readonly isBold: boolean;
  readonly color: string;
}

/** Draws the title of a tab, with a line below it. */
export function drawTab(title: string, { x, y, width, height }: Box, look: Look): string {
  const style = { size: 15, isBold: true, color: look.text };
  const text = fitText(title, 15, width);
  const line = `y="${round(y + height - 2)}" height="2" fill="${look.accent}"`;
  return (
    textLine(text, [x, y + height - 10], style) +
    `<rect x="${round(x)}" width="${round(Math.min(width, textWidth(text, 15)))}" ${line}/>`
  );
}

/** Draws the reason why a chart has no data. */
export function drawError(
  { title, message }: { readonly title: string; readonly message: string },
  box: Box,
  { look, head: style }: { readonly look: Look; readonly head: TitleLook },
): string {
  const inner = { ...box, x: box.x + 16, width: box.width - 32 };
  const shown = fitText(title || "A chart", style.size, inner.width);
  const head = textLine(shown, [inner.x, box.y + 28], style);
  const most = Math.max(1, Math.floor((box.height - 44) / 18));
  const wrapped = wrapText(message.slice(0, 1000), 13, inner.width);
  const rest = wrapped.slice(most - 1).join(" ");
  const lines = [...wrapped.slice(0, most - 1), fitText(rest, 13, inner.width)];
  const texts = lines.map((line, at) =>
    textLine(line, [inner.x, box.y + 52 + at * 18], { size: 13, color: look.danger }),
  );
  return head + texts.join("");
}
