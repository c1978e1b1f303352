// Tests pages of lists: every item once and in order at any page size, and cursors that only their own list accepts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

const groups = "/api/v1/user-groups";
const attributes = "/api/v1/user-attributes";
const size = 25;

interface Body {
  items: { id: number; name: string }[];
  data?: unknown;
  pagination?: unknown;
  count?: number;
  totalCount?: number;
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor?: string;
    endCursor?: string;
  };
}

let service: TestService;

beforeAll(async () => {
  service = await startService();
  for (let number = 1; number <= size; number++) {
    await service.send("POST", groups, { body: { name: `group ${number}` } });
    await service.send("POST", attributes, { body: { name: `a${number}`, type: "string" } });
  }
});
afterAll(async () => service.close());

async function page(path: string): Promise<Body> {
  const answer = await service.send("GET", path);
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return answer.body as Body;
}

async function rejectionOf(path: string): Promise<string> {
  const answer = await service.send("GET", path);
  expect(answer.status).toBe(400);
  return (answer.body as { message: string }).message;
}

describe("a list", () => {
  it.each([1, 2, 7, 24, 25, 26])(
    "returns every item once, newest first, %i at a time",
    async (first) => {
      const seen: number[] = [];
      let after = "";
      for (let pages = 0; pages <= size; pages++) {
        const { items, pageInfo } = await page(`${groups}?first=${first}${after}`);
        expect(pageInfo.hasPreviousPage).toBe(pages > 0);
        seen.push(...items.map(({ id }) => id));
        if (!pageInfo.hasNextPage) break;
        expect(items).toHaveLength(first);
        after = `&after=${pageInfo.endCursor}`;
      }
      expect(seen).toEqual(Array.from({ length: size }, (_, index) => size - index));
    },
  );

  it("returns all items without a page size, and limits a page size that is too large", async () => {
    expect((await page(groups)).items).toHaveLength(size);
    for (const first of [limits.pageMax * 50, "100.0", "9".repeat(30), "9".repeat(400)]) {
      expect((await page(`${groups}?first=${first}`)).items).toHaveLength(size);
    }
    expect((await page(`${attributes}?offset=${"9".repeat(30)}`)).items).toEqual([]);
    expect((await page(`${attributes}?limit=1000000`)).pagination).toEqual({
      total: size,
      offset: 0,
      limit: limits.pageMax,
    });
  });

  it("continues at the same place although items were added and deleted", async () => {
    const own = await startService();
    try {
      const ids: number[] = [];
      for (let number = 1; number <= 6; number++) {
        const created = await own.send("POST", groups, { body: { name: `g${number}` } });
        ids.push((created.body as { id: number }).id);
      }
      const one = (await own.send("GET", `${groups}?first=2`)).body as Body;
      await own.send("DELETE", `/api/v1/groups/${ids[4]}`);
      await own.send("POST", groups, { body: { name: "new" } });
      const two = await own.send("GET", `${groups}?first=9&after=${one.pageInfo.endCursor}`);
      const { items, pageInfo } = two.body as Body;
      expect(items.map(({ name }) => name)).toEqual(["g4", "g3", "g2", "g1"]);
      expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    } finally {
      await own.close();
    }
  });

  it("refuses an invalid cursor, and one of another list or of other filters", async () => {
    const { endCursor = "" } = (await page(`${groups}?first=1`)).pageInfo;
    const other = (await page(`${attributes}?first=1`)).pageInfo.endCursor;
    const forged = Buffer.from("000000000000.5").toString("base64url");
    expect(await rejectionOf(`${groups}?after=`)).toBe("query.after must not be empty");
    for (const bad of ["x", "%00", "....", "MTIz", `${endCursor}AAAA`]) {
      expect(await rejectionOf(`${groups}?after=${bad}`)).toMatch(/cursor|null character/);
    }
    for (const foreign of [other, forged]) {
      expect(await rejectionOf(`${groups}?after=${foreign}`)).toContain("another list");
    }
    expect(await rejectionOf(`${groups}?search=g&after=${endCursor}`)).toContain("another list");
  });

  it("has only the items that the query selects by ID, in the same order and envelope", async () => {
    const selected = await page(`${groups}?id=3&id=5&id=999&first=1`);
    expect(selected.items.map(({ id }) => id)).toEqual([5]);
    const { hasNextPage, endCursor } = selected.pageInfo;
    expect(hasNextPage).toBe(true);
    const next = await page(`${groups}?id=3&id=5&id=999&first=1&after=${endCursor}`);
    expect(next.items.map(({ id }) => id)).toEqual([3]);
    expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(await rejectionOf(`${groups}?id=3&after=${endCursor}`)).toContain("another list");
    expect((await page(`${groups}?id=1&search=nothing`)).items).toEqual([]);
    const both = await page(`${attributes}?id=2&id=1&limit=1&offset=1`);
    expect(both.items.map(({ name }) => name)).toEqual(["a1"]);
    expect(both.pagination).toEqual({ total: 2, offset: 1, limit: 1 });
    const many = Array.from({ length: limits.selectedIds + 1 }, (_, at) => `id=${at + 1}`);
    expect((await page(`${groups}?${many.slice(1).join("&")}`)).items).toHaveLength(size - 1);
    for (const bad of ["id=0", "id=x", "id=", `id=${limits.idMax + 1}`, many.join("&")])
      expect(await rejectionOf(`${groups}?${bad}`)).toContain("query.id");
  });

  it("refuses invalid sizes", async () => {
    for (const bad of [
      "first=0",
      "first=-1",
      "first=1.5",
      "first=x",
      "first=",
      "limit=-1",
      "offset=x",
    ]) {
      expect(await rejectionOf(`${attributes}?${bad}`)).toMatch(/query\.(?:first|limit|offset)/);
    }
  });

  it("with the older envelope shows the same page both ways, and refuses a mix", async () => {
    const body = await page(`${attributes}?offset=20&limit=3`);
    expect(body.items.map(({ name }) => name)).toEqual(["a5", "a4", "a3"]);
    expect(body).toMatchObject({
      data: body.items,
      count: 3,
      totalCount: size,
      pagination: { total: size, offset: 20, limit: 3 },
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    expect((await page(`${attributes}?offset=10`)).items).toHaveLength(15);
    expect((await page(`${attributes}?offset=100&limit=1`)).items).toEqual([]);
    expect(await rejectionOf(`${attributes}?first=1&limit=1`)).toContain("combined");
    expect(await rejectionOf(`${groups}?limit=1`)).toContain("query.limit is not a known field");
  });
});
