// The law of document names: whatever names documents get, objects whose natural keys stay the same are not written.
import fc from "fast-check";
import { expect, it } from "vitest";
import { writes } from "../../reconciler/model/plan-filters.ts";
import { propertyRuns } from "../support/arbitrary-values.ts";
import { assertProperty } from "../support/assert-property.ts";
import { liveState } from "../support/live-state.ts";
import { withTestEnvironments } from "../support/test-environments.ts";
import { type Doc, changeSummaries } from "../support/test-stack.ts";

const count = 4;
const names = ["a", "b", "c", "d", "e", "f"];

/** The names of as many documents, before and after. */
const naming = fc.shuffledSubarray(names, { minLength: count, maxLength: count });

/** Objects with an id and without one, renamed in place and replaced, each with a document of a drawn name. */
function documents(tenants: readonly string[], groups: readonly string[]): readonly Doc[] {
  return [...Array(count).keys()].flatMap((at): Doc[] => {
    const [tenant = "", group = ""] = [tenants[at], groups[at]];
    return [
      { kind: "UserGroup", name: group, spec: { name: `group-${at}`, description: `${at}` } },
      { kind: "EmbedTenant", name: tenant, spec: { name: `tenant-${at}` } },
      // The reference is by document name, which means another tenant before and after.
      { kind: "EmbedGroup", name: group, spec: { embedTenant: tenant, name: `inner-${at % 2}` } },
    ];
  });
}

it("documents with other names keep their objects, and write nothing", () =>
  withTestEnvironments(async (environments) => {
    const property = fc.asyncProperty(naming, naming, naming, naming, (...drawn) =>
      environments.use(async ({ service, stack }) => {
        const [tenants, groups, newTenants, newGroups] = drawn;
        await stack.write(documents(tenants, groups));
        await stack.apply();
        const before = await liveState(service);
        await stack.write(documents(newTenants, newGroups));
        const planned = await stack.plan();
        expect(writes(planned)).toEqual([]);
        const { outcomes } = await stack.apply();
        expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
        expect(await liveState(service)).toEqual(before);
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      }),
    );
    await assertProperty(property, propertyRuns(0.05));
  }));
