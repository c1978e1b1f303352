// The fields that a change writes, and which side of each changed.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Match } from "./match-objects.ts";
import type { DesiredObject } from "../model/index.ts";
import {
  appliedEntry,
  desiredObject,
  fingerprints,
  house,
  town,
} from "../../test/support/plan-fixtures.ts";
import { sampleField, sampleMatch } from "../../test/support/sample-plans.ts";
import { invalidatedFields, plannedFields } from "./planned-fields.ts";
import type { WithNewNames } from "./renamed-references.ts";

const observed = (spec: JsonObject) => ({ id: "1", spec, status: {} });
const ulm = (spec: JsonObject): DesiredObject =>
  desiredObject(town, "ulm", { spec: { name: "ulm", ...spec } });

interface Recorded {
  readonly applied?: JsonObject;
  readonly pending?: boolean;
  readonly match?: Partial<Match>;
  readonly withNewNames?: WithNewNames;
}

function fields(
  desired: DesiredObject,
  live: JsonObject,
  { applied, pending = false, match = {}, withNewNames = (_, spec) => spec }: Recorded = {},
) {
  const { kind, name } = desired;
  const [, entry] = applied ? appliedEntry(kind, name, { spec: applied, pending }) : [];
  const found = sampleMatch({ entry, ...match });
  return plannedFields(desired, observed(live), { match: found, fingerprints, withNewNames });
}

const motto = (text: string): JsonObject => ({ name: "ulm", motto: text });

describe("the direction of a difference", () => {
  it("is a conflict, with the applied value as its base, if both sides changed", () => {
    const both = fields(ulm({ motto: "new" }), motto("live"), { applied: motto("old") });
    expect(both).toMatchObject([{ path: "/motto", direction: "conflict", base: "old" }]);
    const onlyLive = fields(ulm({ motto: "old" }), motto("live"), { applied: motto("old") });
    expect(onlyLive).toMatchObject([{ direction: "drifted" }]);
    expect(onlyLive[0]).not.toHaveProperty("base");
  });

  it("is not taken from an entry whose first write is not confirmed", () => {
    const recorded = { applied: motto("old"), pending: true };
    expect(fields(ulm({ motto: "new" }), motto("live"), recorded)).toMatchObject([
      { direction: "pending" },
    ]);
  });
});

describe("restoring some fields of an object", () => {
  const restoring = (spec: JsonObject, more: Partial<DesiredObject> = {}): DesiredObject => ({
    ...ulm(spec),
    onlyFields: ["motto"],
    ...more,
  });

  it("reports what changed since as a conflict, because it is overwritten", () => {
    const drifted = fields(restoring({ motto: "old" }), motto("live"), { applied: motto("old") });
    expect(drifted).toMatchObject([{ direction: "conflict", base: "old" }]);
  });

  it("compares with the values of its baseline in place of those applied last", () => {
    const desired = restoring({ motto: "old" }, { baseline: { motto: "run" } });
    const recorded = { applied: motto("later") };
    expect(fields(desired, motto("run"), recorded)).toMatchObject([{ direction: "pending" }]);
    expect(fields(desired, motto("later"), recorded)).toMatchObject([
      { direction: "conflict", base: "run" },
    ]);
  });

  it("clears no field that it does not restore", () => {
    const kind = { ...town, spec: clearingCode() };
    const secret = { applied: { name: "ulm", code: "hush" } };
    const clearing = (onlyFields?: readonly string[]) =>
      fields({ ...ulm({}), kind, ...(onlyFields && { onlyFields }) }, { name: "ulm" }, secret);
    expect(clearing()).toMatchObject([{ path: "/code" }]);
    expect(clearing(["code"])).toMatchObject([{ path: "/code" }]);
    expect(clearing(["motto"])).toEqual([]);
  });
});

/** The schema of a town whose code is cleared if it is no longer declared. */
function clearingCode() {
  const { code, ...others } = town.spec.properties;
  return { ...town.spec, properties: { ...others, code: { ...code, "x-when-omitted": "clear" } } };
}

describe("an object in a parent that gets a new name", () => {
  const tall = desiredObject(house, "tall", { spec: { town: "new", name: "tall" } });

  const withNewNames: WithNewNames = (_, spec) => ({
    ...spec,
    town: { old: "new", new: "newer" }[spec["town"] as string] ?? null,
  });

  it("is compared under the new name, which the parent brings", () => {
    const live = { town: "old", name: "tall" };
    expect(fields(tall, live)).toMatchObject([{ path: "/town", replaces: true }]);
    expect(fields(tall, live, { withNewNames })).toEqual([]);
    expect(fields(tall, { ...live, name: "wide" }, { withNewNames })).toMatchObject([
      { path: "/name" },
    ]);
  });

  it("is replaced if it is in the parent that gives the name away, which the manifest changes", () => {
    const spec = { town: "new", name: "tall" };
    expect(fields(tall, spec, { withNewNames, applied: spec })).toMatchObject([
      { path: "/town", before: "newer", after: "new", replaces: true, direction: "pending" },
    ]);
  });
});

describe("fields that refer to what is replaced", () => {
  const invalidated = (names: readonly string[], differing: readonly string[] = []) =>
    invalidatedFields(
      ulm({ motto: "onward", code: "hush" }),
      {
        observed: observed(motto("onward")),
        differing: differing.map((name) => sampleField({ path: `/${name}` })),
      },
      { impact: { object: false, fields: new Set(names) } },
    );

  it("are written again with the same value, unless they differ anyway", () => {
    expect(invalidated(["motto"])).toMatchObject([
      {
        path: "/motto",
        before: "onward",
        after: "onward",
        reason: "reference-replaced",
        replaces: false,
      },
    ]);
    expect(invalidated(["motto"], ["motto"])).toEqual([]);
    expect(invalidated([])).toEqual([]);
  });

  it("show no secret", () => {
    const [secret] = invalidated(["code"]);
    expect(secret).toMatchObject({ path: "/code", sensitive: true, before: undefined });
    expect(JSON.stringify(secret)).not.toContain("hush");
  });
});
