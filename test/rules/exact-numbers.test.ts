// The rule of numbers that a double cannot hold: refused wherever they enter. Members that appear twice are refused, too.
import { describe, expect, it } from "vitest";
import { useDataApi } from "../contract/data-api-service.ts";

const { service, address, token, ask } = useDataApi();

const large = "9007199254740993";
const isTooLarge = expect.stringContaining(`the number ${large} is too large to be exact`);
const query = (value: string) =>
  `{"measures":["orders.count"],"filters":[{"member":"orders.status","operator":"equals","values":[${value}]}]}`;

async function post(path: string, raw: string, authorization: string) {
  const headers = { authorization, "content-type": "application/json" };
  const url = `${new URL(address()).origin}${path}`;
  const answer = await fetch(url, { method: "POST", headers, body: raw });
  return { status: answer.status, body: await answer.json() };
}

describe("the data API", () => {
  it("refuses a number that rounds, and accepts it as text", async () => {
    const load = new URL(`${address()}/load`).pathname;
    const refused = { status: 400, body: { message: isTooLarge } };
    expect(await post(load, `{"query":${query(large)}}`, token())).toMatchObject(refused);
    expect(await ask(`/load?query=${encodeURIComponent(query(large))}`)).toEqual([
      400,
      { error: isTooLarge, type: "UserError" },
    ]);
    expect(await ask("/load", { query: query(large) })).toMatchObject([400, { error: isTooLarge }]);
    expect(await ask("/load", { query: query("0.12345678901234567") })).toMatchObject([
      400,
      { error: expect.stringContaining("has too many digits to be exact") },
    ]);
    expect(await ask("/load", { query: query(`"${large}"`) })).toMatchObject([
      200,
      { data: [{ "orders.count": "0" }] },
    ]);
  });
});

describe("the API", () => {
  it("refuses a body with a number that rounds, or with a member twice", async () => {
    const send = (at: string, raw: string) => post(at, raw, `Bearer ${service().adminKey}`);
    const path = "/api/v1/deployments/1/workbooks";
    const config = `{"name":"W","meta":{"account":${large}}}`;
    expect(await send(path, config)).toMatchObject({
      status: 400,
      body: { message: isTooLarge },
    });
    expect(await send(path, '{"name":"A","name":"B"}')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('the member "name" appears twice') },
    });
    const reports = "/api/v1/deployments/1/reports";
    const report = JSON.stringify({ name: "R", jsonQuery: query(large) });
    expect(await send(reports, report)).toMatchObject({
      status: 400,
      body: { message: isTooLarge },
    });
  });
});

describe("decimals of a seed file", () => {
  it("print what was entered, and their sums are exact", async () => {
    const branchName = await service().enter();
    const model = `
cubes:
  - name: sales
    sql_table: sales
    dimensions:
      - { name: amount, sql: amount, type: number }
      - { name: version, sql: version, type: string }
    measures: [{ name: total, type: sum, sql: amount }]
`;
    await service().put(model, "model/sales.yml");
    const rows = "amount,version\n0.1,1.10\n0.2,1.20\n0.30,1.20\n30,2.00\n";
    await service().put(rows, "seeds/sales.csv");
    expect(await service().buildEnded(branchName)).toMatchObject({ status: "built" });
    const load = new URL(`${address()}/load`).pathname.replace(
      /dev-mode\/[^/]+/,
      `dev-mode/${branchName}`,
    );
    const rowsOf = async (asked: object) => {
      const { body } = await post(load, JSON.stringify({ query: asked }), token());
      return (body as { data?: unknown }).data ?? body;
    };
    const measures = ["sales.total"];
    const of = (member: string, values: readonly string[]) => [
      { member: `sales.${member}`, operator: "equals", values },
    ];
    expect(await rowsOf({ measures })).toEqual([{ "sales.total": "30.6" }]);
    expect(await rowsOf({ measures, filters: of("amount", ["0.1", "0.2", "0.3"]) })).toEqual([
      { "sales.total": "0.6" },
    ]);
    expect(
      await rowsOf({ dimensions: ["sales.amount"], filters: of("amount", ["30.00"]) }),
    ).toEqual([{ "sales.amount": "30" }]);
    const dimensions = ["sales.version"];
    expect(await rowsOf({ measures, dimensions, filters: of("version", ["1.10"]) })).toEqual([
      { "sales.version": "1.10", "sales.total": "0.1" },
    ]);
  });
});
