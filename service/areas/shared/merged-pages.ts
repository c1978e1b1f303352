// Merges several sorted lists into one. A position records how far each of them was read.
import { invalidCursor, type PageSource, parsePosition } from "../../store/keyset.ts";

/** A row, with the position of each source before the row was read. */
export interface MergedRow<Row> {
  readonly row: Row;
  readonly places: Places;
}

/** The position in each source; null before its first row. */
type Places = readonly (string | null)[];

/**
 * Merges sources whose rows are in the order of `compare`. A page reads at most its size from each source. Rows that
 * compare as equal keep the order of the sources.
 */
export function mergedSource<Row>(
  sources: readonly PageSource<Row>[],
  compare: (one: Row, other: Row) => number,
): PageSource<MergedRow<Row>> {
  return {
    async read({ after, offset = 0, count }) {
      const places = after === undefined ? sources.map(() => null) : placesAt(after, sources);
      const lists: (readonly Row[])[] = [];
      for (const [index, source] of sources.entries()) {
        const place = places[index] ?? null;
        const window = { ...(place === null ? {} : { after: place }), count: offset + count };
        lists.push(await source.read(window));
      }
      return merge({ sources, lists, places, most: offset + count }, compare).slice(offset);
    },
    async hasUpTo(position) {
      for (const [index, place] of placesAt(position, sources).entries()) {
        if (place !== null && ((await sources[index]?.hasUpTo(place)) ?? false)) return true;
      }
      return false;
    },
    async count() {
      let total = 0;
      for (const source of sources) total += await source.count();
      return total;
    },
    positionOf: ({ places }) => JSON.stringify(places),
  };
}

function placesAt(position: string, { length }: readonly unknown[]): Places {
  const places = parsePosition(position);
  const isPlace = (one: unknown) => one === null || typeof one === "string";
  if (Array.isArray(places) && places.length === length && places.every(isPlace)) {
    return places;
  }
  throw invalidCursor();
}

interface Lists<Row> {
  readonly sources: readonly PageSource<Row>[];
  readonly lists: readonly (readonly Row[])[];
  readonly places: Places;
  readonly most: number;
}

function merge<Row>(
  { sources, lists, places, most }: Lists<Row>,
  compare: (one: Row, other: Row) => number,
): MergedRow<Row>[] {
  const merged: MergedRow<Row>[] = [];
  const next = lists.map(() => 0);
  let current = places;
  while (merged.length < most) {
    let from: { readonly index: number; readonly row: Row } | undefined;
    for (const [index, list] of lists.entries()) {
      const row = list[next[index] ?? 0];
      if (row === undefined || (from !== undefined && compare(from.row, row) <= 0)) continue;
      from = { index, row };
    }
    if (from === undefined) break;
    const { index, row } = from;
    next[index] = (next[index] ?? 0) + 1;
    current = current.with(index, sources[index]?.positionOf(row) ?? null);
    merged.push({ row, places: current });
  }
  return merged;
}
