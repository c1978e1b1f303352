// Tests `svc query` and `svc meta` against the real data API, on the data model of the quickstart.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { isObject, type JsonObject } from "../../core/json.ts";
import { runSvc } from "../golden/run-cli.ts";
import { type ModelService, startModelService } from "./data-model-service.ts";

const quickstart = join(import.meta.dirname, "../../examples/quickstart");
const sales = join(quickstart, "sales");

let service: ModelService;
beforeAll(async () => {
  service = await startModelService();
  const deployed = await svc(["deploy", "main", "--folder", sales]);
  expect(deployed.code, deployed.err).toBe(0);
});
afterAll(() => service.close());

const svc = (args: readonly string[], { input = "", key = service.adminKey } = {}) =>
  runSvc(args, { env: { SVC_API_URL: service.url, SVC_API_KEY: key }, input });

const byRegion = JSON.stringify({ measures: ["week.revenue"], dimensions: ["week.region"] });

/** The queries of the widgets of the quickstart's workbook. */
const widgets = parseAllDocuments(readFileSync(join(quickstart, "platform.yaml"), "utf8"))
  .map((document) => document.toJS() as { kind: string; spec: JsonObject })
  .filter(({ kind }) => kind === "Workbook")
  .flatMap(({ spec }) => (spec["dashboard"] as { widgets: JsonObject[] }).widgets)
  .flatMap(({ id, config }) =>
    isObject(config) && config["query"] !== undefined ? [{ id, query: config["query"] }] : [],
  );

