// Tests the fields that the inventory records of an adopted object.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { house, town } from "../../test/support/plan-fixtures.ts";
import { everyTrait } from "../../test/support/sample-kinds.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import type { Change } from "../model/index.ts";
import { observedFields } from "./adopted-fields.ts";

function recorded(
  kind: typeof town,
  desired: JsonObject,
  live: JsonObject,
  secrets: Change["secrets"] = {},
) {
  const change = sampleChange("adopt", `${kind.name}/x`, { desired, secrets });
  return observedFields(kind, change, live);
}

it("is the live value of each declared field, and of no other", () => {
  const live = { name: "ulm", motto: "live", land: "x" };
  expect(recorded(town, { name: "ulm", motto: "declared" }, live)).toEqual({
    name: "ulm",
    motto: "live",
  });
});

it("leaves out what the API does not show", () => {
  expect(
    recorded(house, { town: "ulm", name: "h", twin: "bonn" }, { town: "ulm", name: "h" }),
  ).toEqual({ town: "ulm", name: "h" });
});

it("takes a declared null where the object has no value", () => {
  const live = { parent: "p", name: "n" };
  expect(recorded(everyTrait, { parent: "p", kept: null, cleared: "c" }, live)).toEqual({
    parent: "p",
    kept: null,
  });
});

it("takes maps and lists whole", () => {
  const live = { labels: { a: "1", b: "2" }, steps: ["x", "y"] };
  expect(recorded(everyTrait, { labels: { a: "0" }, steps: ["z"] }, live)).toEqual(live);
});

it("reads a secret that the manifest declares, by its fingerprint", () => {
  const live = { parent: "p", secret: "s3cret" };
  expect(recorded(everyTrait, { parent: "p" }, live, { secret: "fingerprint" })).toEqual(live);
  expect(recorded(everyTrait, { parent: "p" }, live)).toEqual({ parent: "p" });
});
