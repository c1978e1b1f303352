// Times in planned queries: granularities, date ranges and time zones.
import { describe, expect, test } from "vitest";
import { answer, plan, validModel } from "../../test/support/query-database.ts";
import { ordersModel, useOrders } from "../../test/support/orders-model.ts";
import { resolveDateRange } from "./date-range.ts";
import { toInstant } from "./local-time.ts";
import { normalizeQueries } from "./normalize.ts";

const { ask, database } = useOrders();

describe("time", () => {
  test("granularities are truncated in the zone of the query", async () => {
    const days = async (timezone: string) => {
      const rows = await ask({
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
        timezone,
      });
      return rows.map((row) => String(row["orders.created_at.day"]).slice(0, 10));
    };
    expect(await days("UTC")).toEqual(["2026-01-01", "2026-01-02", "2026-01-04", "2026-02-28"]);
    expect(await days("Europe/Berlin")).toEqual(["2026-01-02", "2026-01-04", "2026-02-28"]);
    expect(await days("America/New_York")).toEqual([
      "2026-01-01",
      "2026-01-02",
      "2026-01-03",
      "2026-02-27",
    ]);
  });

  test("a date range has local bounds and includes its last day", async () => {
    const count = async (timezone: string, dateRange: string | readonly string[]) => {
      const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
      const [row] = await ask({ measures: ["orders.count"], timeDimensions, timezone });
      return row?.["orders.count"];
    };
    expect(await count("UTC", ["2026-01-01", "2026-01-01"])).toBe(1);
    expect(await count("Europe/Berlin", ["2026-01-01", "2026-01-01"])).toBe(0);
    expect(await count("UTC", "from 80 days ago to now")).toBe(4);
    expect(await count("UTC", " last  month\t")).toBe(1);
    expect(await count("UTC", "from  2026-01-01 \n to 2026-01-04")).toBe(3);
    expect(await count("UTC", "this year")).toBe(4);
  });

  test.each([
    "2026-02-30",
    "2026-13-01",
    "0000-01-01",
    "next 999999 years",
    "last 3000 years",
    "2026-01-01T25:00",
  ])("%s is refused", (dateRange) => {
    const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
    expect(() => plan(ordersModel, { measures: ["orders.count"], timeDimensions })).toThrow(
      "Can't parse date: ",
    );
    const filters = [{ member: "orders.created_at", operator: "equals", values: [dateRange] }];
    expect(() => plan(ordersModel, { measures: ["orders.count"], filters })).toThrow(
      "Can't parse date: ",
    );
  });

  test("a range of texts ends with the smallest unit that they name", () => {
    const clock = { now: new Date("2026-03-01T10:20:30Z"), timezone: "UTC" };
    const ends = ["from 2 hours ago to now", "from 5 minutes ago to now", "from 3 days ago to now"];
    const shown = ends.map((text) => new Date(resolveDateRange(text, clock)[1]).toISOString());
    expect(shown).toEqual([
      "2026-03-01T10:59:59.999Z",
      "2026-03-01T10:20:59.999Z",
      "2026-03-01T23:59:59.999Z",
    ]);
  });

  test("the first and last years are read in every zone", async () => {
    for (const timezone of ["UTC", "Pacific/Kiritimati", "America/New_York"]) {
      const dateRange = ["0001-01-01", "9999-12-31"];
      const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
      expect(await ask({ measures: ["orders.count"], timeDimensions, timezone })).toEqual([
        { "orders.count": 4 },
      ]);
    }
  });

  test("days with a change of clocks at midnight have all their instants", () => {
    const bounds = (date: string, zone: string) => {
      const edges = [`${date}T00:00:00.000Z`, `${date}T23:59:59.999Z`].map(Date.parse);
      const [from = 0, to = 0] = edges;
      const found = [toInstant(from, zone, "first"), toInstant(to, zone, "last")];
      return found.map((time) => new Date(time).toISOString());
    };
    // The last hour is shown twice.
    expect(bounds("2018-02-17", "America/Sao_Paulo")).toEqual([
      "2018-02-17T02:00:00.000Z",
      "2018-02-18T02:59:59.999Z",
    ]);
    // The first hour is skipped.
    expect(bounds("2018-11-04", "America/Sao_Paulo")[0]).toBe("2018-11-04T03:00:00.000Z");
    // The whole day is skipped: its range is empty.
    expect(bounds("2011-12-30", "Pacific/Apia")).toEqual([
      "2011-12-30T10:00:00.000Z",
      "2011-12-30T09:59:59.999Z",
    ]);
  });

  test("names of zones are canonical", () => {
    const query = { measures: ["orders.count"], timezone: "europe/berlin" };
    const [normalized] = normalizeQueries(query, new Date(0));
    expect(normalized?.timezone).toBe("Europe/Berlin");
    expect(() => plan(ordersModel, { ...query, timezone: "+02:00" })).toThrow("is not a time zone");
  });

  test("custom granularities start at their offset or origin", async () => {
    const starts = async (granularity: string) => {
      const timeDimensions = [{ dimension: "orders.created_at", granularity }];
      const rows = await ask({ timeDimensions });
      return rows.map((row) => String(row[`orders.created_at.${granularity}`]).slice(0, 10));
    };
    expect(await starts("fiscal_year")).toEqual(["2025-02-01", "2026-02-01"]);
    expect(await starts("two_days")).toEqual(["2026-01-01", "2026-01-03", "2026-02-28"]);
  });
});

test("a running measure counts months from the exclusive end of an interval", async () => {
  const model = validModel(`
cubes:
  - name: sales
    sql: "SELECT 1 AS amount, TIMESTAMP '2026-01-29 00:00:00' AS sold UNION ALL SELECT 10, TIMESTAMP '2026-01-31 23:59:59' UNION ALL SELECT 100, TIMESTAMP '2026-02-01 00:00:00' UNION ALL SELECT 1000, TIMESTAMP '2026-02-28 23:59:59'"
    dimensions: [{ name: sold, sql: sold, type: time }]
    measures: [{ name: month, type: sum, sql: amount, rolling_window: { trailing: 1 month } }]
`);
  const query = {
    measures: ["sales.month"],
    timeDimensions: [
      { dimension: "sales.sold", granularity: "day", dateRange: ["2026-02-27", "2026-03-01"] },
    ],
  };
  const rows = await answer(database(), plan(model, query));
  expect(rows.map((row) => row["sales.month"])).toEqual([111, 1100, 1000]);
});
