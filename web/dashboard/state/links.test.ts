// Links of values: which addresses can be opened.
import { expect, test } from "vitest";
import type { LinkedValues } from "../../../charts/index.ts";
import { linkQuery, linksIn } from "./links.ts";

const link = (name: string, isDashboard = false) => ({
  name,
  label: name,
  isDashboard,
  isSameTab: false,
});
const column = {
  name: "v.who",
  title: "Who",
  kind: "dimension",
  type: "string",
  links: [link("a"), link("b", true)],
} as const;
const linked: LinkedValues = {
  column,
  values: [
    { name: "v.who", value: "Ann" },
    { name: "v.city", value: null },
  ],
};
const members = ["v.who___link_a_url", "v.who___link_b_url"];
const found = (...rows: (string | null)[][]) =>
  linksIn(
    {
      table: {
        columns: members.map((name) => ({ name, title: name, kind: "dimension", type: "string" })),
        rows,
        isCut: false,
      },
    },
    linked,
  );

test("have the filters of their result and of their row", () => {
  const query = {
    filters: [{ member: "v.x", operator: "set" }],
    timeDimensions: [
      { dimension: "v.at", granularity: "day", dateRange: ["2026-01-01", "2026-01-31"] },
      { dimension: "v.on", granularity: "day" },
    ],
    order: [{ id: "v.who", desc: true }],
  };
  expect(linkQuery({ query }, linked)).toEqual({
    dimensions: ["v.who", ...members],
    filters: [
      { member: "v.x", operator: "set" },
      { member: "v.who", operator: "equals", values: ["Ann"] },
      { member: "v.city", operator: "notSet" },
    ],
    timeDimensions: [{ dimension: "v.at", dateRange: ["2026-01-01", "2026-01-31"] }],
    limit: 100,
  });
});

test("open one safe address, or a dashboard with the members among its parameters", () => {
  const board = "/dashboard/sales?v.who=Ann%20%26%20Co&locale=de";
  expect(found(["https://x.example/1", board])).toEqual([
    { label: "a", href: "https://x.example/1", isSameTab: false },
    {
      label: "b",
      dashboard: "sales",
      parameters: new URLSearchParams({ "f_v.who": '{"value":"Ann & Co"}' }).toString(),
    },
  ]);
  expect(found(["javascript:alert(1)", null])).toEqual([]);
  expect(found(["/dashboard/sales", null])).toEqual([]);
  expect(found(["https://x.example/1", null], ["https://x.example/2", null])).toEqual([]);
  expect(found()).toEqual([]);
});
