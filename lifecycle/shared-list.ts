// One read of a list for all who need it, each within its own number of pages.
import { limits } from "../core/limits/limits.ts";

/** Returns all items of a list; undefined if it has more than `pages` pages. */
export type SharedList = (pages: number) => Promise<readonly unknown[] | undefined>;

/** Reads the items of a list until it has as many as `most` returns after each page. */
export type ReadItems = (most: () => number) => Promise<readonly unknown[]>;

interface ListRead {
  /** Pages that it may read, or did read before it was given up. */
  readonly allowed: { pages: number; isOpen: boolean };
  /** Undefined if it was given up. */
  readonly items: Promise<readonly unknown[] | undefined>;
}

/**
 * Shares the reads of a list. A request joins a read that is running and raises its number of pages, or gets the result
 * of a complete read. A list that was given up is read again only for a request of more pages. Failures are not kept.
 */
export function sharedList(readItems: ReadItems): SharedList {
  let last: ListRead | undefined;
  const forget = (read: ListRead): void => {
    if (last === read) last = undefined;
  };
  return async (pages) => {
    for (;;) {
      if (last === undefined && pages === 0) return undefined;
      last ??= startRead(readItems, pages);
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
}

function startRead(readItems: ReadItems, pages: number): ListRead {
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
