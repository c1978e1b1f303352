// Tests the checks of a dashboard before the first write.
import { expect, it } from "vitest";
import type { Reader } from "../core/kind/kind.ts";
import { dashboardCheck } from "./dashboard-check.ts";

/** The check reads nothing from the server. */
const reader = {} as Reader;
const nothingPlanned = {
  planned: () => undefined,
  plannedOf: () => [],
  plannedById: () => undefined,
};

const position = { x: 0, y: 0, w: 1, h: 1 };
const spec = {
  deployment: "production",
  slug: "figures",
  dashboard: { widgets: ["a", "b", "a"].map((id) => ({ id, type: "TEXT", position })) },
};

it("refuses two widgets with one ID, in a dashboard that is sent", async () => {
  const error = {
    path: "/dashboard/widgets",
    message: 'a dashboard must have widgets with different IDs; "a" is repeated',
  };
  const found = { errors: [error], errorCount: 1 };
  const changedTo = (path: string) =>
    dashboardCheck.run(reader, { spec, changed: [{ path }], ...nothingPlanned });
  expect(await dashboardCheck.run(reader, { spec, changed: undefined, ...nothingPlanned })).toEqual(
    found,
  );
  expect(await changedTo("/dashboard/widgets/2")).toEqual(found);
  expect(await changedTo("/name")).toEqual({ errors: [], errorCount: 0 });
  const others = { ...spec, dashboard: { title: "Figures" } };
  const none = await dashboardCheck.run(reader, {
    spec: others,
    changed: undefined,
    ...nothingPlanned,
  });
  expect(none).toEqual({ errors: [], errorCount: 0 });
});
