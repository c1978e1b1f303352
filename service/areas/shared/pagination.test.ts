// Pages of lists: bounds how much one query reads.
import { expect, it } from "vitest";
import { listDashboardComments } from "../../../api/dashboard-comments.ts";
import { inMemorySource, pageOfBatch } from "./pagination.ts";

it("reads no more rows in one batch than the list allows", async () => {
  const operation = listDashboardComments;
  const tokens = { shortHmac: (text: string) => text.slice(0, 8) };
  const call = { operation, params: {}, query: {}, paging: {}, tokens } as never;
  const rows = Array.from({ length: 25 }, (_, index) => ({ id: 25 - index }));
  const sizes: number[] = [];
  const source = { ...inMemorySource(rows), rowsPerQuery: 10 };
  const page = await pageOfBatch(call, source, async (batch) => {
    sizes.push(batch.length);
    return batch;
  });
  expect(sizes).toEqual([10, 10, 5]);
  expect(page.items).toEqual(rows);
});
