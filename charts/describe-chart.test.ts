// What is drawn for a result and a configuration.
import { describe, expect, it } from "vitest";
import type { ResultTable } from "./index.ts";
import {
  amount,
  average,
  day,
  dayAt,
  draw,
  notesOf,
  optionOf,
  region,
  result,
} from "../test/support/chart-samples.ts";

const byRegion = result(
  [region, amount],
  [
    ["north", "10"],
    ["south", "20.5"],
  ],
);

describe("the type of a chart", () => {
  it("suits the result where the configuration names none", () => {
    expect(draw(result([amount], [["7"]])).kind).toBe("number");
    expect(draw(byRegion)).toMatchObject({ kind: "echarts", chart: "bar" });
    const times = result([day, amount], [["2026-01-05T00:00:00.000", "1"]]);
    expect(draw(times)).toMatchObject({ kind: "echarts", chart: "line" });
    expect(draw(result([region], [["north"]])).kind).toBe("table");
  });

  it("is refused where it cannot show the values, with the reason", () => {
    const negative = result(
      [region, amount],
      [
        ["north", "-1"],
        ["south", "2"],
      ],
    );
    expect(draw(negative, { chart: "pie" })).toMatchObject({
      kind: "refused",
      reason: "Pie chart: negative values cannot be shown. Use a bar chart.",
    });
    expect(draw(byRegion, { chart: "map" })).toMatchObject({ kind: "refused" });
    expect(draw(result([region, amount], []))).toEqual({ kind: "empty" });
  });
});

describe("bars and lines", () => {
  it("have a legend from two series on, and a sentence for screen readers", () => {
    const model = draw(byRegion);
    expect(optionOf(model).legend.show).toBe(false);
    expect(model).toMatchObject({
      summary: expect.stringMatching(/Bar chart of Amount by Region/),
    });
  });

  it("keep a missing value a gap, not zero", () => {
    const table = result(
      [day, amount],
      [
        ["2026-01-05T00:00:00.000", "1"],
        ["2026-01-06T00:00:00.000", null],
        ["2026-01-07T00:00:00.000", "3"],
      ],
    );
    const [line] = optionOf(draw(table, { chart: "line" })).series;
    expect(JSON.stringify(line?.data)).toMatch(/null/);
  });

  it("show at most eight series, and the sum of the others", () => {
    const rows = Array.from({ length: 40 }, (_, at) => [
      "2026-01-05T00:00:00.000",
      `region ${at}`,
      String(40 - at),
    ]);
    const model = draw(result([day, region, amount], rows), { chart: "bar", stacking: "stacked" });
    const names = optionOf(model).series.map(({ name }) => name);
    expect(names.length).toBeLessThanOrEqual(9);
    expect(names.at(-1)).toBe("Other");
    expect(notesOf(model)).toEqual(["Other holds 32 of 40 series"]);
  });

  it("leave small series out where a sum beside the others would flatten them", () => {
    const rows = Array.from({ length: 40 }, (_, at) => [dayAt(0), `region ${at}`, String(40 - at)]);
    for (const chart of ["line", "bar"]) {
      const model = draw(result([day, region, amount], rows), { chart });
      expect(optionOf(model).series.map(({ name }) => name)).toEqual(
        Array.from({ length: 8 }, (_, at) => `region ${at}`),
      );
      expect(notesOf(model)).toEqual(["8 of 40 series"]);
    }
  });

  it("are horizontal where more of long names fit beside bars than below them", () => {
    const rows = Array.from({ length: 24 }, (_, at) => [`Long name of bike number ${at}`, "1"]);
    const turned = draw(result([region, amount], rows), { chart: "bar" }, { height: 180 });
    expect(optionOf(turned).yAxis).toMatchObject({ type: "category" });
    const short = draw(
      result(
        [region, amount],
        rows.map((row, at) => [`${at}`, ...row.slice(1)]),
      ),
    );
    expect(optionOf(short).xAxis).toMatchObject({ type: "category" });
  });

  it("have the colors of the palette in order for measures", () => {
    const measures = ["rides", "income"].map((name) => ({ ...amount, name, title: name }));
    const colors = optionOf(draw(result([region, ...measures], [["north", "1", "2"]]))).series;
    expect(colors.map(({ itemStyle }) => itemStyle.color)).toEqual(["#6929c4", "#1192e8"]);
  });

  it("name the period once in a tooltip, above a line for each series with its color", () => {
    const rows = ["north", "<b>south"].map((name, at) => [dayAt(0), name, String(at + 7)]);
    const { tooltip } = optionOf(draw(result([day, region, amount], rows), { chart: "line" }));
    const hovered = [0, 1].map((seriesIndex) => ({ seriesIndex, dataIndex: 0, color: '#fa4d56"' }));
    const html = tooltip.formatter(hovered);
    const texts = html.split("<br>").map((line) => line.replace(/<svg.*<\/svg>/u, "● "));
    expect(texts).toEqual(["<b>Jan 1, 2026</b>", "● north: 7", "● &lt;b&gt;south: 8"]);
    expect(html.match(/fill="#fa4d56&quot;"/gu)).toHaveLength(2);
    expect(html).not.toContain("style");
  });

  it("show the last periods if there are too many", () => {
    const rows = Array.from({ length: 600 }, (_, at) => [dayAt(at), String(at)]);
    const model = draw(result([day, amount], rows), { chart: "line" });
    expect(optionOf(model).xAxis.data.at(-1)).toBe("Aug 23, 2027");
    expect(notesOf(model)).toEqual(["Last 500 of 600 periods"]);
  });

  it("say that there is no room for the legend", () => {
    const rows = ["north", "south"].map((name) => [dayAt(0), name, "1"]);
    const table = result([day, region, amount], rows);
    const notes = (width: number) => notesOf(draw(table, { chart: "bar" }, { width }));
    expect(notes(179)).toEqual(["No room for the legend"]);
    expect(notes(180)).toEqual([]);
  });

  it("combine types on two axes", () => {
    const share = { ...amount, name: "orders.share", title: "Share", format: ".1%" };
    const table = result([region, amount, share], [["north", "10", "0.0456"]]);
    const y = [
      { member: "orders.amount" },
      { member: "orders.share", type: "line", axis: "right" },
    ];
    const model = draw(table, { chart: "bar", y });
    expect(optionOf(model).series.map(({ type }) => type)).toEqual(["bar", "line"]);
    expect(model.kind === "echarts" ? model.points.map(({ label }) => label).join() : "").toContain(
      "4.6%",
    );
  });
});

