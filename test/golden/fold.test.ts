// Long lists of creates: what is folded, and what never is.
import { describe, expect, it } from "vitest";
import { sampleChange, samplePlan } from "../support/plans.ts";
import { planText } from "../../reconciler/report/text.ts";

const look = { color: false, width: 100 };
const many = Array.from({ length: 60 }, (_, at) =>
  sampleChange("create", `Plain/p${at}`, { desired: { name: `p${at}` } }),
);

describe("a plan that creates many of a kind", () => {
  const others = [
    sampleChange("delete", "Plain/old", {}),
    sampleChange("create", "Plain/stuck", { blockedBy: ["it is protected"] }),
  ];
  const plan = samplePlan([...many, ...others]);
  const heads = (text: string) => text.split("\n").filter((line) => /^\S \w+\//u.test(line));

  it("shows the first of them, names some of the rest, and whatever else there is", () => {
    const text = planText(plan, look);
    expect(heads(text).slice(0, 20)).toEqual(
      many.slice(0, 20).map(({ address }) => `+ ${address}`),
    );
    expect(heads(text).slice(20)).toEqual(["- Plain/old", expect.stringContaining("Plain/stuck")]);
    expect(text).toContain(
      "+ 40 more of Plain: Plain/p20, Plain/p21, Plain/p22, Plain/p23, Plain/p24 and 35 others; --full shows them",
    );
  });

  it("shows all of them when nothing is to be folded", () => {
    expect(heads(planText(plan, { ...look, full: true }))).toHaveLength(62);
  });

  it("counts what is folded", () => {
    expect(planText(plan, look)).toContain("Plan: 61 to create (1 of them blocked), 1 to delete");
  });
});
