// Requests of one list that may read different numbers of its pages, at the same time and one after another.
import { expect, it } from "vitest";
import { allItems } from "../client/paging.ts";
import { limits } from "../core/limits/limits.ts";
import { listMakers } from "../test/support/widget-kinds.ts";
import { sharedList } from "./shared-list.ts";

/** A list of full pages, which counts the pages that are read. `onPage` runs before each is returned. */
function listOf(pageCount: number, onPage: (page: number) => unknown = () => undefined) {
  const counted = { pages: 0 };
  const first = (most: () => number) => {
    let at = 0;
    const read = async () => {
      at += 1;
      counted.pages += 1;
      const page = at;
      await onPage(page);
      const items = Array.from({ length: limits.pageMax }, (_, item) => ({ id: item }));
      const hasNextPage = page < pageCount;
      const pageInfo = { hasNextPage, hasPreviousPage: page > 1 };
      return { items, pageInfo, next: hasNextPage ? { after: `${page}` } : undefined };
    };
    return allItems({ ...listMakers, list: "cursor" }, read, most);
  };
  const selections: (readonly number[])[] = [];
  const selected = async (ids: readonly number[]) => {
    selections.push(ids);
    if (ids.includes(0)) throw new Error("no answer");
    return ids.map((id) => ({ id }));
  };
  const { within: request, select } = sharedList({ first, selected });
  const sizes = async (...pages: readonly number[]) =>
    (await Promise.all(pages.map(request))).map((items) => items?.length);
  return { counted, request, sizes, select, selections };
}

const size = 3 * limits.pageMax;

it.each([
  ["a smaller number after a larger one", [5, 1]],
  ["a larger number after a smaller one", [1, 5]],
  ["all items after few", [1, Number.POSITIVE_INFINITY]],
  ["no page of its own", [3, 0]],
])("serves %s from the read that is running", async (_, pages) => {
  const { counted, sizes } = listOf(3);
  expect(await sizes(...pages)).toEqual([size, size]);
  expect(counted.pages).toBe(3);
  expect(await sizes(1, 0)).toEqual([size, size]);
  expect(counted.pages).toBe(3);
});

it("is given up for all, and read again only for a request of more pages", async () => {
  const { counted, sizes } = listOf(3);
  expect(await sizes(0)).toEqual([undefined]);
  expect(counted.pages).toBe(0);
  expect(await sizes(1, 1)).toEqual([undefined, undefined]);
  expect(counted.pages).toBe(2);
  expect(await sizes(1, 0)).toEqual([undefined, undefined]);
  expect(counted.pages).toBe(2);
  expect(await sizes(3, 4)).toEqual([size, size]);
  expect(counted.pages).toBe(5);
});

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  "is never taken for whole by a request that comes %d turns after its last page",
  async (turns) => {
    let later: Promise<readonly unknown[] | undefined> | undefined;
    const list = listOf(3, (page) => {
      if (page === 2) later ??= afterTurns(turns).then(() => list.request(3));
    });
    const first = await list.request(1);
    expect([undefined, size]).toContain(first?.length);
    expect(await later).toHaveLength(size);
  },
);

/** Waits until the callbacks of other settled promises had `turns` turns. */
async function afterTurns(turns: number): Promise<void> {
  for (let at = 0; at < turns; at++) await Promise.resolve();
}

it("does not keep a failure, and fails for all who waited", async () => {
  let fails = true;
  const { counted, sizes } = listOf(3, () => {
    if (fails) throw new Error("no answer");
  });
  const both = await Promise.allSettled([sizes(1), sizes(5)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(counted.pages).toBe(1);
  fails = false;
  expect(await sizes(3)).toEqual([size]);
});

it("selects items from the last selection or the whole list if they are there", async () => {
  const { counted, request, select, selections } = listOf(3);
  expect(await Promise.all([select([3, 1]), select([1])])).toEqual([
    [{ id: 3 }, { id: 1 }],
    [{ id: 1 }],
  ]);
  expect(await select([2, 1])).toEqual([{ id: 2 }, { id: 1 }]);
  expect(selections).toEqual([
    [3, 1],
    [2, 1],
  ]);
  await expect(select([0])).rejects.toThrow("no answer");
  await expect(select([0])).rejects.toThrow("no answer");
  expect(selections).toHaveLength(4);
  await request(1);
  await select([4]);
  expect(selections).toHaveLength(5);
  await request(Number.POSITIVE_INFINITY);
  expect(await select([0])).toHaveLength(3);
  expect([selections.length, counted.pages]).toEqual([5, 5]);
});
