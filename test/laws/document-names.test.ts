// Tests the law of document names: documents that `movedFrom` renames keep their objects.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
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

/** The names of the documents, by number. */
interface Names {
  readonly tenants: readonly string[];
  readonly groups: readonly string[];
}

/** The declarations of a stack, by number. */
interface Declared extends Names {
  readonly numbers: readonly number[];
  readonly changed: readonly number[];
  /** The former names, which `movedFrom` tells. */
  readonly formerly?: Names;
}

/** Returns objects with and without an id, renamed in place or replaced, each in a document with a random name. */
function documents({ tenants, groups, numbers, changed, formerly }: Declared): readonly Doc[] {
  const drawn = numbers.flatMap((at): Doc[] => {
    const tenant = tenants[at] ?? "";
    const key = changed.includes(at) ? `${at}-changed` : `${at}`;
    const document = (kind: string, of: keyof Names, spec: JsonObject): Doc => {
      const [name = "", former = name] = [{ tenants, groups }[of][at], formerly?.[of][at]];
      const lifecycle = former === name ? {} : { movedFrom: `${kind}/${former}` };
      return { kind, name, spec, lifecycle };
    };
    return [
      document("UserGroup", "groups", { name: `group-${key}`, description: `${at}` }),
      document("EmbedTenant", "tenants", { name: `tenant-${key}` }),
      // The reference is by document name, which means another tenant before and after.
      document("EmbedGroup", "groups", { embedTenant: tenant, name: `inner-${at % 2}` }),
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
      `EmbedTenant/${tenant}`,
      `EmbedGroup/${tenant}/inner-${at % 2}`,
    ];
  });
  return [...keys, "UserGroup/always"];
}

const all = { numbers: [...Array(count).keys()], changed: [] };

it("documents that exchange or shift their names keep their objects, and write nothing", () =>
  withTestEnvironments(async (environments) => {
    const property = fc.asyncProperty(naming, naming, naming, naming, (...drawn) =>
      environments.use(async ({ service, stack }) => {
        const [tenants, groups, newTenants, newGroups] = drawn;
        await stack.write(documents({ tenants, groups, ...all }));
        await stack.apply();
        const before = await liveState(service);
        const formerly = { tenants, groups };
        await stack.write(documents({ tenants: newTenants, groups: newGroups, formerly, ...all }));
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

/** True if a renamed document has the name of one that is gone: the plan asks to remove that first. */
function takesNameOfRemoved(
  { tenants, groups, numbers, formerly }: Declared,
  removed: readonly number[],
): boolean {
  const now = { tenants, groups };
  return (["tenants", "groups"] as const).some((of) => {
    const gone = removed.map((at) => formerly?.[of][at]);
    return numbers.some((at) => at < count && gone.includes(now[of][at]));
  });
}

const everyName = fc.shuffledSubarray(names, { minLength: names.length });

it("documents with other names, of which some have other keys or are new or gone, write no object that keeps its key", () =>
  withTestEnvironments(async (environments) => {
    const property = fc.asyncProperty(naming, naming, everyName, everyName, rest, (...drawn) => {
      const [tenants, groups, newTenants, newGroups, { changed, removed, added }] = drawn;
      const numbers = [...Array(count + added).keys()].filter((at) => !removed.includes(at));
      const first = { tenants, groups, ...all };
      const formerly = { tenants, groups };
      const second = { tenants: newTenants, groups: newGroups, formerly, numbers, changed };
      fc.pre(!takesNameOfRemoved(second, removed));
      return environments.use(async ({ service, stack }) => {
        const initial = Object.keys(await liveState(service));
        await stack.write(documents(first));
        await stack.apply();
        await stack.write(documents(second));
        const kept = new Set(keysOf(first).filter((key) => keysOf(second).includes(key)));
        const written = writes(await stack.plan()).flatMap(({ kind, key, from }) =>
          [key, from?.key ?? key].map((one) => `${kind}/${one}`),
        );
        expect(written.filter((object) => kept.has(object))).toEqual([]);
        const { outcomes } = await stack.apply();
        expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
        expect(Object.keys(await liveState(service)).toSorted()).toEqual(
          [...initial, ...keysOf(second)].toSorted(),
        );
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      });
    });
    await assertProperty(property, propertyRuns(0.05));
  }));
