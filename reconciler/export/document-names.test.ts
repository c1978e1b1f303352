// Tests of the names of exported documents.
import { expect, it } from "vitest";
import { keyOf } from "../../core/kind/identity.ts";
import { house, town } from "../../test/support/plan-fixtures.ts";
import { namesFor } from "./document-names.ts";

const townKey = (name: string): string => keyOf(town, { name });
const nameOf = (name: string, taken: readonly string[] = []): string | undefined =>
  namesFor(town, [townKey(name)], new Set(taken)).get(townKey(name));

it.each([
  ["ulm", "ulm"],
  ["Bad Ems", "Bad-Ems"],
  ["../etc", "etc"],
  ["-a-", "a"],
  ["a/b", "a-b"],
])("%j is named %j", (key, name) => {
  expect(nameOf(key)).toBe(name);
});

it.each([["Ōū"], [""], ["x".repeat(200)]])("%j gets a hash, at most 110 characters", (key) => {
  expect(nameOf(key)).toMatch(/^(?:x{100}-)?[0-9a-f]{8}$/u);
});

it("a name that is ambiguous or taken gets a hash, the same in every export", () => {
  const keys = ["a b", "a-b", "c"].map(townKey);
  const names = [...namesFor(town, keys).values()];
  expect(names).toEqual([
    expect.stringMatching(/^a-b-[0-9a-f]{8}$/u),
    expect.stringMatching(/^a-b-[0-9a-f]{8}$/u),
    "c",
  ]);
  expect(new Set(names).size).toBe(3);
  expect([...namesFor(town, keys.toReversed()).values()].toReversed()).toEqual(names);
  expect(nameOf("ulm", ["ulm"])).toMatch(/^ulm-[0-9a-f]{8}$/u);
});

it("a key of several parts joins them", () => {
  const key = keyOf(house, { town: "ulm", name: "tall one" });
  expect([...namesFor(house, [key]).values()]).toEqual(["ulm-tall-one"]);
});