describe("the widgets of the quickstart", () => {
  it("are queries, in addition to a filter", () => {
    expect(widgets.map(({ id }) => id)).toEqual([
      "revenue",
      "orders",
      "by-week",
      "by-store",
      "by-day",
    ]);
    expect(globSync("seeds/*.csv", { cwd: sales })).toHaveLength(2);
  });

  it.each(widgets)("$id answers with rows", async ({ query }) => {
    const { code, err, out } = await svc(["query", "main", JSON.stringify(query), "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { data } = JSON.parse(out) as { data: readonly object[] };
    expect(data.length).toBeGreaterThan(1);
  });

  it("show the revenue that the seed files add up to", async () => {
    const [revenue] = widgets;
    const { out } = await svc(["query", "main", JSON.stringify(revenue?.query), "--output", "csv"]);
    const [first, ...others] = out.trim().split("\r\n").slice(1);
    expect(first).toBe("2025-11-17T00:00:00.000,3736.93");
    expect(others).toHaveLength(7);
  });
});

describe("svc query", () => {
  it("prints a table, CSV, or the answer of the data API", async () => {
    const table = await svc(["query", "main", byRegion]);
    expect(table).toEqual({
      code: 0,
      err: "",
      out: "week.region  week.revenue\nnorth        16358.99\nsouth        14977.28\n",
    });
    const csv = await svc(["query", "main", "-", "--output", "csv"], { input: byRegion });
    expect(csv.out).toBe("week.region,week.revenue\r\nnorth,16358.99\r\nsouth,14977.28\r\n");
    const json = await svc(["query", "main", byRegion, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({
      data: [{ "week.region": "north", "week.revenue": "16358.99" }, {}],
      query: { dimensions: ["week.region"] },
    });
  });

  it("writes what a spreadsheet would run as a formula as data, except for --excel", async () => {
    const formula = "=1+1";
    const query = JSON.stringify({ measures: ["week.count"], dimensions: ["week.region"] });
    const args = ["query", "main", query, "--excel"];
    expect(await svc(args)).toMatchObject({ code: 64, err: expect.stringContaining("--output") });
    const csv = await svc([...args, "--output", "csv"]);
    expect(csv).toMatchObject({ code: 0, out: expect.not.stringContaining(formula) });
  });

  it("prints one column for a time with a granularity, and the columns of no rows", async () => {
    const timeDimensions = [{ dimension: "week.ordered_at", granularity: "month" }];
    const query = { measures: ["week.count"], timeDimensions };
    const { out } = await svc(["query", "main", JSON.stringify(query), "--output", "csv"]);
    expect(out).toBe(
      `week.ordered_at.month,week.count\r\n2025-11-01T00:00:00.000,68\r\n2025-12-01T00:00:00.000,165\r\n2026-01-01T00:00:00.000,62\r\n`,
    );
    const filters = [{ member: "week.region", operator: "equals", values: ["west"] }];
    const none = JSON.stringify({ dimensions: ["week.region"], filters });
    expect((await svc(["query", "main", none, "--output", "csv"])).out).toBe("week.region\r\n");
  });

  it("shows the statement, or the query with its defaults, without running it", async () => {
    const { out } = await svc(["query", "main", byRegion, "--sql"]);
    expect(JSON.parse(out)).toMatchObject({
      sql: { sql: [expect.stringContaining("SELECT"), []] },
    });
    const dry = await svc(["query", "main", byRegion, "--dry-run"]);
    expect(JSON.parse(dry.out)).toMatchObject({ queryType: "regularQuery" });
    const csv = await svc(["query", "main", byRegion, "--dry-run", "--output", "csv"]);
    expect([csv.code, csv.err]).toEqual([64, expect.stringContaining("print JSON")]);
  });

  it("sends a query that no URL holds", async () => {
    const values = Array.from({ length: 400 }, (_, index) => `region-${index}`);
    const filters = [{ member: "week.region", operator: "notEquals", values }];
    const query = { measures: ["week.count"], filters };
    const { out } = await svc(["query", "main", JSON.stringify(query), "--output", "csv"]);
    expect(out).toBe("week.count\r\n295\r\n");
  });

  it("reports the error of the query, and of what is no query", async () => {
    const wrong = await svc(["query", "main", '{"measures":["week.turnover"]}']);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("'turnover' not found")]);
    const none = await svc(["query", "main", "[]"]);
    expect([none.code, none.err]).toEqual([64, expect.stringContaining("not a JSON object")]);
  });

  it("queries the open dev-mode branch, a named branch, and otherwise production", async () => {
    const count = JSON.stringify({ measures: ["orders.count"] });
    const counts = async (more: readonly string[] = []) =>
      (await svc(["query", "main", count, "--output", "csv", ...more])).out.split("\r\n")[1];
    expect(await counts()).toBe("295");
    const branch = await service.enter();
    await service.put(
      "id,store_id,status,amount,ordered_at\n1,1,paid,1,2026-01-05\n",
      "seeds/orders.csv",
    );
    expect(await service.buildEnded(branch)).toMatchObject({ status: "built" });
    expect(await counts()).toBe("1");
    expect(await counts(["--branch", "main"])).toBe("295");
    await service.done("DELETE", "/build/api/v1/deployments/1/dev-mode");
    expect(await counts()).toBe("295");
    expect(await counts(["--branch", branch])).toBe("1");
    const missing = await svc(["query", "main", count, "--branch", "nowhere"]);
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringContaining("no environment serves the branch nowhere: Bad branch"),
    ]);
  });
});

describe("svc meta", () => {
  it("lists cubes and views, and the members of one", async () => {
    const { out } = await svc(["meta", "main"]);
    expect(out.split("\n")[0]).toMatch(/^NAME +TYPE +MEASURES +DIMENSIONS +SEGMENTS +TITLE$/u);
    expect(out).toMatch(/^week +view +4 +4 +0 +Week$/mu);
    const views = await svc(["meta", "main", "--only-views", "--output", "csv"]);
    expect(views.out.split("\r\n")).toHaveLength(3);
    const members = await svc(["meta", "main", "week"]);
    expect(members.out).toMatch(/^week\.revenue +measure +sum /mu);
    expect(JSON.parse((await svc(["meta", "main", "--json"])).out)).toHaveProperty("cubes");
  });

  it("suggests the closest name", async () => {
    const { code, err } = await svc(["meta", "main", "weeks"]);
    expect([code, err]).toEqual([1, expect.stringContaining("Did you mean week?")]);
  });
});
