// The query for the rows behind a value.
import { expect, test } from "vitest";
import { drillTarget } from "./drilling.ts";

const column = (name: string, kind: "dimension" | "measure") =>
  ({ name, title: name, kind, type: kind === "measure" ? "number" : "string" }) as const;
const drillMembersGrouped = { dimensions: ["orders.id", "orders.city"], measures: ["orders.sum"] };

test("reads the dimensions and the measures of drill_members for the values of the row", () => {
  const result = {
    table: {
      columns: [column("orders.status", "dimension"), column("orders.count", "measure")],
      rows: [
        ["paid", 11],
        [null, 2],
      ],
      isCut: false,
    },
    readAt: "2026-01-01T00:00:00.000Z",
    isStale: false,
    query: {
      measures: ["orders.count"],
      dimensions: ["orders.status"],
      filters: [{ member: "orders.region", operator: "equals", values: ["north"] }],
    },
    annotation: {
      measures: { "orders.count": { drillMembers: ["orders.id"], drillMembersGrouped } },
    },
  };
  const [region] = result.query.filters;
  const status = { member: "orders.status", operator: "equals", values: ["paid"] };
  expect(drillTarget(result, 0)).toMatchObject({
    member: "orders.count",
    value: "11",
    query: { ...drillMembersGrouped, filters: [region, status] },
  });
  expect(drillTarget(result, 1)?.query["filters"]).toEqual([
    region,
    { member: "orders.status", operator: "notSet" },
  ]);
  expect(drillTarget(result, 2)).toBeUndefined();
});