describe("pies", () => {
  it("have their legend beside them on a low and wide widget, and none on a low and narrow one", () => {
    const space = { width: 560, height: 110 };
    const model = draw(byRegion, { chart: "donut", legend: true }, space);
    expect(optionOf(model).legend).toMatchObject({
      show: true,
      left: expect.any(Number) as number,
    });
    expect(notesOf(model)).toEqual([]);
    const narrow = draw(byRegion, { chart: "donut" }, { width: 120, height: 125 });
    expect(optionOf(narrow).legend).toMatchObject({ show: false });
  });

  const rows = Array.from({ length: 40 }, (_, at) => [`region ${at}`, String(40 - at)]);
  const parts = (measure: typeof amount) => {
    const model = draw(result([region, measure], rows), { chart: "pie" });
    const data = optionOf(model).series[0]?.data as readonly {
      readonly name: string;
      readonly itemStyle: { readonly color: string };
    }[];
    const colors = new Set(data.map(({ itemStyle }) => itemStyle.color));
    return { names: data.map(({ name }) => name), notes: notesOf(model), colors: colors.size };
  };

  it("join the smallest parts only if they can be added up", () => {
    expect(parts(amount).names.at(-1)).toBe("Other");
    expect(parts(amount).notes).toEqual([]);
    expect(parts(average).names).toHaveLength(9);
    expect(parts(average).names).not.toContain("Other");
    expect([parts(amount).colors, parts(average).colors]).toEqual([9, 9]);
    expect(parts(average).notes).toEqual(["Largest 9 of 40 categories"]);
  });

  it("cut no name in a legend that has room for it", () => {
    const names = Array.from({ length: 8 }, (_, at) => `Bike ${at * 7}`);
    const table = result(
      [region, amount],
      names.map((name, at) => [name, String(90 + at)]),
    );
    for (const width of [400, 441, 560, 777]) {
      const { legend } = optionOf(draw(table, { chart: "pie" }, { width }));
      expect(names.map((name) => legend.formatter(name))).toEqual(
        names.map((name) => expect.stringMatching(`^${name} {2}1\\d%$`) as string),
      );
    }
  });

  it("keep the share after a name that is read from right to left", () => {
    const table = result(
      [region, amount],
      [
        ["مبيعات", "1"],
        ["north", "3"],
      ],
    );
    const { formatter } = optionOf(draw(table, { chart: "pie" })).legend;
    expect(["مبيعات", "north"].map((name) => formatter(name))).toEqual([
      "\u2068مبيعات\u2069  25%",
      "north  75%",
    ]);
  });
});

