// Tests that the members read from the YAML of a data model are those that the compiler finds.
import { expect, it } from "vitest";
import { modelMemberNames } from "../../core/data-model/model-member-names.ts";
import { compileModel } from "../../service/model/compile.ts";

const files = {
  "model/cubes/base.yml": `cubes:
  - name: base
    sql_table: t
    dimensions:
      - { name: id, sql: id, type: number, primaryKey: true }
    segments:
      - { name: open, sql: "{CUBE}.open" }
`,
  "model/cubes/orders.yaml": `cubes:
  - name: orders
    extends: base
    joins:
      - { name: base, alias: parent, sql: "{CUBE.id} = {parent.id}", relationship: many_to_one }
    measures:
      - { name: count, type: count }
`,
  "model/views/sales.yml": `views:
  - name: sales
    cubes:
      - { joinPath: orders, includes: "*", excludes: [open] }
      - { join_path: orders.parent, includes: [{ name: id, alias: key }], prefix: true }
  - name: more
    extends: sales
    cubes:
      - { join_path: orders.parent, includes: [open] }
`,
  "README.md": "{{ not a model }}",
};

it("finds the members of cubes and views, inherited and renamed ones too", () => {
  const { model, errors } = compileModel(
    Object.entries(files).map(([path, content]) => ({ path, content })),
  );
  expect(errors).toEqual([]);
  const compiled = [
    ...(model?.cubes ?? [])
      .filter(({ name }) => !name.includes(" "))
      .map(({ name, dimensions, measures, segments }) => [
        name,
        [
          ...dimensions.map((one) => `dimension ${one.name}`),
          ...measures.map((one) => `measure ${one.name}`),
          ...segments.map((one) => `segment ${one.name}`),
        ].toSorted(),
      ]),
    ...(model?.views ?? []).map(({ name, members }) => [
      name,
      members.map((one) => `${one.kind} ${one.name}`).toSorted(),
    ]),
  ];
  const found = [...(modelMemberNames(files) ?? [])].map(([name, members]) => [
    name,
    [...(members ?? [])].map(([member, { kind }]) => `${kind} ${member}`).toSorted(),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(compiled));
});

it("knows nothing if a file cannot be read, and leaves out what it cannot resolve", () => {
  const orders = files["model/cubes/base.yml"];
  for (const content of ["cubes: [", "{{ cubes }}", null]) {
    expect(modelMemberNames({ "model/a.yml": orders, "model/b.yml": content })).toBeUndefined();
  }
  expect(modelMemberNames({ "model/a.yml": orders, "model/b.js": "cube()" })).toBeUndefined();
  const lost =
    "cubes: [{ name: a, extends: gone }]\nviews: [{ name: v, cubes: [{ join_path: a, includes: '*' }] }]";
  expect(modelMemberNames({ "model/a.yml": lost })).toEqual(
    new Map([
      ["a", undefined],
      ["v", undefined],
    ]),
  );
});
