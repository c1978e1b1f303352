// Draws everything except charts: tables, numbers, texts, controls and errors.
import { limits } from "../../../core/limits/limits.ts";
import { formatValue, moreRowsText } from "./format-value.ts";
import { linesOfText } from "./widget-text.ts";
import type { ResultColumn, ResultTable } from "./picture-input.ts";
import { type Box, card, colors, fitText, round, textLine, textWidth, wrapText } from "./svg.ts";

const cellSize = 12;
const rowHeight = 24;

/** Draws as many rows of a table as fit, and the number of the remaining rows. */
export function drawTable({ columns, rows, isCut }: ResultTable, box: Box): string {
  const room = Math.max(0, Math.floor((box.height - rowHeight) / rowHeight));
  const isWhole = rows.length <= room && !isCut;
  const shown = rows.slice(0, isWhole ? rows.length : Math.max(0, room - 1));
  const texts = shown.map((row) => columns.map((column, index) => formatValue(row[index], column)));
  const widths = columnWidths(columns, texts, box.width);
  const parts = [
    `<rect x="${box.x}" y="${round(box.y + rowHeight)}" width="${round(box.width)}" height="1" fill="${colors.border}"/>`,
    tableRow(
      columns,
      columns.map(({ title }) => title),
      { box, y: box.y, widths, isHead: true },
    ),
    ...texts.map((cells, at) => {
      const y = box.y + rowHeight * (at + 1);
      const stripe = `<rect x="${box.x}" y="${round(y + 1)}" width="${round(box.width)}" height="${rowHeight}" fill="${colors.stripe}"/>`;
      const line = tableRow(columns, cells, { box, y, widths, isHead: false });
      return at % 2 === 1 ? stripe + line : line;
    }),
  ];
  if (!isWhole) {
    const more = moreRowsText(rows.length - shown.length, isCut);
    const y = box.y + rowHeight * (shown.length + 1) + 16;
    parts.push(textLine(more, [box.x + 8, y], { size: cellSize, color: colors.muted }));
  }
  return parts.join("");
}

interface RowPlace {
  readonly box: Box;
  readonly y: number;
  readonly widths: readonly number[];
  readonly isHead: boolean;
}

function tableRow(
  columns: readonly ResultColumn[],
  cells: readonly string[],
  { box, y, widths, isHead }: RowPlace,
): string {
  let x = box.x;
  return cells
    .map((cell, index) => {
      const width = widths[index] ?? 0;
      const isNumber = columns[index]?.type === "number";
      const at = isNumber ? x + width - 8 : x + 8;
      x += width;
      return textLine(fitText(cell, cellSize, width - 12), [at, y + 16], {
        size: cellSize,
        anchor: isNumber ? "end" : "start",
        isBold: isHead,
        color: isHead ? colors.muted : colors.text,
      });
    })
    .join("");
}

/** Divides the width among the columns by their longest texts. */
function columnWidths(
  columns: readonly ResultColumn[],
  texts: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const wanted = columns.map(({ title }, index) =>
    [title, ...texts.map((row) => row[index] ?? "")].reduce(
      (most, text) => Math.max(most, Math.min(280, textWidth(text, cellSize) + 24)),
      48,
    ),
  );
  const total = wanted.reduce((sum, one) => sum + one, 0);
  return wanted.map((one) => (one / total) * width);
}

/** Draws the measures of a single row as large numbers, side by side. */
export function drawNumbers({ columns, rows }: ResultTable, box: Box): string {
  const [row = []] = rows;
  const all = columns.map((column, index) => ({ column, value: row[index] }));
  const measures = all.filter(({ column }) => column.kind === "measure").slice(0, 6);
  const width = box.width / Math.max(1, measures.length);
  return measures
    .map(({ column, value }, index) => {
      const text = formatValue(value, column);
      const most = Math.min(44, Math.max(16, box.height * 0.45));
      const size = Math.min(most, (most * (width - 16)) / Math.max(1, textWidth(text, most)));
      const x = box.x + width * index;
      const middle = box.y + box.height / 2;
      const label = fitText(column.title, 13, width - 16);
      return (
        textLine(text, [x, middle + size * 0.25], { size: round(size), isBold: true }) +
        textLine(label, [x, middle + size * 0.25 + 22], { size: 13, color: colors.muted })
      );
    })
    .join("");
}

/** Draws a text. Lines that begin with `#` are headings. */
export function drawText(text: string, box: Box): string {
  const lines = linesOfText(text.slice(0, limits.drawCharacters)).flatMap((line) => {
    const isBold = line.level > 0;
    const size = isBold ? Math.max(15, 24 - 3 * line.level) : 14;
    return wrapText(line.text, size, box.width).map((part) => ({ part, size, isBold }));
  });
  // A short text of one line is a heading of what is below.
  const isHeading = lines.length === 1 && text.length <= 80;
  let y = box.y;
  const parts: string[] = [];
  for (const { part, size, isBold } of lines) {
    const own = isHeading ? 20 : size;
    if (y + own * 1.2 > box.y + box.height + 4 && parts.length > 0) break;
    parts.push(textLine(part, [box.x, y + own], { size: own, isBold: isBold || isHeading }));
    y += own * 1.45;
  }
  return parts.join("");
}

/** Draws the label of a control and its value. */
export function drawControl(label: string, value: string, box: Box): string {
  const y = box.y + box.height / 2;
  return (
    textLine(fitText(label, 12, box.width), [box.x, y - 3], { size: 12, color: colors.muted }) +
    textLine(fitText(value, 13, box.width), [box.x, y + 15], { size: 13, isBold: true })
  );
}

/** Draws the reason why a chart has no data. */
export function drawError(title: string, message: string, box: Box): string {
  const inner = { ...box, x: box.x + 16, width: box.width - 32 };
  const head = textLine(fitText(title || "A chart", 14, inner.width), [inner.x, box.y + 28], {
    size: 14,
    isBold: true,
  });
  const most = Math.max(1, Math.floor((box.height - 44) / 18));
  const lines = wrapText(message.slice(0, 1000), 13, inner.width).slice(0, most);
  const texts = lines.map((line, at) =>
    textLine(line, [inner.x, box.y + 52 + at * 18], { size: 13, color: colors.error }),
  );
  return card(box, { fill: colors.errorCard, border: colors.errorBorder }) + head + texts.join("");
}
