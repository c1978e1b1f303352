// A query over a pre-aggregation of 10,000,000 rows, against the same query over the rows.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import {
  dataToken,
  type ModelService,
  serveDevMode,
  startModelService,
} from "../../contract/data-model-service.ts";

const cube = (name: string, more: string) => `
  - name: ${name}
    sql: >
      SELECT range AS id, 'kind ' || range % 20 AS kind, range * 7919 % 500 AS amount,
      TIMESTAMP '2025-01-01' + to_seconds(range * 3) AS created_at FROM range(10000000)
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: kind, sql: kind, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
${more}`;
const rollup = `
    pre_aggregations:
      - { name: by_day, measures: [count, total], dimensions: [kind], time_dimension: created_at, granularity: day }
`;
const model = `cubes:${cube("stored", rollup)}${cube("plain", "")}`;

let service: ModelService;
let address: string;
let token: string;
beforeAll(async () => {
  service = await startModelService();
  ({ address } = await serveDevMode(service, { model, seeds: "id\n1\n" }));
  token = await dataToken(service);
});
afterAll(() => service.close());

async function load(name: string): Promise<JsonObject> {
  const query = {
    measures: [`${name}.count`, `${name}.total`],
    dimensions: [`${name}.kind`],
    timeDimensions: [{ dimension: `${name}.created_at`, granularity: "month" }],
  };
  for (;;) {
    const response = await fetch(`${address}/load`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify({ query, cache: "no-cache" }),
    });
    const answer = (await response.json()) as JsonObject;
    if (answer["error"] !== "Continue wait") return answer;
  }
}

async function msOf(name: string): Promise<number> {
  const start = performance.now();
  await load(name);
  return performance.now() - start;
}

test("answers at least 20 times as fast", { timeout: 600_000 }, async () => {
  await expect
    .poll(() => load("stored"), { timeout: 300_000, interval: 500 })
    .toHaveProperty("usedPreAggregations");
  const rows = async (name: string) =>
    JSON.stringify((await load(name))["data"]).replaceAll(`${name}.`, "");
  expect(await rows("stored")).toBe(await rows("plain"));
  const [stored, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    plain.push(await msOf("plain"));
    stored.push(await msOf("stored"));
  }
  // Other tests run beside this one, and delay single answers.
  const [overRows, overRollup] = [Math.min(...plain), Math.min(...stored)];
  const ratio = overRows / overRollup;
  process.stdout.write(
    `${Math.round(overRows)} ms over the rows, ${Math.round(overRollup)} ms over the pre-aggregation: ${Math.round(ratio)} x\n`,
  );
  expect(ratio).toBeGreaterThan(20);
});
