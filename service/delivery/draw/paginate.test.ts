// The pages of a document: which widgets are on each, and how high.
import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/arbitrary-values.ts";
import { paginate } from "./paginate.ts";

const gap = 16;
const room = {
  width: 1200,
  firstRoom: (height: number) => height - 100,
  room: (height: number) => height - 60,
  gap,
};
const item = (y: number, height: number, [x, width]: readonly [number, number] = [0, 1200]) => ({
  box: { x, y, width, height },
});

it("fills pages evenly instead of the first ones", () => {
  const { height, pages } = paginate(
    [item(0, 700), item(716, 700), item(1432, 700), item(2148, 700)],
    room,
  );
  expect([height, pages.map((list) => list.length)]).toEqual([1697, [2, 2]]);
  for (const list of pages) {
    const { y, height: high } = list.at(-1)?.box ?? { y: 0, height: 0 };
    expect(y + high).toBeGreaterThan(1590);
  }
});

it("makes nothing much higher to fill a page", () => {
  const { pages } = paginate([item(0, 200)], room);
  expect(pages[0]?.[0]?.box.height).toBe(1.6 * 216 - gap);
});

it("leaves no third of a page blank, unless the whole dashboard is low", () => {
  const heights = fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(heights, (rows) => {
      let y = 0;
      const items = rows.map((high) => {
        const one = item(y, high * 48 - gap);
        y += high * 48;
        return one;
      });
      fc.pre(y > 10 * 48);
      const { height, pages } = paginate(items, room);
      pages.forEach((list, page) => {
        const most = page === 0 ? room.firstRoom(height) : room.room(height);
        const end = Math.max(...list.map(({ box }) => box.y + box.height));
        expect(end / most).toBeGreaterThan(2 / 3);
      });
    }),
    propertyRuns(),
  );
});

it("keeps a title on the page of what follows it", () => {
  const title = { ...item(800, 32), leads: true };
  const items = [item(0, 784), title, item(848, 784), item(1648, 784), item(2448, 784)];
  const { pages } = paginate(items, room);
  expect(pages.length).toBeGreaterThan(1);
  for (const list of pages) expect(list.at(-1)?.box.height).toBeGreaterThan(100);
});

it("has one empty page for no widgets", () => {
  expect(paginate([], room).pages).toEqual([[]]);
});

it("has each widget once, on its page, in order, and without an overlap that was not there", () => {
  const grid = fc.array(
    fc.record({
      column: fc.constantFrom(0, 1),
      rows: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }),
    }),
    { minLength: 1, maxLength: 2 },
  );
  fc.assert(
    fc.property(grid, (columns) => {
      const seen = new Set<number>();
      const items = columns.flatMap(({ column, rows }) => {
        if (seen.has(column)) return [];
        seen.add(column);
        let y = 0;
        return rows.map((high) => {
          const one = item(y, high * 48 - gap, [column * 600, 584]);
          y += high * 48;
          return one;
        });
      });
      const { height, pages } = paginate(items, room);
      expect(pages.flat()).toHaveLength(items.length);
      pages.forEach((list, page) => {
        const most = page === 0 ? room.firstRoom(height) : room.room(height);
        for (const { box } of list) {
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height).toBeLessThanOrEqual(most + 1);
          expect(box.height).toBeGreaterThan(0);
        }
        for (const x of [0, 600]) {
          const column = list
            .filter(({ box }) => box.x === x)
            .toSorted((a, b) => a.box.y - b.box.y);
          column.slice(1).forEach(({ box }, at) => {
            const above = column[at]?.box ?? box;
            expect(box.y).toBeGreaterThanOrEqual(above.y + above.height - 0.01);
          });
        }
      });
    }),
    propertyRuns(),
  );
});
