// Divides the widgets of a dashboard into pages of a document, upright or across. Pure.
import type { Box } from "./svg.ts";

/** Something with a place. */
interface Placed {
  readonly box: Box;
  /** Whether it is the title of what follows, and stays with it. */
  readonly leads?: boolean;
}

/** The room for widgets on pages. */
export interface PageRoom {
  readonly width: number;
  /** Returns the room on the first page, by the height of a page. */
  readonly firstRoom: (height: number) => number;
  /** Returns the room on each further page. */
  readonly room: (height: number) => number;
  /** The space between widgets. */
  readonly gap: number;
}

/** The pages, each with what is on it. Places are below the top of the room of the page. */
export interface Pages<Item extends Placed> {
  readonly height: number;
  readonly pages: readonly (readonly Item[])[];
}

/** The most by which the widgets of a page are made higher to fill it. */
const mostStretch = 1.6;

/** Returns the pages, across or upright: whichever leaves less paper blank and makes less lower to fit. */
export function paginate<Item extends Placed>(items: readonly Item[], at: PageRoom): Pages<Item> {
  const sorted = items.toSorted((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
  const [across, upright] = [at.width / Math.SQRT2, at.width * Math.SQRT2].map((height) => {
    const roomOf = (page: number) => (page === 0 ? at.firstRoom : at.room)(height);
    const parts = divide(sorted, roomOf);
    const waste = parts.reduce((sum, part, page) => sum + wasteOf(part, roomOf(page)), 0);
    const pages = parts.map((part, page) => fill(part, roomOf(page), at.gap));
    return { height: Math.round(height), waste, pages };
  });
  return across && upright && across.waste <= upright.waste
    ? across
    : (upright ?? { height: 0, pages: [] });
}

/** Returns the share of a page that is blank, or by which its widget is too high. */
function wasteOf(items: readonly Placed[], room: number): number {
  return Math.abs(1 - heightOf(items) / room);
}

function heightOf(items: readonly Placed[]): number {
  const top = Math.min(...items.map(({ box }) => box.y));
  return items.reduce((most, { box }) => Math.max(most, box.y + box.height - top), 0);
}

/**
 * Divides widgets, sorted by their places, where the pages are evenly full and no widget leaves one that is beside it.
 * A page has more than fits only if it is a single widget, with its title.
 */
function divide<Item extends Placed>(
  sorted: readonly Item[],
  roomOf: (page: number) => number,
): readonly (readonly Item[])[] {
  interface Plan {
    readonly cost: number;
    readonly pages: readonly (readonly Item[])[];
  }
  const plans: (Plan | undefined)[] = [{ cost: 0, pages: [] }];
  for (let end = 1; end <= sorted.length; end++) {
    for (let start = end - 1; start >= 0; start--) {
      const before = plans[start];
      const part = sorted.slice(start, end);
      const room = roomOf(before?.pages.length ?? 0);
      const height = heightOf(part);
      const widgets = part.filter(({ leads }) => leads !== true);
      if (widgets.length > 1 && height > room) break;
      if (before === undefined) continue;
      const torn = tearsAt(sorted, start) ? 10 : 0;
      const cost = before.cost + wasteOf(part, room) ** 2 + torn;
      if (cost < (plans[end]?.cost ?? Infinity))
        plans[end] = { cost, pages: [...before.pages, part] };
    }
  }
  const { pages = [] } = plans.at(-1) ?? {};
  return pages.length === 0 ? [[]] : pages;
}

/** Returns whether a page that starts with a widget leaves one behind that is beside it, or its title. */
function tearsAt(sorted: readonly Placed[], start: number): boolean {
  if (sorted[start - 1]?.leads === true) return true;
  const top = sorted[start]?.box.y ?? 0;
  return sorted.slice(0, start).some(({ box }) => box.y + box.height > top);
}

/** Returns the widgets of a page from its top, higher or lower so that they fill it. */
function fill<Item extends Placed>(
  items: readonly Item[],
  room: number,
  gap: number,
): readonly Item[] {
  const top = Math.min(...items.map(({ box }) => box.y));
  // Each widget takes the gap below it, so that gaps keep their height on average.
  const factor = Math.min(mostStretch, (room + gap) / (heightOf(items) + gap));
  return items.map((item) => ({
    ...item,
    box: {
      ...item.box,
      y: (item.box.y - top) * factor,
      height: (item.box.height + gap) * factor - gap,
    },
  }));
}
