// Groups of views: their errors, their spelling in JavaScript, and metadata, which shows no view that the caller may not query.
import { describe, expect, test } from "vitest";
import { errorsOf } from "../../test/support/model-errors.ts";
import { anyone, validModel } from "../../test/support/query-database.ts";
import { describeModel, describeViewGroups } from "../query/meta.ts";
import { compileFiles } from "./compile.ts";

const views = `cubes:
  - { name: a, sql_table: a, dimensions: [{ name: x, sql: x, type: string }] }
views:
  - { name: v, cubes: [{ join_path: a, includes: "*" }], view_group: first, view_groups: [first, second] }
  - { name: w, cubes: [{ join_path: a, includes: "*" }], access_policy: [{ group: hr }] }
  - { name: child, extends: v, view_groups: [second] }
  - { name: hidden, extends: v, public: false }
`;
const groups = `view_groups:
  - name: first
    description: About a
    includes: [w, { name: inner, title: Inside, views: [v] }, { name: secret, includes: [w, hidden] }]
  - { name: second, views: [hidden, v] }
  - { name: closed, includes: [hidden, { name: empty }] }
`;

describe("metadata", () => {
  const model = validModel(`${views}${groups}`);
  const describeFor = (names: readonly string[]) => {
    const cubes = describeModel(model, { ...anyone, groups: names });
    const shown = new Set(cubes.map(({ name }) => name));
    return {
      groups: describeViewGroups(model.viewGroups, shown),
      ofViews: Object.fromEntries(cubes.map(({ name, viewGroups }) => [name, viewGroups])),
    };
  };
  const first = { name: "first", title: "First", description: "About a" };
  const inner = { name: "inner", title: "Inside", views: ["v"], includes: ["v"] };
  const both = ["v", "child"];
  const second = { name: "second", title: "Second", views: both, includes: both };

  test("has the groups with views that the caller may query", () => {
    expect(describeFor([]).groups).toEqual([
      { ...first, views: ["v"], includes: [inner, "v"] },
      second,
    ]);
    const secret = { name: "secret", title: "Secret", views: ["w"], includes: ["w"] };
    expect(describeFor(["hr"]).groups).toEqual([
      { ...first, views: ["w", "v"], includes: ["w", inner, secret, "v"] },
      second,
    ]);
  });

  test("has the names of the groups that list a view", () => {
    const others = { v: ["inner", "first", "second"], child: ["second"], a: undefined };
    expect(describeFor([]).ofViews).toEqual(others);
    expect(describeFor(["hr"]).ofViews).toEqual({ ...others, w: ["first", "secret"] });
  });
});

test("are the same in JavaScript", async () => {
  const script = `view_group("first", {
  description: "About a",
  includes: [w, { name: "inner", title: "Inside", views: [v] }, { name: "secret", includes: ["w", hidden] }],
});
view_group("second", { views: [hidden, v] });
view_group("closed", { includes: ["hidden", { name: "empty" }] });
`;
  const { model, errors } = await compileFiles([
    { path: "model/a.yml", content: views.replace(/ {2}- \{ name: child.*\n/u, "") },
    { path: "model/b.js", content: script },
    { path: "model/c.js", content: "view('child', { extends: v, viewGroups: [second] });" },
  ]);
  expect(errors).toEqual([]);
  expect(model?.viewGroups).toEqual(validModel(`${views}${groups}`).viewGroups);
  const broken = await compileFiles([
    { path: "model/a.yml", content: views },
    { path: "model/b.js", content: script.replace("v] }, {", "v, 1] }, {\n") },
    { path: "model/c.js", content: "view_group('first', {\n  includes: [u],\n});" },
  ]);
  expect(
    broken.errors.map(({ fileName, line, column, message }) => [fileName, line, column, message]),
  ).toEqual([
    ["model/b.js", 3, 62, "views must be a string, not a number"],
    ["model/c.js", 1, 1, "the view group first is declared twice"],
    ["model/c.js", 2, 14, "u is not a view. Did you mean v?"],
  ]);
});

describe("errors", () => {
  test.each([
    [
      "[{ name: first }]",
      ["4:98 there is no view group second", "6:46 there is no view group second"],
    ],
    [
      "[{ name: first, includes: [{ name: second }] }]",
      ["4:98 there is no view group second", "6:46 there is no view group second"],
    ],
    [
      "[{ name: first }, { name: second, views: [a, vv] }]",
      ["8:56 a is not a view. Did you mean v?", "8:59 vv is not a view. Did you mean v?"],
    ],
    [
      "[{ name: first, includes: [{ name: second }] }, { name: second }]",
      ["8:70 the view group second is declared twice"],
    ],
    [
      "[{ name: first, views: [v], includes: [w] }, { name: second }]",
      ["8:37 the view group first has both views and includes; keep includes"],
    ],
    [
      "[{ name: first, includes: [1] }, { name: second }]",
      ["8:41 the view group must be an object, not a number"],
    ],
    [
      "[{ name: first, includes: [{ name: x, colour: red, title: 5 }] }, { name: second }]",
      [
        "8:52 colour is not a known field. The known fields are name, title, description, includes, views.",
        "8:72 title must be a string, not a number",
      ],
    ],
    [
      "[{ name: first, colour: red, includes: v }, { name: second }]",
      [
        "8:30 colour is not a known field. The known fields are name, title, description, includes, views.",
        "8:53 includes must be a list, not a string",
      ],
    ],
  ])("%s", (list, expected) => {
    expect(errorsOf(`${views}view_groups: ${list}\n`)).toEqual(expected);
  });
});
