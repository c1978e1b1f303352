// Tests which changes a saved plan approves, and which differences from the current plan stop an apply.
import { describe, expect, it } from "vitest";
import { isFailure } from "../../core/errors.ts";
import type { Change, Plan } from "../model/index.ts";
import { desiredObject, pruningStack, town } from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleField, samplePlan } from "../../test/support/sample-plans.ts";
import { assertSamePlan, choicesOf } from "./stale-plan.ts";

/** Returns the message and the details of the failure; undefined if there is none. */
function failureOf(act: () => void) {
  try {
    act();
  } catch (error) {
    if (!isFailure(error, "stale")) throw error;
    const { message, details, remedy } = error;
    return { message, details, moved: details?.["moved"], remedy };
  }
  return undefined;
}

const compared = (saved: readonly Change[], current: readonly Change[]) =>
  failureOf(() => assertSamePlan(samplePlan(saved), samplePlan(current)));

const motto = (before: string, after = "new", more = {}) =>
  sampleField({ path: "/motto", before, after, ...more });
const update = (name: string, more: Partial<Change> = {}): Change =>
  sampleChange("update", `Town/${name}`, { fields: [motto("old")], ...more });

describe("a saved plan", () => {
  const plan = samplePlan([
    sampleChange("adopt", "Town/a"),
    sampleChange("refuse", "Town/b"),
    sampleChange("replace", "Town/c"),
    sampleChange("replace", "Town/gone"),
    sampleChange("orphan", "Town/d"),
  ]);
  const desired = {
    stack: { ...pruningStack, name: "shop" },
    objects: ["a", "b", "c", "d"].map((name) => desiredObject(town, name, { spec: { name } })),
    digest: "d",
  };

  it("is for one stack and its manifests", () => {
    expect(failureOf(() => choicesOf(plan, desired, {}))).toBeUndefined();
    const other = { ...desired, stack: { ...desired.stack, name: "site" } };
    expect(failureOf(() => choicesOf(plan, other, {}))).toMatchObject({
      message: expect.stringContaining("stack shop, not for"),
      remedy: "Nothing was written; pass the path of stack shop, or plan again.",
    });
    const changed = { ...desired, digest: "e" };
    expect(failureOf(() => choicesOf(plan, changed, {}))?.message).toContain("manifests");
  });

  it("approves the adoptions that it does not refuse, also of objects that it does not name", () => {
    expect(
      ["Town/a", "Town/b", "Town/x"].map((address) =>
        choicesOf(plan, desired, {}).adopt?.(address),
      ),
    ).toEqual([true, false, true]);
  });

  it("forces the replacements of declared objects only", () => {
    expect(choicesOf(plan, desired, {}).replace).toEqual(["Town/c"]);
  });

  it("approves an empty stack if it deletes or forgets objects", () => {
    const emptied = (changes: readonly Change[]) =>
      choicesOf(samplePlan(changes), desired, {}).allowEmpty;
    expect(emptied(plan.changes)).toBe(false);
    expect(emptied([sampleChange("forget", "Town/a")])).toBe(true);
    expect(emptied([sampleChange("orphan", "Town/b"), sampleChange("delete", "Town/a")])).toBe(
      true,
    );
  });

  it("excludes targets, and the live values of conflicts", () => {
    for (const options of [{ targets: ["Town/a"] }, { onConflict: "keep" }])
      expect(() => choicesOf(plan, desired, options)).toThrow(/a saved plan/u);
  });
});

