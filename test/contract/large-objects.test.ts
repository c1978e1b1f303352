// Tests large objects: pages of a list end early, and a single object has a size limit.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

const workbooks = "/api/v1/deployments/1/workbooks";
const variables = "/api/v1/deployments/1/env-vars";
const [short, long] = [130, 40];

interface Body {
  id: number;
  items: { id: number; name: string; value: string }[];
  data: unknown[];
  pagination: { total: number; offset: number; limit: number };
  pageInfo: { hasNextPage: boolean; endCursor?: string };
}

let service: TestService;
const newestFirst: number[] = [];

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await service.send(method, path, body === undefined ? {} : { body });
  return { ...answer, body: answer.body as Body };
};

async function rejectionOf(method: string, path: string, body: unknown): Promise<string> {
  const { status, text } = await call(method, path, body);
  expect([status, text.slice(0, 300)]).toEqual([400, expect.any(String)]);
  return (JSON.parse(text) as { message: string }).message;
}

beforeAll(async () => {
  service = await startService();
  for (let number = 0; number < short + long; number++) {
    const meta = number < short ? {} : { text: "x".repeat(limits.freeFormBytes - 100) };
    const created = await call("POST", workbooks, { name: `workbook ${number}`, meta });
    newestFirst.unshift(created.body.id);
  }
});
afterAll(async () => service.close());

describe("a list of long objects", () => {
  it("comes in pages that are bounded by their bytes, every item once, newest first", async () => {
    const seen: number[] = [];
    let [path, pages] = [workbooks, 0];
    for (; path !== "" && pages < 10; pages++) {
      const { text, body } = await call("GET", path);
      // This envelope holds the items twice.
      expect(text.length).toBeLessThan(2 * limits.pageBytes + 4096);
      seen.push(...body.items.map(({ id }) => id));
      const { hasNextPage, endCursor } = body.pageInfo;
      path = hasNextPage ? `${workbooks}?after=${endCursor}` : "";
    }
    expect(seen).toEqual(newestFirst);
    expect(pages).toBe(Math.ceil((long * limits.freeFormBytes) / limits.pageBytes));
  });

  it("returns where the next page by offset begins", async () => {
    const seen: number[] = [];
    for (let offset = 0, total = 1; offset < total;) {
      const { body } = await call("GET", `${workbooks}?offset=${offset}&limit=1000`);
      seen.push(...body.items.map(({ id }) => id));
      ({ total } = body.pagination);
      offset = body.pagination.offset + body.pagination.limit;
    }
    expect(seen).toEqual(newestFirst);
  });
});

describe("one long object", () => {
  const text = "é".repeat(limits.freeFormBytes / 2);

  it("has a bound for what is free in form, whichever way it is written", async () => {
    const [id] = newestFirst;
    const one = `${workbooks}/${id}`;
    const meta = { text };
    const expected = `meta can have at most ${limits.freeFormBytes} bytes`;
    expect(await rejectionOf("POST", workbooks, { meta })).toContain(expected);
    expect(await rejectionOf("PUT", one, { meta })).toContain(expected);
    expect(await rejectionOf("PUT", `${workbooks}/by-slug/long`, { meta })).toContain(expected);
    const half = { one: text.slice(2, limits.freeFormBytes / 4) };
    expect((await call("PUT", `${workbooks}/by-slug/half`, { meta: half })).status).toBe(200);
    const rest = { two: text.slice(0, limits.freeFormBytes / 4) };
    expect(await rejectionOf("PUT", `${workbooks}/by-slug/half`, { meta: rest })).toContain(
      expected,
    );
    const config = { theme: { text: "x".repeat(limits.dashboardBytes) } };
    const expectedConfig = `config can have at most ${limits.dashboardBytes} bytes`;
    expect(await rejectionOf("PUT", `${one}/dashboard`, { config })).toContain(expectedConfig);
    const publish = { workbookId: id, config };
    expect(await rejectionOf("POST", `${one}/publish`, publish)).toContain(expectedConfig);
  });

  it("has a bound for the lists of a notification", async () => {
    const { body } = await call("POST", workbooks, { name: "Notified" });
    const publish = { workbookId: body.id, config: { title: "Notified" } };
    const published = await call("POST", `${workbooks}/${body.id}/publish`, publish);
    const notification = { dashboardId: published.body.id, scheduleType: "DAILY" };
    const path = "/api/v1/deployments/1/notifications";
    const filters = [{ member: "orders.status", operator: "equals", value: text }];
    const expected = `filters can have at most ${limits.freeFormBytes} bytes`;
    expect(await rejectionOf("POST", path, { ...notification, filters })).toContain(expected);
  });

  it("has a bound for the variables of a deployment together, which leaves what was stored", async () => {
    const value = "x".repeat(60_000);
    const some = (from: number) => ({
      env_variables: Array.from({ length: 50 }, (_, index) => ({
        name: `V${from + index}`,
        value,
      })),
    });
    expect((await call("PUT", variables, some(0))).body.items).toHaveLength(50);
    const expected = await rejectionOf("PUT", variables, some(50));
    expect(expected).toContain(
      `${limits.variablesBytes} bytes in total; this request results in 6000290`,
    );
    expect((await call("GET", variables)).body.items).toHaveLength(50);
    expect((await call("PUT", variables, some(0))).status).toBe(200);
  });

  it("has a bound for the template variables of a deployment together", async () => {
    const one = "x".repeat(10_000);
    const names = Array.from({ length: 110 }, (_, index) => [`v${index}`, one]);
    const expected = await rejectionOf("PUT", "/api/v1/deployments/1", {
      templateVariables: Object.fromEntries(names),
    });
    expect(expected).toContain(
      `templateVariables can have at most ${limits.templateVariablesBytes} bytes`,
    );
  });
});
