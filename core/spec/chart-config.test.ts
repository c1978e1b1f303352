// Tests which members of a chart's configuration count as misspelled.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { chartTypes, misspelledMembers, widgetConfigDoc, widgetText } from "./chart-config.ts";

const query = { measures: ["orders.count"] };

describe("the members of a chart", () => {
  const misspelled: readonly (readonly [config: JsonObject, name: string, meant: string])[] = [
    [{ query, chrt: "bar" }, "chrt", "chart"],
    [{ query, charts: "bar" }, "charts", "chart"],
    [{ query, typ: "donut" }, "typ", "type"],
    [{ query, chart_type: "LINE" }, "chart_type", "chartType"],
    [{ query, titl: "Orders" }, "titl", "title"],
    [{ reportid: 5 }, "reportid", "reportId"],
    [{ reports: "states000001" }, "reports", "report"],
    [{ qury: query }, "qury", "query"],
  ];

  it.each(misspelled)("%j are misspelled", (config, name, meant) => {
    expect(misspelledMembers("chart", config)).toEqual([{ name, meant }]);
  });

  const others: readonly JsonObject[] = [
    { query, chart: "bar", charts: "bar" },
    { query, charts: ["bar"], types: "wide", tile: 2, titles: [], size: "big", style: "bar" },
    { query, report2Id: 5, title2: "Orders" },
    { query, queries: [query], querys: [query] },
    // A synonym of the meant member is there.
    { query, type: "bar", chrt: "line" },
    { reportId: 5, reports: "states000001" },
  ];

  it.each(others)("%j are for other programs", (config) => {
    expect(misspelledMembers("chart", config)).toEqual([]);
  });
});

it("knows the members of texts and controls", () => {
  expect(misspelledMembers("text", { txt: "Sales" })).toEqual([{ name: "txt", meant: "text" }]);
  expect(misspelledMembers("text", { markdown: "Sales", txt: "x" })).toEqual([]);
  expect(misspelledMembers("text", { title: "Sales", txt: "x" })).toEqual([
    { name: "txt", meant: "text" },
  ]);
  expect(widgetText({ title: "Sales", markdown: "x" })).toBe("x");
  expect(widgetText({ title: "Sales", text: " " })).toBe("Sales");
  expect(misspelledMembers("control", { membr: "orders.status", size: "big" })).toEqual([
    { name: "membr", meant: "member" },
  ]);
});

it("are described with every type of chart and its other names", () => {
  for (const type of chartTypes) expect(widgetConfigDoc).toMatch(new RegExp(`\\b${type}\\b`, "u"));
  expect(widgetConfigDoc).toContain(
    "column, histogram, combination or combo for bar, donut or doughnut for pie, ",
  );
});