describe("the plan made now", () => {
  it("is the same in another order, and with members that JSON leaves out", () => {
    const read = JSON.parse(JSON.stringify([update("a"), update("b")])) as readonly Change[];
    expect(compared(read, [update("b"), update("a")])).toBeUndefined();
  });

  it.each<[string, Partial<Plan["basis"]>, string]>([
    ["server", { origin: "https://two.example" }, "made for https://one.example, not for"],
    ["state of the inventory", { inventory: "j" }, "another run has written the inventory"],
  ])("is another one for another %s, even with the same changes", (_, basis, message) => {
    const saved = samplePlan([update("a")]);
    const current = samplePlan([update("a")], { basis: { ...saved.basis, ...basis } });
    expect(failureOf(() => assertSamePlan(saved, current))?.message).toContain(message);
  });

  it("reports another inventory with a member of its own", () => {
    const saved = samplePlan([update("a")]);
    const current = samplePlan([update("a")], { basis: { ...saved.basis, inventory: "j" } });
    expect(failureOf(() => assertSamePlan(saved, current))?.details).toEqual({
      inventoryChanged: true,
      moved: [],
    });
  });

  it("is compared with each value that changed live", () => {
    const found = compared([update("a")], [update("a", { fields: [motto("live")] })]);
    expect(found?.message).toBe('changed since the plan was made: Town/a (/motto: "old" → "live")');
    expect(found?.moved).toEqual([
      { address: "Town/a", fields: [{ path: "/motto", before: "old", now: "live" }] },
    ]);
  });

  it("shows only the fields that changed, also those that had or have no value", () => {
    const land = (before: string | undefined) =>
      sampleField({ path: "/land", before, after: "new" });
    const message = (one: string | undefined, two: string | undefined) =>
      compared(
        [update("a", { fields: [motto("old"), land(one)] })],
        [update("a", { fields: [motto("old"), land(two)] })],
      )?.message;
    const lead = "changed since the plan was made: Town/a";
    expect(message(undefined, "x")).toBe(`${lead} (/land: (not set) → "x")`);
    expect(message("x", undefined)).toBe(`${lead} (/land: "x" → (not set))`);
  });

  it("shows the value of a field that no longer differs, or differs now", () => {
    const fields = (one: Change["fields"], two: Change["fields"]) =>
      compared([update("a", { fields: one })], [update("a", { fields: two })])?.moved;
    expect(fields([motto("old")], [])).toEqual([
      { address: "Town/a", fields: [{ path: "/motto", before: "old", now: "new" }] },
    ]);
    expect(fields([], [motto("live")])).toEqual([
      { address: "Town/a", fields: [{ path: "/motto", before: "new", now: "live" }] },
    ]);
  });

  it("is compared with actions, and with objects of one plan only", () => {
    const recreated = sampleChange("create", "Town/a");
    const found = compared([update("a"), update("b")], [recreated, update("c")]);
    expect(found?.message).toContain("Town/a (update → create;");
    expect(found?.message).toContain("Town/b (update → nothing;");
    expect(found?.message).toContain("Town/c (nothing → update;");
  });

  it("is another one where the saved plan has a change twice", () => {
    expect(compared([update("a"), update("a")], [update("a")])).toBeDefined();
  });

  it("shows no value that is secret in either plan", () => {
    const secret = motto("(secret #1)", "(secret #2)", { sensitive: true });
    const [shown, hidden] = [motto("visible-before"), secret].map((field) =>
      update("a", { fields: [field] }),
    );
    if (shown === undefined || hidden === undefined) throw new Error("no change");
    for (const [saved, current] of [
      [shown, hidden],
      [hidden, shown],
    ] as const) {
      const found = compared([saved], [current]);
      expect(found?.message).toContain("Town/a (/motto: a secret)");
      expect(JSON.stringify(found)).not.toContain("visible-before");
    }
  });

  it("asks for the same secrets only if nothing else differs", () => {
    const withCode = (name: string, code: string) => update(name, { secrets: { "/code": code } });
    const secrets = compared([withCode("a", "1")], [withCode("a", "2")]);
    expect(secrets).toMatchObject({ moved: [{ address: "Town/a" }] });
    expect(secrets?.remedy).toContain("the same secrets");
    const both = compared([withCode("a", "1"), update("b")], [withCode("a", "2")]);
    expect(both?.remedy).toContain("svc plan");
  });

  it("does not blame the secrets where an object differs in one plan only", () => {
    const found = compared([update("a")], []);
    expect(found?.message).toContain("Town/a (update → nothing;");
    expect(found?.remedy).toContain("svc plan");
    expect(compared([sampleChange("create", "Town/a")], [])?.remedy).toContain("svc plan");
  });

  it.each(["fingerprint", "unverified"] as const)(
    "asks for the same secrets where an object differs in one plan only, by a hidden value: %s",
    (reason) => {
      const hidden = sampleField({ path: "/code", reason, sensitive: true });
      const found = compared([], [update("a", { fields: [hidden] })]);
      expect(found?.remedy).toContain("the same secrets");
      const more = compared([], [update("a", { fields: [hidden, motto("old")] })]);
      expect(more?.remedy).toContain("svc plan");
    },
  );

  it("names at most 10 objects and 3 fields of each", () => {
    const names = Array.from({ length: 12 }, (_, at) => `t${at}`);
    const fields = Array.from({ length: 5 }, (_, at) =>
      sampleField({ path: `/f${at}`, before: 1, after: 2 }),
    );
    const message =
      compared(
        names.map((name) => update(name)),
        names.map((name) => update(name, { fields })),
      )?.message ?? "";
    expect(message.match(/Town\/t/gu)).toHaveLength(10);
    expect(message).toMatch(/ and 2 more$/u);
    expect(message).toContain("3 more)");
  });

  it.each(["null", '"text"', '[null, { "path": 7 }, "x"]'])(
    "is compared with an edited plan whose fields are %s",
    (json) => {
      const edited = { ...update("a"), fields: JSON.parse(json) as Change["fields"] };
      expect(compared([edited], [update("a")])?.message).toContain("Town/a");
    },
  );
});
