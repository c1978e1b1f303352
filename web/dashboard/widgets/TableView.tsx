// A table: sticky header, totals last, rows drawn as they come into view.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import {
  type CellLink,
  compareCells,
  type LinkedValues,
  type TableCell,
  type TableColumn,
  type TableModel,
  type TableRow,
} from "../../../charts/index.ts";
import { t } from "../../ui/i18n/text.ts";
import { windowOf } from "./table-window.ts";

const rowHeight = 32;
/** Tables with fewer rows are drawn whole. */
const virtualFrom = 200;

/** A table, and what its cells open. */
export interface TableProps {
  readonly table: TableModel;
  readonly caption: string;
  /** Shows the rows behind a row of the result. */
  readonly onRow?: (row: number) => void;
  /** Shows the links of a value. */
  readonly onLinks?: (linked: LinkedValues, text: string) => void;
}

interface Sorting {
  readonly column: number;
  readonly isDescending: boolean;
}

/** Shows a table. A click on a title sorts by its column. */
export function TableView({ table, caption, onRow, onLinks }: TableProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const [sorting, setSorting] = useState<Sorting | undefined>(undefined);
  const rows = useMemo(() => sortedRows(table.rows, sorting), [table, sorting]);
  const { from, to } = useShownRows(scroll, rows.length);
  const isPivot = table.head !== undefined;
  const drilled = table.columns.findIndex(({ isMeasure }) => isMeasure === true);
  const cellsOf = (row: TableRow) =>
    row.cells.map((cell, index) => (
      <Cell
        key={index}
        cell={cell}
        column={table.columns[index]}
        isHead={index < (table.headColumns ?? 0)}
        {...(index === drilled &&
          onRow !== undefined &&
          row.row !== undefined && { onDrill: () => onRow(row.row ?? 0) })}
        {...(onLinks !== undefined && { onLinks })}
      />
    ));
  const headHeight = (table.head?.length ?? 1) * rowHeight;
  return (
    <div ref={scroll} class="table-scroll" tabIndex={0}>
      <table
        class="table"
        aria-rowcount={rows.length + 1}
        style={{ "--head-height": `${headHeight}px` }}
      >
        <caption class="visually-hidden">
          {caption} {t("table.rows", { count: rows.length })}
        </caption>
        <thead>
          {isPivot
            ? table.head.map((cells, index) => (
                <tr key={index}>
                  {cells.map(({ text, colSpan, rowSpan, align }, at) => (
                    <th key={at} scope="col" class={alignClass(align)} {...{ colSpan, rowSpan }}>
                      {text}
                    </th>
                  ))}
                </tr>
              ))
            : headRow(table.columns, { sorting, setSorting })}
        </thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: `${from * rowHeight}px` }} />}
          {windowOf(rows, from, to).map((row, index) => (
            <tr key={row.row ?? from + index} aria-rowindex={from + index + 2}>
              {cellsOf(row)}
            </tr>
          ))}
          {to < rows.length && (
            <tr aria-hidden="true" style={{ height: `${(rows.length - to) * rowHeight}px` }} />
          )}
        </tbody>
        {table.totals !== undefined && (
          <tfoot>
            <tr class="total">{cellsOf(table.totals)}</tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function headRow(
  columns: readonly TableColumn[],
  {
    sorting,
    setSorting,
  }: {
    readonly sorting: Sorting | undefined;
    readonly setSorting: (next: Sorting) => void;
  },
) {
  return (
    <tr>
      {columns.map(({ title, align, sorted }, column) => {
        const isOwn = sorting?.column === column;
        const isDescending = isOwn ? sorting.isDescending : sorted === "desc";
        const isSorted = isOwn || (sorting === undefined && sorted !== undefined);
        return (
          <th
            key={title}
            scope="col"
            class={alignClass(align)}
            aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
          >
            <button
              type="button"
              title={t("table.column", { column: title })}
              onClick={() => setSorting({ column, isDescending: isSorted && !isDescending })}
            >
              {title}
              <span aria-hidden="true">{isSorted ? (isDescending ? " ↓" : " ↑") : ""}</span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

function alignClass(align: TableColumn["align"]): string {
  return { left: "", right: "end", center: "center" }[align];
}

function Cell({
  cell,
  column,
  isHead,
  onDrill,
  onLinks,
}: {
  readonly cell: TableCell;
  readonly column: TableColumn | undefined;
  readonly isHead: boolean;
  /** Shows the rows behind the cell. */
  readonly onDrill?: () => void;
  readonly onLinks?: TableProps["onLinks"];
}) {
  const { text, links = [], linkedTo, image, color, background, isBold, bar, rowSpan } = cell;
  if (rowSpan === 0) return null;
  const hasMenu = onLinks !== undefined && linkedTo !== undefined;
  const Tag = isHead ? "th" : "td";
  const style = {
    ...(color !== undefined && { color }),
    ...(background !== undefined && { background }),
    ...(isBold === true && { fontWeight: "600" }),
    ...(bar !== undefined && {
      background: `linear-gradient(90deg, color-mix(in srgb, var(--accent) 25%, transparent) ${bar * 100}%, transparent 0)`,
    }),
  };
  return (
    <Tag
      class={`${alignClass(column?.align ?? "left")} ${column?.isWrapped === true ? "wrap" : ""}`}
      style={style}
      title={text}
      rowSpan={rowSpan}
      scope={isHead ? "row" : undefined}
    >
      {image !== undefined ? (
        <img class="cell-image" src={image} alt={text} />
      ) : hasMenu && links.length === 0 ? (
        <button
          type="button"
          class={isHead ? "row-name" : ""}
          aria-haspopup="dialog"
          title={t("links.of", { value: text })}
          onClick={() => onLinks(linkedTo, text)}
        >
          {text}
        </button>
      ) : onDrill !== undefined && links.length === 0 ? (
        <button type="button" title={t("drill.into", { value: text })} onClick={onDrill}>
          {text}
        </button>
      ) : (
        <span class={isHead ? "row-name" : ""}>{content(text, links)}</span>
      )}
    </Tag>
  );
}

function content(text: string, [link]: readonly CellLink[]) {
  if (link === undefined) return text;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {link.label}
    </a>
  );
}

/** Returns the rows in the order of a column. */
function sortedRows(rows: readonly TableRow[], sorting: Sorting | undefined): readonly TableRow[] {
  if (sorting === undefined) return rows;
  const { column, isDescending } = sorting;
  const valueOf = (row: TableRow) => row.cells[column]?.value ?? null;
  const isNumeric = rows.every((row) => {
    const value = valueOf(row);
    return value === null || (value !== "" && Number.isFinite(Number(value)));
  });
  return rows.toSorted((a, b) =>
    compareCells([valueOf(a), valueOf(b)], { isNumeric, isDescending }),
  );
}

/** Returns which rows to draw: all of a short table, otherwise those in view and some around them. */
function useShownRows(
  scroll: { readonly current: HTMLDivElement | null },
  count: number,
): { readonly from: number; readonly to: number } {
  const [, redraw] = useReducer<number, void>((version) => version + 1, 0);
  const isVirtual = count >= virtualFrom;
  const options = {
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(),
  };
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  virtualizer.current ??= new Virtualizer(options);
  virtualizer.current.setOptions(options);
  useEffect(() => {
    if (!isVirtual) return undefined;
    const stop = virtualizer.current?._didMount();
    virtualizer.current?._willUpdate();
    redraw();
    return stop;
  }, [isVirtual]);
  if (!isVirtual) return { from: 0, to: count };
  const items = virtualizer.current.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  if (first === undefined || last === undefined) return { from: 0, to: Math.min(count, 40) };
  return { from: first.index, to: last.index + 1 };
}
