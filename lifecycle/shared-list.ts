// One read of a list for all who need it, each within its own number of pages.
import { limits } from "../core/limits/limits.ts";

/** A list that is read at most once. */
export interface SharedList {
  /** Returns all items; undefined if the list has more than `pages` pages. */
  readonly within: (pages: number) => Promise<readonly unknown[] | undefined>;
  /** Returns the items with these IDs. */
  readonly select: (ids: readonly number[]) => Promise<readonly unknown[]>;
}

/** How to read a list. */
export interface ListReads {
  /** Reads the items until there are as many as `most` returns after each page. */
  readonly first: (most: () => number) => Promise<readonly unknown[]>;
  /** Reads the items with these IDs. */
  readonly selected: SharedList["select"];
}

interface ListRead {
  /** Pages that it may read, or did read before it was given up. */
  readonly allowed: { pages: number; isOpen: boolean };
  /** Undefined if it was given up. */
  readonly items: Promise<readonly unknown[] | undefined>;
}

interface Selection {
  readonly ids: ReadonlySet<number>;
  readonly items: Promise<readonly unknown[]>;
}

/**
 * Shares the reads of a list. A request joins a read that is running and raises its number of pages, or gets the result
 * of a complete read. A list that was given up is read again only for a request of more pages. Selected items are taken
 * from the whole list, or from the last selection, if those have them. Failures are not kept.
 */
export function sharedList({ first, selected }: ListReads): SharedList {
  let last: ListRead | undefined;
  let selection: Selection | undefined;
  const forget = (read: ListRead): void => {
    if (last === read) last = undefined;
  };
  const within: SharedList["within"] = async (pages) => {
    for (;;) {
      if (last === undefined && pages === 0) return undefined;
      last ??= startRead(first, pages);
      const read = last;
      const { allowed } = read;
      if (allowed.isOpen) allowed.pages = Math.max(allowed.pages, pages);
      const items = await read.items.catch((error: unknown) => {
        forget(read);
        throw error;
      });
      if (items !== undefined || pages <= allowed.pages) return items;
      forget(read);
    }
  };
  const select: SharedList["select"] = async (ids) => {
    if (last?.allowed.pages === Number.POSITIVE_INFINITY)
      return itemsWith(ids, (await within(Number.POSITIVE_INFINITY)) ?? []);
    if (!ids.every((id) => selection?.ids.has(id))) {
      const read = { ids: new Set(ids), items: selected(ids) };
      selection = read;
      read.items.catch(() => {
        if (selection === read) selection = undefined;
      });
    }
    return itemsWith(ids, (await selection?.items) ?? []);
  };
  return { within, select };
}

function itemsWith(ids: readonly number[], items: readonly unknown[]): readonly unknown[] {
  const wanted = new Set(ids);
  return items.filter((item) => wanted.has((item as { readonly id: number }).id));
}

function startRead(readItems: ListReads["first"], pages: number): ListRead {
  const allowed = { pages, isOpen: true };
  let requested = pages;
  const most = (): number => {
    requested = allowed.pages;
    return requested * limits.pageMax + 1;
  };
  const items = readItems(most).then((found) => {
    // A limit that was raised after the last page had no effect.
    Object.assign(allowed, { pages: requested, isOpen: false });
    return found.length > requested * limits.pageMax ? undefined : found;
  });
  return { allowed, items };
}
