// Tests the law of document names: renamed documents whose natural keys stay the same cause no write.
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

/** The names of the documents, before and after. */
const naming = fc.shuffledSubarray(names, { minLength: count, maxLength: count });

/** The objects whose natural key changes, the removed documents, and the number of new ones. */
const rest = fc.record({
  changed: fc.subarray([...Array(count).keys()]),
  removed: fc.subarray([...Array(count).keys()]),
  added: fc.nat({ max: names.length - count }),
});

/** The declarations of a stack, by number. */
interface Declared {
  readonly tenants: readonly string[];
  readonly groups: readonly string[];
  readonly numbers: readonly number[];
  readonly changed: readonly number[];
}

/**
 * Returns objects with and without an id, renamed in place or replaced, each in a document with a random name. Only
 * their content distinguishes objects of the first kind.
 */
function documents({ tenants, groups, numbers, changed }: Declared): readonly Doc[] {
  const drawn = numbers.flatMap((at): Doc[] => {
    const [tenant = "", group = ""] = [tenants[at], groups[at]];
    const key = changed.includes(at) ? `${at}-changed` : `${at}`;
    return [
      { kind: "UserGroup", name: group, spec: { name: `group-${key}`, description: `${at}` } },
      { kind: "UserGroup", name: `plain-${group}`, spec: { name: `plain-${key}` } },
      { kind: "EmbedTenant", name: tenant, spec: { name: `tenant-${key}` } },
      // The reference is by document name, which means another tenant before and after.
      { kind: "EmbedGroup", name: group, spec: { embedTenant: tenant, name: `inner-${at % 2}` } },
    ];
  });
  return [...drawn, { kind: "UserGroup", name: "always", spec: { name: "always" } }];
}

/** Returns kinds and natural keys of declared objects. */
function keysOf({ numbers, changed }: Declared): readonly string[] {
  const keys = numbers.flatMap((at) => {
    const key = changed.includes(at) ? `${at}-changed` : `${at}`;
    const tenant = `tenant-${key}`;
    return [
      `UserGroup/group-${key}`,
      `UserGroup/plain-${key}`,
      `EmbedTenant/${tenant}`,
      `EmbedGroup/${tenant}/inner-${at % 2}`,
    ];
  });
  return [...keys, "UserGroup/always"];
}

const all = { numbers: [...Array(count).keys()], changed: [] };

it("documents with other names keep their objects, and write nothing", () =>
  withTestEnvironments(async (environments) => {
    const property = fc.asyncProperty(naming, naming, naming, naming, (...drawn) =>
      environments.use(async ({ service, stack }) => {
        const [tenants, groups, newTenants, newGroups] = drawn;
        await stack.write(documents({ tenants, groups, ...all }));
        await stack.apply();
        const before = await liveState(service);
        await stack.write(documents({ tenants: newTenants, groups: newGroups, ...all }));
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

const everyName = fc.shuffledSubarray(names, { minLength: names.length });

it("documents with other names, of which some have other keys or are new or gone, write no object that keeps its key", () =>
  withTestEnvironments(async (environments) => {
    const property = fc.asyncProperty(naming, naming, everyName, everyName, rest, (...drawn) =>
      environments.use(async ({ service, stack }) => {
        const [tenants, groups, newTenants, newGroups, { changed, removed, added }] = drawn;
        const numbers = [...Array(count + added).keys()].filter((at) => !removed.includes(at));
        const first = { tenants, groups, ...all };
        const second = { tenants: newTenants, groups: newGroups, numbers, changed };
        const initial = Object.keys(await liveState(service));
        await stack.write(documents(first));
        await stack.apply();
        await stack.write(documents(second));
        const kept = new Set(keysOf(first).filter((key) => keysOf(second).includes(key)));
        const written = writes(await stack.plan()).flatMap(({ kind, key, from }) =>
          [key, from?.key ?? key].map((one) => `${kind}/${one}`),
        );
        // Groups without a description are indistinguishable, so that names of documents may count more than keys.
        const isCertain = (object: string) => !object.startsWith("UserGroup/plain-");
        expect(written.filter((object) => kept.has(object) && isCertain(object))).toEqual([]);
        const { outcomes } = await stack.apply();
        expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
        expect(Object.keys(await liveState(service)).toSorted()).toEqual(
          [...initial, ...keysOf(second)].toSorted(),
        );
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      }),
    );
    await assertProperty(property, propertyRuns(0.05));
  }));
