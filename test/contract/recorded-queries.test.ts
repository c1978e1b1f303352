// Replays recorded requests of an independent client of the data API with their responses: tables, charts, drill-downs,
// blended queries and comparisons of periods.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  dataToken,
  type ModelService,
  serveDevMode,
  startModelService,
} from "./data-model-service.ts";
import recorded from "./recorded-queries.json" with { type: "json" };

const model = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count, drill_members: [id, status] }
      - { name: total, type: sum, sql: amount, title: Revenue }
    segments:
      - { name: paid, sql: "{CUBE}.status = 'paid'" }
`;
const seeds = `id,status,amount,created_at
1,paid,10.5,2026-01-01 10:00:00
2,open,20,2026-01-02 11:00:00
3,paid,30,2026-02-03 12:00:00
`;

let service: ModelService;
let address: string;
let token: string;
beforeAll(async () => {
  service = await startModelService();
  ({ address } = await serveDevMode(service, { model, seeds }));
  token = await dataToken(service);
});
afterAll(() => service.close());

it.each(recorded)("$name gets what the client needs", async (one) => {
  const { method, path, headers, body, status, answer } = one;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { ...headers, authorization: token },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(await response.json()).toMatchObject(answer);
  expect(response.status).toBe(status);
});
