// Tests what differs between versions and commits: their order, and which texts name one.
import { expect, it } from "vitest";
import { candidateKinds, shortCommits } from "./candidate-kinds.ts";

const hash = (start: string): string => start.padEnd(40, "0");
const [newest, older, oldest] = [hash("aaaaaaab"), hash("bbbbbbb"), hash("aaaaaaac")];
const branch = [newest, older, oldest].map((version, place) => {
  return { version, channel: "main", isNewestInChannel: place === 0 };
});

it("orders commits by their place on the branch; what it does not list has none", () => {
  const order = candidateKinds.commits.order(branch);
  const gone = hash("c");
  expect([newest, gone, oldest, older].toSorted(order)).toEqual([gone, oldest, older, newest]);
  expect(order(gone, hash("d"))).toBe(0);
  const places = [oldest, gone].map((one) => candidateKinds.commits.hasPlace(branch, one));
  expect(places).toEqual([true, false]);
  expect(candidateKinds.versions.order([])("1.9.0", "1.10.0")).toBeLessThan(0);
});

it.each([
  ["bbbbbbb", older],
  [older, older],
  [hash("c"), hash("c")],
  ["aaaaaaa", undefined],
  ["bbbbbb", undefined],
  ["ccccccc", undefined],
  ["1.2.3", undefined],
  [older.toUpperCase(), undefined],
])("takes %s as the commit %s", (text, named) => {
  expect(candidateKinds.commits.parse(text, [newest, older, oldest])).toBe(named);
});

it("shortens commits in texts, and nothing else", () => {
  const other = "f".repeat(41);
  expect(shortCommits(`${newest} of 1.2.3 and ${"a".repeat(64)}, ${other}`)).toBe(
    `aaaaaaab0000 of 1.2.3 and aaaaaaaaaaaa, ${other}`,
  );
});
