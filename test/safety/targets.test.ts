// Tests applies that are limited to targets, also from a saved plan.
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPlan, savePlan } from "../../reconciler/engine/plan-file.ts";
import { changeSummaries, type Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const group = (name: string, description: string): Doc => {
  return { kind: "UserGroup", name, spec: { name, description } };
};

it("writes the target alone; a saved plan keeps its targets", async () => {
  const { stack } = fixture;
  await stack.write([group("north", "one"), group("gone", "one")]);
  await stack.apply();
  await stack.write([group("north", "two"), group("south", "one")]);
  const saved = join(stack.folder, "plan.json");
  savePlan(saved, await stack.plan({ targets: ["UserGroup/south"] }));
  await expect(
    stack.apply({ savedPlan: readPlan(saved), targets: ["UserGroup/south"] }),
  ).rejects.toMatchObject({ code: "usage" });
  const applied = await stack.apply({ savedPlan: readPlan(saved) });
  expect(applied.outcomes.map(({ address, result }) => `${address} ${result}`)).toEqual([
    "UserGroup/south done",
  ]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([
    "update UserGroup/north /description",
    "delete UserGroup/gone",
  ]);
  await stack.apply({ targets: ["UserGroup/gone"] });
  expect(changeSummaries((await stack.plan()).changes)).toEqual([
    "update UserGroup/north /description",
  ]);
});