describe("tables", () => {
  it("keep exact decimals, and add them up exactly", () => {
    const rows = [
      ["a", "0.1"],
      ["b", "0.2"],
      ["c", "12345678901234567890.3"],
    ];
    const model = draw(result([region, amount], rows), { chart: "table", totals: true });
    if (model.kind !== "table") throw new Error(model.kind);
    expect(model.table.rows.map(({ cells }) => cells[1]?.text)).toEqual([
      "0.1",
      "0.2",
      "12,345,678,901,234,567,890.3",
    ]);
    expect(model.table.totals?.cells[1]?.text).toBe("12,345,678,901,234,567,890.6");
  });

  it("link to addresses of the web and of mail only", () => {
    const linked = (url: string) => {
      const columns = [{ member: "orders.region", link: { url } }];
      const model = draw(result([region, amount], [["a b", "1"]]), { chart: "table", columns });
      return model.kind === "table" ? model.table.rows[0]?.cells[0]?.links : model.kind;
    };
    expect(linked("https://example.com/{value}")).toEqual([
      { label: "a b", href: "https://example.com/a%20b" },
    ]);
    expect(linked("mailto:{orders.region}@example.com")).toHaveLength(1);
    expect(linked("javascript:alert(1)")).toBeUndefined();
    expect(linked("data:text/html,x")).toBeUndefined();
  });

  it("have a column for each value of the last dimension in a pivot", () => {
    const rows = [
      ["2026-01-05T00:00:00.000", "north", "1"],
      ["2026-01-05T00:00:00.000", "south", "2"],
      ["2026-01-06T00:00:00.000", "north", "3"],
    ];
    const model = draw(result([day, region, amount], rows), { chart: "pivot" });
    if (model.kind !== "pivot") throw new Error(model.kind);
    expect(model.table.columns.map(({ title }) => title)).toEqual(["Day", "north", "south"]);
    expect(model.table.rows.map(({ cells }) => cells.map(({ text }) => text))).toEqual([
      ["Jan 5, 2026", "1", "2"],
      ["Jan 6, 2026", "3", ""],
    ]);
  });
});

it("leads from a name in a pivot to the page of all its rows, if it is one", () => {
  const rows = [
    [dayAt(0), "north", "1"],
    [dayAt(0), "south", "2"],
    [dayAt(1), "north", "3"],
    [dayAt(1), "south", "4"],
  ];
  const page = (name: string) => `https://example.com/${name}`;
  const regions = [page("north"), page("south"), page("north"), page("other")];
  const table = { ...result([day, region, amount], rows), addresses: { [region.name]: regions } };
  const pivot = { rows: [region.name], columns: [day.name] };
  const model = draw(table, { chart: "pivot", pivot });
  if (model.kind !== "pivot") throw new Error(model.kind);
  expect(model.table.rows.map(({ cells: [name] }) => [name?.text, name?.links])).toEqual([
    ["north", [{ label: "north", href: page("north") }]],
    ["south", undefined],
  ]);
});

describe("a number", () => {
  const rows = [
    ["2026-01-05T00:00:00.000", "100"],
    ["2026-01-06T00:00:00.000", "125"],
  ];

  it("is compared with the one before", () => {
    const model = draw(result([day, amount], rows), { chart: "number" });
    expect(model).toMatchObject({
      numbers: [
        {
          text: "125",
          label: "Amount, Jan 6, 2026",
          comparison: { text: "+25.0%", direction: "up", with: "Jan 5, 2026" },
          sparkline: [100, 125],
        },
      ],
    });
  });
});

it("is labeled with what the title does not say: the measure, and the period", () => {
  const rows = [
    [dayAt(0), "100"],
    [dayAt(1), "125"],
  ];
  const label = (table: ResultTable, title: string) => {
    const model = draw(table, { chart: "number", title });
    if (model.kind !== "number") throw new Error(model.kind);
    return model.numbers.map((one) => [one.label, one.hasLabel]);
  };
  expect(label(result([day, amount], rows), "amount")).toEqual([["Jan 2, 2026", true]]);
  expect(label(result([amount], [["7"]]), "Amount")).toEqual([["", false]]);
  expect(label(result([amount], [["7"]]), "All")).toEqual([["Amount", true]]);
});

it("compares no period that still runs, and says so once", () => {
  const rows = [
    ["2026-01-05T00:00:00.000", "100", "7"],
    ["2026-01-06T00:00:00.000", "125", "8"],
  ];
  const table = result([day, amount, { ...amount, name: "orders.count" }], rows);
  const at = (now: string) => {
    const model = draw(table, { chart: "number" }, { now: () => now });
    if (model.kind !== "number") throw new Error(model.kind);
    const compared = model.numbers.filter(({ comparison }) => comparison !== undefined);
    return [compared.length, model.notes.map(({ key }) => key)];
  };
  expect(at("2026-01-06T12:00:00.000")).toEqual([0, ["chart.notCompared"]]);
  expect(at("2026-01-07T00:00:00.000")).toEqual([2, []]);
});

it("says how many numbers it has no place for", () => {
  const columns = Array.from({ length: 8 }, (_, at) => ({ ...amount, name: `orders.n${at}` }));
  const model = draw(result(columns, [columns.map(() => "1")]), { chart: "number" });
  if (model.kind !== "number") throw new Error(model.kind);
  expect([model.numbers.length, notesOf(model)]).toEqual([6, ["First 6 of 8 columns"]]);
});

it("fills values into HTML as text", () => {
  const table = result([region, amount], [["<b>", "1"]]);
  const model = draw(table, { chart: "html", html: "<p>{orders.region}: {orders.amount}</p>" });
  expect(model).toEqual({ kind: "html", html: "<p>&#60;b&#62;: 1</p>" });
});

it("has a space before a unit that is a word, and none before a sign", () => {
  const units = ["orders", "%", "k", " each"].map((unit) => {
    const model = draw(result([amount], [["7"]]), { chart: "number", unit });
    return model.kind === "number" ? model.numbers[0]?.unit : undefined;
  });
  expect(units).toEqual(["\u00a0orders", "%", "k", " each"]);
});
