// Tests of references to objects that a plan renames.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { desiredObject, house, town } from "../../test/support/plan-fixtures.ts";
import { followRenames } from "./renamed-references.ts";

/**
 * Towns by their new names, with their live names; undefined if there is no live object. `gone` are the new names that
 * another town has today, which is deleted.
 */
function renaming(
  towns: Readonly<Record<string, string | undefined>>,
  gone: readonly string[] = [],
) {
  const desired = Object.keys(towns).map((name) => desiredObject(town, name, { spec: { name } }));
  const liveTown = (name: string) => ({ id: `${name}-id`, spec: { name }, status: {} });
  return followRenames(desired, ({ name }) => {
    const was = towns[name];
    return {
      observed: was === undefined ? undefined : liveTown(was),
      conflictingObject: gone.includes(name)
        ? { observed: liveTown(name), owner: "Town/gone" }
        : undefined,
    };
  });
}

const ulm: JsonObject = { town: "old", name: "h", twin: "old" };

it("gives references the new name, also in the key", () => {
  expect(renaming({ new: "old" })(house, ulm)).toEqual({ ...ulm, town: "new", twin: "new" });
});

it("gives the key no name where its parent is deleted and gives its name away", () => {
  expect(renaming({ old: "other" }, ["old"])(house, ulm)).toEqual({ ...ulm, town: null });
  expect(renaming({ old: undefined }, ["old"])(house, ulm)).toEqual({ ...ulm, town: null });
});

it("follows names that are swapped", () => {
  const swapped = renaming({ a: "b", b: "a" });
  expect(swapped(house, { ...ulm, twin: "a" })).toMatchObject({ twin: "b" });
  expect(swapped(house, { ...ulm, twin: "b" })).toMatchObject({ twin: "a" });
});

it.each([
  ["keep their names", { old: "old" }],
  ["are created", { new: undefined }],
  ["are other ones", { new: "other" }],
])("changes nothing for objects that %s", (_, towns) => {
  expect(renaming(towns)(house, ulm)).toEqual(ulm);
});
