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
      - { name: secret, type: count, public: false }
  - name: inner
    extends: orders
    shown: false
`,
  "model/views/sales.yml": `views:
  - name: sales
    cubes:
      - { joinPath: orders, includes: "*", excludes: [open] }
      - { join_path: orders.parent, includes: [{ name: id, alias: key }], prefix: true }
    measures:
      - { name: double, type: number, sql: "2 * {count}" }
      - { name: half, type: number, sql: "{count} / 2", public: false }
  - name: more
    extends: sales
    public: false
    cubes:
      - { join_path: orders.parent, includes: [open] }
`,
  "README.md": "{{ not a model }}",
};

const described = (kind: string, one: { name: string; public: boolean }, isPublic: boolean) =>
  `${kind} ${one.name}${one.public && isPublic ? "" : " (hidden)"}`;
/** Members of views are members of a cube under a name that no query has. */
const isDeclared = ({ name }: { readonly name: string }) => !name.includes(":");

it("finds the members of cubes and views, inherited, renamed and hidden ones too", () => {
  const { model, errors } = compileModel(
    Object.entries(files).map(([path, content]) => ({ path, content })),
  );
  expect(errors).toEqual([]);
  const compiled = [
    ...(model?.cubes ?? [])
      .filter(({ name }) => !name.includes(" "))
      .map(({ name, public: isPublic, dimensions, measures, segments }) => [
        name,
        [
          ...dimensions.filter(isDeclared).map((one) => described("dimension", one, isPublic)),
          ...measures.filter(isDeclared).map((one) => described("measure", one, isPublic)),
          ...segments.filter(isDeclared).map((one) => described("segment", one, isPublic)),
        ].toSorted(),
      ]),
    ...(model?.views ?? []).map(({ name, public: isPublic, members }) => [
      name,
      members.map((one) => described(one.kind, one, isPublic)).toSorted(),
    ]),
  ];
  const found = [...(modelMemberNames(files) ?? [])].map(([name, members]) => [
    name,
    [...(members ?? [])]
      .map(([own, { kind, isHidden }]) => described(kind, { name: own, public: !isHidden }, true))
      .toSorted(),
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
