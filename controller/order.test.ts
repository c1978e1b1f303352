// Tests the waves of sources, and which sources each names.
import { expect, it } from "vitest";
import { limits } from "../core/limits/limits.ts";
import { orderOf } from "./order.ts";

const source = (name: string, dependsOn: readonly string[] = [], pattern?: string) => ({
  name,
  dependsOn,
  pattern,
});

it("places each source after all that it waits for, and names a pattern for its sources", () => {
  const order = orderOf([
    source("site", ["tenants", "shared*"]),
    source("base"),
    source("shared-a", ["base"]),
    source("shared-b"),
    source("tenants", ["base"]),
    ...["acme", "bluewater"].map((name) => source(`tenants-${name}`, ["base"], "tenants")),
    source("one", ["tenants-acme"]),
  ]);
  expect(Object.fromEntries(order)).toEqual({
    base: { wave: 0, after: [] },
    "shared-a": { wave: 1, after: ["base"] },
    "shared-b": { wave: 0, after: [] },
    site: { wave: 2, after: ["shared-a", "shared-b", "tenants"] },
    tenants: { wave: 1, after: ["base"] },
    "tenants-acme": { wave: 1, after: ["base"] },
    "tenants-bluewater": { wave: 1, after: ["base"] },
    one: { wave: 2, after: ["tenants-acme"] },
  });
});

it("names so many, and counts the others", () => {
  const many = Array.from({ length: limits.controllerEventItems + 7 }, (_, index) =>
    source(`s${index}`),
  );
  const { after = [], ...rest } = orderOf([...many, source("last", ["*"])]).get("last") ?? {};
  expect([after.length, rest]).toEqual([limits.controllerEventItems, { wave: 1, more: 7 }]);
});
