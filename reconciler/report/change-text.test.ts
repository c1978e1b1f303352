// The fields of a change as text: lists and objects that do not fit on a line show which items change.
import { expect, it } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import { sampleChange, sampleField } from "../../test/support/sample-plans.ts";
import { changeLines } from "./change-text.ts";

const policy = (resourceType: string, ...actions: string[]) => ({ actions, resourceType });
const policies = ["Deployment", "Workbook", "Report", "Folder", "Agent"].map((type) =>
  policy(type, "Read"),
);

function linesOf(before: JsonValue | undefined, after: JsonValue, isDrift?: true) {
  const direction = isDrift ? "drifted" : "pending";
  const field = sampleField({ path: "/policies", field: "policies", before, after, direction });
  const change = sampleChange("update", "Role/reader", { fields: [field] });
  return changeLines(change, { color: false, width: 80, ...(isDrift && { isDrift }) }).slice(1);
}

it("shows the items of a long list that a change adds and removes", () => {
  const changed = [...policies.slice(0, 2), policy("Report", "Write"), ...policies.slice(3)];
  expect(linesOf(policies, changed)).toEqual([
    "    /policies:",
    '          {"actions":["Read"],"resourceType":"Deployment"}',
    '          {"actions":["Read"],"resourceType":"Workbook"}',
    '        - {"actions":["Read"],"resourceType":"Report"}',
    '        + {"actions":["Write"],"resourceType":"Report"}',
    '          {"actions":["Read"],"resourceType":"Folder"}',
    '          {"actions":["Read"],"resourceType":"Agent"}',
  ]);
});

it("shows in drift what was added and removed on the server", () => {
  const live = [...policies, policy("Global", "All")];
  const lines = linesOf(live, policies, true);
  expect(lines.at(0)).toBe("    /policies:  (changed on the server)");
  expect(lines.at(-1)).toBe('        + {"actions":["All"],"resourceType":"Global"}');
});

it("shows every item of a long list that an object gets", () => {
  expect(linesOf(undefined, policies)).toHaveLength(1 + policies.length);
});

it("shows only the values that change inside a large item, in a bounded number", () => {
  const widget = (title: string, more: object = {}): JsonValue => ({
    title,
    config: { text: "x".repeat(1000), axes: { left: title, right: "same" }, ...more },
  });
  const others = [widget("one"), widget("two")];
  expect(linesOf([...others, widget("three")], [...others, widget("four")])).toEqual([
    "    /policies:",
    '        /2/title: "three" → "four"',
    '        /2/config/axes/left: "three" → "four"',
  ]);
  const many = (value: number) =>
    Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}`, `${"y".repeat(50)}${value}`]),
    );
  const lines = linesOf([widget("a", many(1))], [widget("a", many(2))]);
  expect(lines).toHaveLength(1 + 40 + 1);
  expect(lines.at(-1)).toBe("        … 10 more changed values; --verbose shows all");
});

it("shows members in the order of the document, and the names of files without escapes", () => {
  expect(linesOf({ id: 1, title: "a" }, { title: "b", id: 1 })).toEqual([
    '    /policies: {"title":"a","id":1} → {"title":"b","id":1}',
  ]);
  const field = sampleField({
    path: "/files/model~1cubes~1orders.yml",
    field: "files",
    before: "a",
    after: "b",
  });
  const change = sampleChange("update", "DataModel/shop", { fields: [field] });
  expect(changeLines(change, { color: false, width: 80 })).toContain(
    '    /files/model/cubes/orders.yml: "a" → "b"',
  );
});

it("shows a short list on the line of the field", () => {
  expect(linesOf(["a"], ["a", "b"])).toEqual(['    /policies: ["a"] → ["a","b"]']);
});

it("names the former address of an entry that moves", () => {
  const change = { ...sampleChange("none", "Role/reader"), formerAddress: "Role/writer" };
  expect(changeLines(change, { color: false, width: 80 })).toEqual([
    "· Role/reader  (matches the manifest; only the inventory changes)",
    "    its inventory entry moves from Role/writer",
  ]);
});
